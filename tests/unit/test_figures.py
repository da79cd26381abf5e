"""Figures 5 and 6: the paper's points beside our curves, and the files that show them."""

import csv
from math import log, nextafter
from pathlib import Path
from xml.etree import ElementTree

import pytest
from made_report import (
    least_letters,
    made_line,
    made_numbers,
    made_params,
    of_own_text,
    write_report,
)
from matplotlib.figure import Figure as Canvas

from attnmt.errors import InputError
from attnmt.files.text_file import write_lines
from attnmt.layout import Layout
from attnmt.reporting import draw
from attnmt.reporting.canvas import save
from attnmt.reporting.curves import figure5, figure6, paper_curves
from attnmt.scoring.score_table import ScoreTable

TABLE1 = ["base", "base_reverse", "base_reverse_dropout"]
TABLE1 += ["global_location", "global_location_feed", "local_p_general_feed"]


@pytest.fixture
def params(tmp_path, monkeypatch):
    """The systems of Figure 5 with their learning curves, and one of another table."""
    monkeypatch.chdir(tmp_path)
    return write_report([*TABLE1, "gru_self"])


def curve(panel, model):
    return next(series for series in panel.series if series.model == model)


def drawn(panel):
    axes = Canvas().subplots()
    draw.draw_panel(axes, panel)
    return axes.get_lines()


def test_figure_5_has_the_published_curves_beside_ours_in_one_order(params):
    paper, ours = figure5(params).panels
    for panel in (paper, ours):
        assert [series.model for series in panel.series] == TABLE1
    # The paper's Table 1 and its Figure 5 show the same models.
    for model, perplexity in zip(TABLE1, (10.6, 9.9, 8.1, 7.3, 6.4, 5.9), strict=True):
        assert min(curve(paper, model).y) == pytest.approx(log(perplexity), abs=0.35)
    for k, model in enumerate(TABLE1):  # the cost of the first test set
        assert curve(ours, model).x == [100, 200, 300]
        assert curve(ours, model).y == pytest.approx([k + 10, k + 5, k + 3.333])


def test_seeds_are_averaged_where_they_all_have_a_point(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    params = write_report(["base"], seeds=2)
    path = Layout("demo").model("base_2") / "history.csv"
    write_lines(path, ["step,test1_cost", "100,12.0", "250,9.0", "300,5.0"])
    (ours,) = figure5(params).panels[1].series
    assert (ours.model, ours.x) == ("base", [100, 300])
    assert ours.y == pytest.approx([11, (3.333 + 5) / 2])


def test_systems_that_the_experiment_lacks_are_left_out_of_ours_only(params):
    paper, ours = figure5(made_params("base_reverse")).panels
    assert len(paper.series) == 6
    assert [series.model for series in ours.series] == ["base_reverse"]
    alone = made_params("base")
    assert figure5(made_params("gru_self")) is figure6(alone, made_numbers(alone)) is None


def test_figure_6_takes_the_kind_of_score_that_the_published_curve_shows():
    params = made_params()
    names = [*params.trainings, *params.ensembles]
    paper, ours = figure6(params, made_numbers(params)).panels
    expected = ["base_reverse_dropout", "local_p_general_feed", "ensemble"]
    assert [series.model for series in ours.series] == expected
    assert [series.model for series in paper.series] == [None, None, *expected]
    for model, replaced in zip(expected, (0, 2, 2), strict=True):
        first = 10 + names.index(model) + replaced
        series = curve(ours, model)
        assert (series.x, series.y) == ([5, 10, 15], [first + 1, first + 2, first + 3])


def test_groups_with_equally_long_references_are_one_point_of_figure_6():
    params = of_own_text(made_params())
    numbers = made_numbers(params)
    lines = [
        line.model_copy(update={"max_words": 5}) if line.max_words == 10 else line
        for line in numbers.lines
    ]
    before, after = (figure6(params, one).panels[0].series for one in (numbers, ScoreTable(lines)))
    for old, new in zip(before, after, strict=True):
        assert new.x == [5, 15]
        assert new.y == [(old.y[0] + old.y[1]) / 2, old.y[2]]


@pytest.mark.parametrize("number", ["Figure 5", "Figure 6"])
def test_the_lines_and_the_csv_have_the_published_points_and_ours(params, number):
    figure = figure5(params) if number == "Figure 5" else figure6(params, made_numbers(params))
    expected, published = [], []
    for panel in figure.panels:
        for line, series in zip(drawn(panel), panel.series, strict=True):
            points = list(zip(series.x, series.y, strict=True))
            assert list(zip(*line.get_data(), strict=True)) == points
            published += points if panel is figure.panels[0] else []
            key = (panel.title, series.label, series.model or "")
            expected += [(*key, x, round(y, 4)) for x, y in points]
    assert published == [(p.x, p.y) for _, curve in paper_curves(params, number) for p in curve]
    draw.write_figure(figure, Path("figures"))
    path = Path("figures") / f"{figure.name}.svg"
    width = ElementTree.parse(path).getroot().get("width")
    assert float(width.removesuffix("pt")) / 72 == pytest.approx(3.3)  # a column of a paper
    assert least_letters(path) == 7
    with path.with_suffix(".csv").open(newline="") as stream:
        head, *rows = csv.reader(stream)
    assert head == ["panel", "series", "model", "x", "y"]
    assert [(*row[:3], float(row[3]), float(row[4])) for row in rows] == expected


def test_missing_groups_of_sentences_are_named(params):
    few = ScoreTable([made_line("base_reverse_dropout", "bleu", 3.0, set="test1")])
    with pytest.raises(InputError, match=r"scores.csv: .* base_reverse_dropout "):
        figure6(params, few)


def test_a_layout_that_differs_in_its_last_bit_gives_the_same_file(tmp_path):
    """Its numbers are rounded when they are written; matplotlib's ids would show the difference."""
    for name, left in (("one", 0.1), ("other", nextafter(0.1, 1.0))):
        canvas = Canvas()
        canvas.add_axes((left, 0.1, 0.8, 0.8)).plot([0, 1], [1, 0], marker="o")
        save(canvas, tmp_path / name)
    texts = [(tmp_path / name).with_suffix(".svg").read_text() for name in ("one", "other")]
    assert texts[0] == texts[1]
    assert "url(#d" in texts[0]  # the axes clip the line
