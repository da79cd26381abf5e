"""The published numbers, and the rows of systems.yaml that they are joined to."""

import csv
from itertools import pairwise

import pytest
from papers import ROOT, TABLES, paper_params, paper_rows

from attnmt.config import ALIGNER, load_params
from attnmt.reporting.paper import PUBLISHED, Row, marked, paper_curves, paper_set, table_rows


def test_all_the_published_numbers_are_there():
    count = {"table1": 12, "table2": 2, "table3": 7, "table4": 10, "table6": 5, "table_gru": 4}
    assert {table: len(paper_rows(table)) for table in count} == count
    assert [row.number("aer") for row in paper_rows("table6")] == [0.39, 0.34, 0.36, 0.34, 0.32]
    gru = [row.number("bleu") for row in paper_rows("table_gru")]
    assert gru == [19.97, 18.81, 6.94, None]
    assert all(row.set for table in TABLES for row in paper_rows(table))
    assert paper_set("table3") == "newstest2015"


@pytest.mark.parametrize("name", ["tables.csv", "figures.csv"])
def test_every_published_line_has_a_row(name):
    with (PUBLISHED / name).open(newline="", encoding="utf-8") as stream:
        lines = {(line.get("table", "table1"), line["row"]) for line in csv.DictReader(stream)}
    assert lines <= {(table, row.key) for table in TABLES for row in paper_rows(table)}


@pytest.mark.parametrize("table", ["table1", "table3"])
def test_printed_gains_are_those_over_the_baselines(table):
    rows = {row.key: row for row in paper_rows(table)}
    for row in rows.values():
        if row.gain:
            gain = row.number("bleu") - rows[row.over].number("bleu")
            assert gain == pytest.approx(float(row.gain))


@pytest.mark.parametrize("table", ["table1", "table3", "table6", "table_gru"])
def test_the_papers_gains_count_from_the_row_above(table):
    for above, row in pairwise(paper_rows(table)):
        assert row.over in (above.key, None)


def test_table_4_keeps_the_printed_gains_and_the_one_that_does_not_add_up():
    rows = [row for row in paper_rows("table4") if row.gain]
    odd = [
        row.system
        for row in rows
        if row.number("bleu_unk") - row.number("bleu") != pytest.approx(float(row.gain))
    ]
    assert (len(rows), odd) == (6, ["local-p (dot)"])


def test_cells_that_are_not_numbers_stay_as_printed():
    row = next(row for row in paper_rows("table4") if row.system == "local-m (dot)")
    assert row.printed == {"ppl": ">7.0", "bleu": "x", "bleu_unk": "x"}
    assert row.number("ppl") is row.number("bleu") is row.number("aer") is None


@pytest.mark.parametrize("file", ["params.yaml", "experiments/wmt14/params.yaml"])
def test_every_system_of_a_published_row_is_trained(file):
    params = load_params(ROOT / file, ROOT)
    named = {row.model for table in TABLES for row in paper_rows(table)} - {None}
    assert named <= params.models.keys() | params.ensembles.keys() | {ALIGNER}


def test_each_differing_recipe_is_marked_with_a_sign_of_its_own():
    params = paper_params("experiments/wmt14/params.yaml")
    rows = table_rows(params, "table1")
    assert {row.key: row.mark for row in rows if row.mark} == {"base": "†", "reverse": "†"}
    assert next(row for row in rows if row.key == "base").system == "Base†"
    assert next(row for row in rows if row.key == "base").label == "Base"
    assert not any(row.mark for row in table_rows(params, "table4"))
    longer = params.models["base_reverse"].model_copy(update={"epochs": 99})
    params = params.model_copy(update={"models": params.models | {"base_reverse": longer}})
    assert [row.mark for row in table_rows(params, "table1")[4:7]] == ["†", "‡", ""]


def test_an_ensemble_is_marked_if_a_member_is():
    params = paper_params()
    members = params.ensembles["ensemble"].members
    other = params.models[members[0]].model_copy(update={"epochs": 1})
    params = params.model_copy(update={"models": params.models | {members[0]: other}})
    names = [*members, "ensemble"]
    rows = marked(params, [Row(name, name, name) for name in names])
    assert [row.mark for row in rows] == ["†", *[""] * 7, "‡"]


def test_figure_5_has_six_curves_of_39_points():
    points = paper_curves(paper_params(), "Figure 5")
    models = {p.row.model for p in points}
    curves = {model: [p for p in points if p.row.model == model] for model in models}
    assert {len(curve) for curve in curves.values()} == {39}
    assert len(curves) == 6
    base = curves["base"]
    assert (base[0].x, base[0].y) == (5000, 5.583)
    assert (base[0].row.system, base[0].row.replaced) == ("Base", False)
    for curve in curves.values():
        assert [point.x for point in curve] == [5000.0 * k for k in range(1, 40)]
    assert all("Figure 5" in point.source for point in points)


def test_figure_6_has_five_curves_and_two_are_other_peoples():
    points = paper_curves(paper_params(), "Figure 6")
    curves = {
        key: [p for p in points if p.row.key == key]
        for key in dict.fromkeys(p.row.key for p in points)
    }
    assert [len(curve) for curve in curves.values()] == [14] * 5
    models = [(curve[0].row.model, curve[0].row.replaced) for curve in curves.values()]
    ours = {("base_reverse_dropout", False), ("local_p_general_feed", True), ("ensemble", True)}
    assert set(models) == ours | {(None, False), (None, True)}
    lengths = [8, 10, 12, 14, 16, 18, 19, 22, 24, 27, 30, 34, 42, 75]
    assert all([point.x for point in curve] == lengths for curve in curves.values())
    assert paper_curves(paper_params(), "Figure 7") == []
