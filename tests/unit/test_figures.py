"""Figures 5 and 6: the data that they show, and their files."""

import csv
import re
import time
from math import log
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import pytest
from made_scores import scores_of
from matplotlib.figure import Figure as Canvas
from papers import paper_params

from attnmt.errors import InputError
from attnmt.files.text_file import write_json, write_lines
from attnmt.layout import Layout
from attnmt.reporting import draw
from attnmt.reporting.curves import Panel, Series, figure5, figure6
from attnmt.reporting.paper import paper_curves

ROOT = Path(__file__).parents[2]
TABLE1 = ("base", "base_reverse", "base_reverse_dropout")
TABLE1 += ("global_location", "global_location_feed", "local_p_general_feed")
STEPS = (150, 300, 313)
GROUPS = ((7, 1.0), (7, 2.0), (30, 3.0))  # longest reference, BLEU before unk replacement
SVG = "{http://www.w3.org/2000/svg}"


def write_history(params, name, start=6.0, steps=STEPS):
    """Write the history of a model whose test cost falls by 1 at each evaluation; its dev cost is 9."""
    tests = [f"{test}_cost" for test in params.sets.tests]
    lines = [",".join(["step", "dev_cost", *tests])]
    lines += [
        ",".join(map(str, [step, 9, *[start - k] * len(tests)])) for k, step in enumerate(steps)
    ]
    write_lines(Layout(params.experiment).model(name) / "history.csv", lines)


def write_lengths(params, name, plus=0.0):
    """Write scores of groups by length, 10 higher after unknown words are replaced."""
    lengths = [
        {"max_length": longest, "lines": 50, "before": value + plus, "after": value + plus + 10}
        for longest, value in GROUPS
    ]
    scores = scores_of(params, name, 10.0)
    for result in scores["sets"].values():
        result |= {"lines": 150, "lengths": lengths}
    write_json(Layout(params.experiment).scores(name), scores)


def write_all(params):
    for start, name in enumerate([*params.models, *params.ensembles]):
        write_history(params, name, 6.0 + start)
        write_lengths(params, name, start)


@pytest.fixture
def params(tmp_path, monkeypatch):
    """The demo's parameters, with made-up histories and scores of all its systems."""
    monkeypatch.chdir(tmp_path)
    params = paper_params()
    write_all(params)
    return params


def only(params, *names, **more):
    """Return the experiment with these models, those given as ``more``, and no ensemble."""
    models = {name: params.models[name] for name in names} | more
    return params.model_copy(update={"models": models, "ensembles": {}})


def curve(panel, model):
    return next(series for series in panel.series if series.model == model)


def drawn(panel):
    axes = Canvas().subplots()
    draw.draw_panel(axes, panel)
    return axes


def data_of(line):
    return [(float(x), float(y)) for x, y in zip(*line.get_data(), strict=True)]


def test_figure5_has_the_published_curves_beside_ours_in_one_order(params):
    figure = figure5(params)
    paper, ours = figure.panels
    assert (paper.title, ours.title) == ("The paper", "Ours (experiment demo, test1, seed 1)")
    for panel in figure.panels:
        assert [series.model for series in panel.series] == list(TABLE1)
        assert (panel.x_label, panel.y_label) == ("Mini-batches", "Test cost (ln perplexity)")
    assert [s.label for s in paper.series] == [s.label for s in ours.series]
    assert all(series.paper for series in paper.series)
    assert not any(series.paper for series in ours.series)
    assert len(paper.series[0].x) == 39
    assert max(paper.series[0].x) == 195_000


def test_figure5_ends_near_the_published_perplexities(params):
    """The paper's Table 1 and its Figure 5 show the same models."""
    paper = figure5(params).panels[0]
    for model, perplexity in zip(TABLE1, (10.6, 9.9, 8.1, 7.3, 6.4, 5.9), strict=True):
        assert min(curve(paper, model).y) == pytest.approx(log(perplexity), abs=0.35)


def test_our_curve_is_the_cost_of_the_first_test_set(params):
    for k, model in enumerate(params.models):
        if model in TABLE1:
            series = curve(figure5(params).panels[1], model)
            assert series.x == list(STEPS)
            assert series.y == [6.0 + k, 5.0 + k, 4.0 + k]


def test_several_seeds_are_averaged_where_they_all_have_a_point(params):
    second = params.models["base"].model_copy(update={"seed": 7})
    params = only(params, "base", base_2=second)
    write_history(params, "base_2", start=8.0, steps=(150, 200, 313))
    panel = figure5(params).panels[1]
    assert panel.title == "Ours (experiment demo, test1, mean of seeds 1, 7)"
    assert [(s.model, s.x, s.y) for s in panel.series] == [("base", [150, 313], [7.0, 5.0])]


def test_models_with_different_numbers_of_seeds_are_said_to_be_means(params):
    second = params.models["base"].model_copy(update={"seed": 7})
    params = only(params, "base", "base_reverse", base_2=second)
    write_history(params, "base_2")
    assert "means over a model's seeds" in figure5(params).panels[1].title


def test_systems_that_the_experiment_lacks_are_left_out_of_ours_only(params):
    paper, ours = figure5(only(params, "base_reverse", "gru_self")).panels
    assert len(paper.series) == 6
    assert [series.model for series in ours.series] == ["base_reverse"]


def test_a_figure_without_any_of_its_systems_is_not_drawn(params):
    assert figure5(only(params, "gru_self")) is None
    assert figure6(only(params, "gru_self", "base")) is None


def test_figure6_takes_the_kind_of_score_that_the_published_curve_shows(params):
    figure = figure6(params)
    paper, ours = figure.panels
    expected = ["base_reverse_dropout", "local_p_general_feed", "ensemble"]
    assert [series.model for series in ours.series] == expected
    assert [series.model for series in paper.series] == [None, None, *expected]
    for model, replaced in zip(expected, (0, 10, 10), strict=True):
        plus = [*params.models, *params.ensembles].index(model)
        series = curve(ours, model)
        assert series.x == [longest for longest, _ in GROUPS]
        assert series.y == [value + plus + replaced for _, value in GROUPS]
    source = "Paper: Luong et al. 2015, Figure 6, read off its vector drawing, newstest2014."
    assert str(figure.caption).endswith(source)
    assert "Ours: test1, 150 sentences, seed 1." in str(figure.caption)
    own = params.evaluation.length_group
    assert f"A group has 200 sentences in the paper and {own} in ours." in str(figure.caption)


def test_on_the_papers_set_published_and_own_curves_share_a_panel(params):
    params = paper_params("experiments/wmt14/params.yaml")
    write_all(params)
    figure = figure5(params)
    (panel,) = figure.panels
    assert panel.title == "newstest2014, seed 1"
    assert [series.paper for series in panel.series] == [True] * 6 + [False] * 6
    assert "Rings are the paper's, lines are ours." in str(figure.caption)
    lines = drawn(panel).get_lines()
    assert [line.get_linestyle() == "None" for line in lines] == [True] * 6 + [False] * 6
    assert [line.get_color() for line in lines[:6]] == [line.get_color() for line in lines[6:]]
    draw.write_figure(figure, Path("figures"))
    assert len(Path("figures/figure5.csv").read_text().splitlines()) == 1 + 6 * (39 + 3)


@pytest.mark.parametrize(("make", "number"), [(figure5, "Figure 5"), (figure6, "Figure 6")])
def test_the_lines_show_the_published_points_and_ours(params, make, number):
    figure = make(params)
    for panel in figure.panels:
        for line, series in zip(drawn(panel).get_lines(), panel.series, strict=True):
            assert data_of(line) == list(zip(series.x, series.y, strict=True))
            assert line.get_color() == draw.stroke(series).color
            assert line.get_linestyle() != "None"
    published = [point for line in drawn(figure.panels[0]).get_lines() for point in data_of(line)]
    assert published == [(point.x, point.y) for point in paper_curves(paper_params(), number)]


@pytest.mark.parametrize("make", [figure5, figure6])
def test_the_csv_has_the_points_that_are_drawn(params, make):
    figure = make(params)
    draw.write_figure(figure, Path("figures"))
    with Path(f"figures/{figure.name}.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    expected = [
        (panel.title, series.label, series.model or "", "yes" if series.paper else "no", x, y)
        for panel in figure.panels
        for series in panel.series
        for x, y in zip(series.x, series.y, strict=True)
    ]
    assert list(rows[0]) == ["panel", "series", "model", "paper", "x", "y"]
    written = [tuple(row.values()) for row in rows]
    assert [(*row[:4], float(row[4]), float(row[5])) for row in written] == expected


def test_a_system_looks_the_same_everywhere_and_no_two_look_alike(params):
    panels = [*figure5(params).panels, *figure6(params).panels]
    looks = {}
    for series in (series for panel in panels for series in panel.series):
        look = draw.stroke(series), draw.system_key(series)
        assert looks.setdefault(series.model or series.label, look) == look
    assert len(set(looks.values())) == len({key for _, key in looks.values()}) == len(looks) == 9
    for panel in panels:
        assert len({draw.stroke(series) for series in panel.series}) == len(panel.series)


def test_a_figure_has_the_same_bytes_whatever_the_users_settings(params):
    figure = figure5(params)
    draw.write_figure(figure, Path("a"))
    time.sleep(1.1)  # dates count in seconds
    with matplotlib.rc_context({"lines.linewidth": 9, "svg.hashsalt": "other"}):
        draw.write_figure(figure, Path("b"))
    files = sorted(path.name for path in Path("a").iterdir())
    assert files == ["figure5.csv", "figure5.pdf", "figure5.svg"]
    for file in files:
        assert Path("a", file).read_bytes() == Path("b", file).read_bytes()


def test_the_svg_file_names_every_system_as_text(params):
    draw.write_figure(figure5(params), Path("figures"))
    root = ElementTree.parse("figures/figure5.svg").getroot()
    texts = [element.text for element in root.iter(f"{SVG}text")]
    for series in figure5(params).panels[0].series:
        assert texts.count(series.label) == 1
    assert "Ours (experiment demo, test1, seed 1)" in texts


def test_panels_on_one_page_do_not_interfere(params):
    figures = [figure5(params), figure6(params)]
    drawings = [
        ElementTree.fromstring(draw.panel_svg(panel, f"{figure.name}-{k}"))
        for figure in figures
        for k, panel in enumerate(figure.panels)
    ]
    ids = [element.get("id") for root in drawings for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for root in drawings:
        assert root.get("viewBox") == "0 0 420 300"
        assert root.get("width") is root.get("height") is None
        assert list(root.iter(f"{SVG}style")) == []  # a style would apply to the whole page
        text = ElementTree.tostring(root, encoding="unicode")
        used = re.findall(r'(?:href="|url\()#([^")]+)', text)
        assert used
        assert set(used) <= set(ids)
        assert "currentColor" in text
        assert "var(--grid)" in text
        assert not {draw.INK, draw.GRID, "#000000", "#ffffff"} & set(
            re.findall("#[0-9a-f]{6}", text)
        )


def test_a_systems_groups_can_be_found_in_every_panel(params):
    figure = figure5(only(params, "base_reverse", "local_p_general_feed"))
    for k, panel in enumerate(figure.panels):
        root = ElementTree.fromstring(draw.panel_svg(panel, f"p{k}"))
        keys_in_drawing = {
            g.get("id"): g.get("data-series") for g in root.iter() if g.get("data-series")
        }
        keys = {f"p{k}-s{n}": draw.system_key(series) for n, series in enumerate(panel.series)}
        assert keys_in_drawing == keys
        for n, series in enumerate(panel.series):
            group = next(g for g in root.iter() if g.get("id") == f"p{k}-s{n}")
            assert draw.stroke(series).color.lower() in ElementTree.tostring(
                group, encoding="unicode"
            )


def test_markup_and_formulas_in_a_title_stay_text(params):
    series = Series("Base", "base", False, [1.0, 2.0], [1.0, 2.0], 0)
    panel = Panel('a < b & "c"', "$x$ <y>", "z", [series])
    root = ElementTree.fromstring(draw.panel_svg(panel, "p"))
    assert "$x$ <y>" in [element.text for element in root.iter(f"{SVG}text")]
    assert root.get("aria-label") == 'a < b & "c": z against $x$ <y>'


def test_a_curve_of_one_point_is_visible():
    (line,) = drawn(Panel("", "", "", [Series("Base", "base", False, [1], [1], 0)])).get_lines()
    assert line.get_marker() != "None"


def test_missing_inputs_are_named(params):
    path = Layout("demo").scores("ensemble")
    write_json(path, scores_of(params, "ensemble", 10.0))
    with pytest.raises(InputError, match=r"scores/demo/ensemble.json: no groups by length; run"):
        figure6(params)
    scores = scores_of(params, "base", 10.0)
    scores["sets"] = {"test2": scores["sets"]["test2"]}
    write_json(Layout("demo").scores("base"), scores)
    with pytest.raises(
        InputError, match=r"scores/demo/base.json: no scores of 'test1'; run evaluate"
    ):
        figure5(params)
    history = Layout("demo").model("base_reverse") / "history.csv"
    write_lines(history, ["step,dev_cost", "1,2"])
    with pytest.raises(InputError, match=r"history.csv:1: no column 'test1_cost'; train"):
        figure5(params)
    history.unlink()
    with pytest.raises(InputError, match=r"base_reverse/history.csv: no such file; train"):
        figure5(params)
