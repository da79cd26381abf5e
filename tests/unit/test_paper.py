"""The published numbers, and which of our systems answers to each."""

from itertools import pairwise
from pathlib import Path

import pytest

from attnmt.config import load_params
from attnmt.reporting.paper import ALIGNER, paper_curves, paper_rows

ROOT = Path(__file__).parents[2]


def test_the_published_numbers_are_all_there():
    count = {"Table 1": 12, "Table 2": 2, "Table 3": 7, "Table 4": 10, "Table 6": 5, "GRU table": 4}
    assert {title: len(paper_rows(title)) for title in count} == count
    assert len(paper_rows()) == sum(count.values())
    assert [row.number("aer") for row in paper_rows("Table 6")] == [0.39, 0.34, 0.36, 0.34, 0.32]
    gru = [row.number("bleu") for row in paper_rows("GRU table")]
    assert gru == [19.97, 18.81, 6.94, None]
    assert all(row.source and row.set for row in paper_rows())


@pytest.mark.parametrize("title", ["Table 1", "Table 3"])
def test_printed_gains_are_those_over_the_row_above(title):
    for above, row in pairwise(paper_rows(title)):
        if row.gain:
            assert row.number("bleu") - above.number("bleu") == pytest.approx(float(row.gain))


def test_table_4_has_its_gains_as_printed_one_of_them_odd():
    rows = [row for row in paper_rows("Table 4") if row.gain]
    odd = [
        row.system
        for row in rows
        if row.number("bleu_unk") - row.number("bleu") != pytest.approx(float(row.gain))
    ]
    assert (len(rows), odd) == (6, ["local-p (dot)"])


def test_cells_that_are_no_numbers_stay_as_printed():
    row = next(row for row in paper_rows("Table 4") if row.system == "local-m (dot)")
    assert row.printed == {"ppl": ">7.0", "bleu": "x", "bleu_unk": "x"}
    assert row.number("ppl") is row.number("bleu") is row.number("aer") is None


@pytest.mark.parametrize("file", ["params.yaml", "experiments/wmt14/params.yaml"])
def test_every_model_of_the_paper_file_is_one_of_the_experiment(file):
    params = load_params(ROOT / file, ROOT)
    named = {row.model for row in paper_rows()} - {None}
    assert named <= params.models.keys() | params.ensembles.keys() | {ALIGNER}


def test_figure_5_has_six_curves_of_39_points():
    points = paper_curves("Figure 5")
    curves = {model: [p for p in points if p.model == model] for model in {p.model for p in points}}
    assert {len(curve) for curve in curves.values()} == {39}
    assert len(curves) == 6
    base = curves["base"]
    assert (base[0].x, base[0].y, base[0].system, base[0].replaced) == (5000, 5.583, "Base", False)
    for curve in curves.values():
        assert [point.x for point in curve] == [5000.0 * k for k in range(1, 40)]
    assert all("Figure 5" in point.source for point in points)


def test_figure_6_has_five_curves_two_of_other_people():
    points = paper_curves("Figure 6")
    curves = {
        system: [p for p in points if p.system == system]
        for system in dict.fromkeys(p.system for p in points)
    }
    assert [len(curve) for curve in curves.values()] == [14] * 5
    models = [(curve[0].model, curve[0].replaced) for curve in curves.values()]
    ours = {("base_reverse_dropout", False), ("local_p_general_feed", True), ("ensemble", True)}
    assert set(models) == ours | {(None, False), (None, True)}
    lengths = [8, 10, 12, 14, 16, 18, 19, 22, 24, 27, 30, 34, 42, 75]
    assert all([point.x for point in curve] == lengths for curve in curves.values())
    assert paper_curves("Figure 7") == []
