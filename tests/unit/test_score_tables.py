"""The tables of scores: each cell is a number of scores.csv, beside the paper's; gains and verdicts."""

import pytest
from made_report import changed, made_numbers, made_params

from attnmt.config import TableEntry, TableRow
from attnmt.config.model import Overrides
from attnmt.reporting.table import Interval
from attnmt.reporting.tables import make_tables

PARAMS = made_params()
NUMBERS = made_numbers(PARAMS)
PAPER = "experiments/wmt14/params.yaml"  # whose first test set is the paper's
BEST = "local_p_general_feed"
LOCAL_M = "local_m_general_feed"
AT = {name: k for k, name in enumerate(PARAMS.trainings)}
LATER = AT[LOCAL_M] - AT["global_location_feed"]


def tables_of(params, numbers):
    return {table.name: table for table in make_tables(params, numbers)}


TABLES = tables_of(PARAMS, NUMBERS)


def cells(table, row, *headings):
    """Return cells of a row; None for a column that the table does not have."""
    return [table.cell(row, h) if h in table.headings else None for h in headings]


@pytest.mark.parametrize(
    ("table", "row", "expected"),
    [
        ("table1", "reverse", {"BLEU": 11.0, "gain": 1.0, "p": 0.01, "gain over": "Base"}),
        ("table1", "reverse", {"gain, 95%": Interval(0.5, 1.5), "paper gain": 1.3}),
        ("table1", "reverse", {"set": "test1", "lines": 500.0}),
        ("table1", "local_p_unk", {"BLEU": 12.0 + AT[BEST], "gain": 2.0, "paper gain": 1.9}),
        ("table2", "ensemble", {"BLEU": 11.5 + len(AT), "gain": None, "set": "test2"}),  # NIST's
        # One printed gain of Table 4 is not the difference of the printed scores.
        ("table4", "local_p_dot", {"paper gain": 1.9, "gain": 2.0, "gain over": None}),
        ("table4", "local_m_dot", {"paper ppl": ">7.0", "paper BLEU": "x", "paper gain": None}),
        # No gain was printed in the others, so it is the difference of what was printed.
        ("table6", "local_m_general", {"paper gain": -0.05, "gain over": "global (location)"}),
        ("table6", "local_m_general", {"paper AER": 0.34, "gain": -LATER / 100}),
        ("table6", "local_m_general", {"AER": 0.25 - AT[LOCAL_M] / 100, "links": "gold"}),
        ("table6", "aligner", {"AER": 0.25}),
        ("table6", "diagonal", {"AER": 0.56, "gain": None}),
        ("table_bpe", "subwords", {"gain": AT[f"{BEST}_bpe"] - AT[BEST], "ppl": None}),
    ],
)
def test_a_row_has_its_numbers_and_the_gain_over_the_row_that_it_names(table, row, expected):
    found = dict(zip(expected, cells(TABLES[table], row, *expected), strict=True))
    assert found == {
        key: pytest.approx(value) if isinstance(value, float) else value
        for key, value in expected.items()
    }


def test_a_table_of_ones_own_is_an_entry_with_rows_and_a_script():
    rows = {name: TableRow(label=name, system=name) for name in ("base", BEST)}
    own = {"title": "Mine", "caption": "", "columns": ["chrf", "bleu"], "script": "sacrebleu"}
    params = PARAMS.model_copy(update={"tables": {"mine": TableEntry(**own, rows=rows)}})
    table = tables_of(params, NUMBERS)["mine"]
    chrf = NUMBERS.system(BEST, "chrf", "test1", None, "before").value
    assert cells(table, BEST, "chrF2", "BLEU", "gain") == [chrf, 9.75 + AT[BEST], None]


@pytest.mark.parametrize(
    ("seeds", "gain", "p", "published", "word"),
    [
        (2, 2.6, 0.049, True, "same order"),
        (2, -4.0, 0.049, True, "other order"),
        (2, 2.6, 0.05, True, "within noise"),
        (2, 2.6, None, True, None),
        (2, 2.6, 0.049, False, "higher"),
        (2, -4.0, 0.049, False, "lower"),
        (1, 2.6, 0.049, True, None),  # one seed has no verdict
    ],
)
def test_on_another_text_the_verdict_is_about_the_gain(seeds, gain, p, published, word):
    params = made_params("base", "base_reverse", seeds=seeds)
    numbers = made_numbers(params, published)
    names = ("base_reverse", "base")
    sides = [numbers.system(name, "bleu", "test1", "tokenized", "before") for name in names]
    numbers = changed(numbers, numbers.gain(*sides), value=gain, p=p)
    table = tables_of(params, numbers)["table1"]
    assert cells(table, "reverse", "verdict", "gain", "p") == [word, gain, p]
    assert cells(table, "base", "verdict", "difference") == [None, None]


@pytest.mark.parametrize(
    ("seeds", "value", "word"),
    [
        *((2, 11.3, "agrees"), (2, 12.3, "agrees"), (2, 12.4, "higher"), (2, 10.2, "lower")),
        (1, 12.4, None),
    ],
)
def test_on_the_papers_text_the_verdict_is_about_the_number(seeds, value, word):
    params = made_params("base", "base_reverse", seeds=seeds, file=PAPER)
    numbers = made_numbers(params)
    line = numbers.system("base", "bleu", "newstest2014", "tokenized", "before")
    numbers = changed(numbers, line, value=value, low=value - 1, high=value + 1)
    table = tables_of(params, numbers)["table1"]
    assert cells(table, "base", "verdict", "difference") == [word, round(value - 11.3, 6)]


def test_what_an_experiment_overrides_stands_in_a_column():
    overrides = {name: Overrides(learning_rate=0.5) for name in ("base_reverse", BEST)}
    tables = tables_of(PARAMS.model_copy(update={"overrides": overrides}), NUMBERS)
    found = [cells(tables["table1"], row, "settings") for row in ("base", "reverse", "ensemble")]
    assert found == [[None], ["learning_rate 0.5"], ["learning_rate 0.5"]]
    assert "settings" not in tables["table_gru"].headings


def test_an_experiment_has_the_tables_and_numbers_of_what_it_trains():
    params = made_params("base_reverse_dropout", BEST)
    tables = tables_of(params, made_numbers(params))
    assert PARAMS.tables.keys() & tables == {"table1", "table4", "table6"}
    assert cells(tables["table1"], "base", "paper BLEU", "BLEU", "gain") == [11.3, None, None]
    only = made_params(f"{BEST}_bpe")
    assert not PARAMS.tables.keys() & tables_of(only, made_numbers(only))
