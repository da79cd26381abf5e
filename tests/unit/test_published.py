"""The published numbers, and the rows of systems.yaml that they are joined to."""

from collections import Counter
from itertools import groupby

import pytest
from made_report import made_params

from attnmt.config import ALIGNER
from attnmt.errors import InputError
from attnmt.reporting import published
from attnmt.reporting.published import PUBLISHED, paper_curves, paper_set, published_lines
from attnmt.reporting.rows import Row, marked, table_rows
from attnmt.scoring.numbers import Numbers

PARAMS = made_params()
LINES = list(published_lines(PARAMS))
PAPER = "experiments/wmt14/params.yaml"


def of_table(table, kind="system"):
    return [
        line for line in LINES if (line.row or "").startswith(f"{table}/") and line.kind == kind
    ]


def values(table, metric):
    return [line.value for line in of_table(table) if line.metric == metric]


def test_all_the_published_numbers_are_there():
    rows = Counter(line.row.split("/")[0] for line in {line.row: line for line in LINES}.values())
    tables = {"table1": 12, "table2": 2, "table3": 7, "table4": 10, "table6": 5, "table_gru": 4}
    assert rows == tables
    assert values("table6", "aer") == [0.39, 0.34, 0.36, 0.34, 0.32]
    assert values("table_gru", "bleu") == [19.97, 18.81, 6.94, None]
    assert {line.script for line in of_table("table2")} == {"nist"}
    assert all(line.set and line.source.startswith(("Luong", "Neural")) for line in LINES)
    assert (paper_set("table1"), paper_set("table3")) == ("newstest2014", "newstest2015")


def test_every_published_line_has_a_row_and_every_row_its_system():
    """Otherwise a number would be left out without a word."""
    rows = {(one.table, one.row) for one in published._tables()}
    rows |= {("table1", point.row) for point in published._figures()}
    known = {(table, key) for table, keyed in PARAMS.rows.items() for key in keyed}
    assert rows <= known
    for file in ("params.yaml", PAPER):
        params = made_params(file=file)
        named = {line.system for line in published_lines(params)} - {None, ALIGNER}
        assert named <= params.models.keys() | params.ensembles.keys()


@pytest.mark.parametrize("table", ["table1", "table3"])
def test_printed_gains_are_those_over_the_row_that_systems_yaml_names(table):
    numbers, rows = Numbers(LINES), {row.key: row for row in table_rows(PARAMS, table)}
    gains = of_table(table, "gain")
    assert len(gains) >= 4
    for gain in gains:
        row = rows[str(gain.row).split("/")[1]]
        over = rows[str(row.over)]
        ours, other = (
            numbers.paper(f"{table}/{one.key}", "bleu", "after" if one.replaced else "before")
            for one in (row, over)
        )
        assert gain.value == pytest.approx(ours.value - other.value)


def test_table_4_keeps_the_printed_gains_and_the_one_that_does_not_add_up():
    numbers, odd = Numbers(LINES), []
    for gain in of_table("table4", "gain"):
        after, before = (numbers.paper(gain.row, "bleu", how) for how in ("after", "before"))
        if gain.value != pytest.approx(after.value - before.value):
            odd.append((gain.row, gain.value))
    assert odd == [("table4/local_p_dot", 1.9)]


def test_figure_5_has_six_curves_of_39_points():
    points = paper_curves(PARAMS, "Figure 5")
    curves = [list(curve) for _, curve in groupby(points, lambda point: point.row.key)]
    assert [len(curve) for curve in curves] == [39] * 6
    assert all(
        [point.x for point in curve] == [5000.0 * k for k in range(1, 40)] for curve in curves
    )
    assert (points[0].row.system, points[0].row.label, points[0].y) == ("base", "Base", 5.583)
    assert all("Figure 5" in point.source for point in points)


def test_figure_6_has_five_curves_and_two_are_other_peoples():
    points = paper_curves(PARAMS, "Figure 6")
    curves = [list(curve) for _, curve in groupby(points, lambda point: point.row.key)]
    lengths = [8, 10, 12, 14, 16, 18, 19, 22, 24, 27, 30, 34, 42, 75]
    assert [[point.x for point in curve] for curve in curves] == [lengths] * 5
    systems = [(curve[0].row.system, curve[0].row.replaced) for curve in curves]
    ours = {("base_reverse_dropout", False), ("local_p_general_feed", True), ("ensemble", True)}
    assert set(systems) == ours | {(None, False), (None, True)}
    assert paper_curves(PARAMS, "Figure 7") == []


def test_each_differing_recipe_is_marked_with_a_sign_of_its_own():
    params = made_params(file=PAPER)
    marks = {row.key: row.mark for row in table_rows(params, "table1")}
    assert {key for key, mark in marks.items() if mark == "†"} == {"base", "reverse"}
    assert not any(row.mark for row in table_rows(params, "table4"))
    longer = params.models["base_reverse"].model_copy(update={"epochs": 99})
    params = params.model_copy(update={"models": params.models | {"base_reverse": longer}})
    marks = {row.key: row.mark for row in table_rows(params, "table1")}
    assert (marks["base"], marks["reverse"], marks["dropout"]) == ("†", "‡", "")


def test_an_ensemble_is_marked_if_a_member_is():
    members = PARAMS.ensembles["ensemble"].members
    other = PARAMS.models[members[0]].model_copy(update={"epochs": 1})
    params = PARAMS.model_copy(update={"models": PARAMS.models | {members[0]: other}})
    rows = marked(params, [Row(name, name, name) for name in [*members, "ensemble"]])
    assert [row.mark for row in rows] == ["†", *[""] * 7, "‡"]


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """Return a folder with copies of the files, which are read in place of them."""
    for name in ("tables.csv", "figures.csv"):
        (tmp_path / name).write_text((PUBLISHED / name).read_text(encoding="utf-8"))
    monkeypatch.setattr(published, "PUBLISHED", tmp_path)
    caches = published._tables, published._figures
    for cache in caches:
        cache.cache_clear()
    yield tmp_path
    for cache in caches:
        cache.cache_clear()


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("tables.csv", "10.6,11.3", "10.6,?11.3", r"tables.csv:6: bleu: "),
        ("tables.csv", "+1.3", "+1.3x", r"tables.csv:7: gain: "),
        ("tables.csv", "base,newstest2014", "base,", r"tables.csv:6: set: "),
        ("tables.csv", "ppl,bleu,", "bleu,ppl,", r"tables.csv:1: the columns must be table, row"),
        ("figures.csv", "5000,5.583", "5000,high", r"figures.csv:2: y: "),
        ("figures.csv", "5000,5.583,", "5000,5.583,,", r"figures.csv:2: 6 cells in 5 columns"),
        ("tables.csv", ',+1.3,"Luong et al. 2015, Table 1"', ",", r"tables.csv:7: 8 cells in 9"),
    ],
)
def test_a_damaged_cell_is_named_with_line_and_column(copy, file, old, new, message):
    text = (copy / file).read_text(encoding="utf-8")
    assert old in text
    (copy / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=message + r".*git checkout"):
        list(published_lines(PARAMS)) if file == "tables.csv" else paper_curves(PARAMS, "Figure 5")
