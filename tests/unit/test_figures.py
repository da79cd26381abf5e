"""Figures 5 and 6: the paper's points beside our curves, and the files that show them."""

import csv
from math import log
from pathlib import Path
from xml.etree import ElementTree

import pytest
from made_report import (
    least_letters,
    made_numbers,
    made_params,
    write_report,
)
from matplotlib.figure import Figure as Canvas

from attnmt.files.text_file import write_lines
from attnmt.layout import Layout
from attnmt.reporting import draw
from attnmt.reporting.curves import figure5, figure6, paper_curves

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
