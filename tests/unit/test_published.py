"""The published numbers, and the rows of systems.yaml that they are joined to."""

from collections import Counter

import pytest
from made_report import made_params

from attnmt.config import ALIGNER
from attnmt.reporting.rows import table_rows
from attnmt.scoring import published
from attnmt.scoring.published import published_lines
from attnmt.scoring.score_table import ScoreTable

PARAMS = made_params()
LINES = list(published_lines(PARAMS))
PAPER = [f"experiments/{x}/params.yaml" for x in ("wmt14", "europarl", "captions-strong")]


def values(table, metric, kind="system"):
    rows = [line for line in LINES if line.row.startswith(f"{table}/") and line.kind == kind]
    return {line.row: line.value for line in rows if line.metric == metric}


def test_all_the_published_numbers_are_there():
    rows = Counter(row.split("/")[0] for row in {line.row for line in LINES})
    tables = {"table1": 12, "table2": 2, "table3": 7, "table4": 10, "table6": 5, "table_gru": 4}
    assert rows == tables
    assert list(values("table6", "aer").values()) == [0.39, 0.34, 0.36, 0.34, 0.32]
    assert list(values("table_gru", "bleu").values()) == [19.97, 18.81, 6.94, None]
    assert {line.script for line in LINES if line.row.startswith("table2/")} == {"nist"}
    assert all(line.set and line.source for line in LINES)
    assert {line.note for line in LINES if line.row == "table4/local_m_dot"} == {">7.0", "x"}


def test_an_experiment_has_the_published_numbers_of_its_own_tables():
    (line,) = published_lines(made_params(file="experiments/captions-strong/params.yaml"))
    assert (line.set, line.script, line.value) == ("test_2016_flickr", "lowercased", 39.0)


def test_every_published_line_has_a_row_and_every_row_its_system():
    """Otherwise a number would be left out without a word."""
    rows = {(one.table, one.row) for one in published._tables()}
    rows |= {("table1", point.row) for point in published._figures()}
    assert rows <= {(name, key) for name, table in PARAMS.tables.items() for key in table.rows}
    for files in (["params.yaml"], PAPER):
        every = [made_params(file=file) for file in files]
        trained = {name for params in every for name in (*params.trainings, *params.ensembles)}
        lines = (line for params in every for line in published_lines(params))
        assert {line.system for line in lines} - {None, ALIGNER} <= trained


def test_printed_gains_are_those_over_the_row_that_systems_yaml_names():
    """In Table 4 they are those by replacement, and one of them does not add up."""
    numbers, odd = ScoreTable(LINES), []
    for table in ("table1", "table3", "table4"):
        rows, gains = (
            {row.key: row for row in table_rows(PARAMS, table)},
            values(table, "bleu", "gain"),
        )
        assert len(gains) >= 4
        for key, gain in gains.items():
            row = rows[key.split("/")[1]]
            over = row if table == "table4" else rows[row.over]
            after = row.replaced or table == "table4"
            ours = numbers.paper(key, "bleu", "after" if after else "before")
            other = numbers.paper(
                f"{table}/{over.key}", "bleu", "after" if over.replaced else "before"
            )
            if gain != pytest.approx(ours.value - other.value):
                odd.append((key, gain))
    assert odd == [("table4/local_p_dot", 1.9)]
