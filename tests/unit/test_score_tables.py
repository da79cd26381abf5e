"""The tables of scores: each cell is a number of scores.csv, beside the paper's; gains and verdicts."""

import pytest
import yaml
from made_report import ROOT, changed, made_numbers, made_params, with_rows

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
        ("table1", "winner", {"gain": None, "gain over": None, "set": None}),
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
        ("table_gru", "self", {"paper gain": -11.87, "gain over": "multiplicative"}),
        ("table_bpe", "subwords", {"gain": AT[f"{BEST}_bpe"] - AT[BEST], "ppl": None}),
        ("table_faults", "together", {"gain over": f"{BEST} (no fault)"}),
    ],
)
def test_a_row_has_its_numbers_and_the_gain_over_the_row_that_it_names(table, row, expected):
    found = dict(zip(expected, cells(TABLES[table], row, *expected), strict=True))
    assert found == {
        key: pytest.approx(value) if isinstance(value, float) else value
        for key, value in expected.items()
    }


def test_a_row_of_ones_own_has_no_published_number_and_changes_no_other_row():
    mine = {"mine": TableRow(label="Mine", system="base_reverse_dropout", over="base")}
    params = with_rows(PARAMS, "table1", mine | PARAMS.tables["table1"].rows)
    table = tables_of(params, NUMBERS)["table1"]
    expected = [12.0, None, 2.0, "Base"]
    assert cells(table, "mine", "BLEU", "paper BLEU", "gain", "gain over") == expected
    assert table.texts()[1:] == TABLES["table1"].texts()


def test_a_table_of_ones_own_is_an_entry_with_rows_and_a_script():
    rows = {name: TableRow(label=name, system=name) for name in ("base", BEST)}
    own = {"title": "Mine", "caption": "", "columns": ["chrf", "bleu"], "script": "sacrebleu"}
    params = PARAMS.model_copy(update={"tables": {"mine": TableEntry(**own, rows=rows)}})
    table = tables_of(params, NUMBERS)["mine"]
    chrf = NUMBERS.system(BEST, "chrf", "test1", None, "before").value
    assert cells(table, BEST, "chrF2", "BLEU", "gain") == [chrf, 9.75 + AT[BEST], None]


def test_links_have_rows_on_every_aligned_set():
    sets = PARAMS.sets.model_copy(update={"aligned": ["test1", "test2"]})
    lines = [line for line in NUMBERS.lines if line.metric == "aer" and line.set == "test1"]
    second = [
        line.model_copy(update={"set": "test2", "note": "5 silver links"})
        for line in lines
        if line.system == BEST and line.kind == "system"
    ]
    params = PARAMS.model_copy(update={"sets": sets})
    table = tables_of(params, type(NUMBERS)([*NUMBERS.lines, *second]))["table6"]
    places = [cells(table, f"local_p_general{end}", "links", "set") for end in ("", "/test2")]
    assert places == [["gold", "test1"], ["silver", "test2"]]


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


@pytest.mark.parametrize(("table", "key"), [("table_bpe", "family"), ("table_faults", "faults")])
def test_systems_of_a_pair_differ_in_nothing_else(table, key):
    described = yaml.safe_load((ROOT / "systems.yaml").read_text())
    systems, rows = described["systems"], described["tables"][table]["rows"]
    for row in (row for row in rows.values() if "over" in row):
        own, other = systems[row["system"]], systems[rows[row["over"]]["system"]]
        assert own | {key: 0} == other | {key: 0}
        assert own.get(key) != other.get(key)


def test_a_system_without_its_partner_has_no_row():
    models = {k: v for k, v in PARAMS.trainings.items() if k != "global_general_feed"}
    params = PARAMS.model_copy(update={"trainings": models, "ensembles": {}})
    tables = tables_of(params, made_numbers(params))
    faults = ["local_p", "position_gradient", "together"]
    assert list(tables["table_faults"].frame.index) == faults


def test_ablations_are_shown_where_a_system_on_request_is_trained():
    assert "ablations" not in TABLES
    dot = PARAMS.trainings["global_dot_feed"].model_copy(
        update={"input_feeding": False, "system_name": "global_dot"}
    )
    params = PARAMS.model_copy(update={"trainings": PARAMS.trainings | {"global_dot": dot}})
    tables = tables_of(params, made_numbers(params))
    question = PARAMS.tables["ablations"].rows["dot_feed"].question
    found = cells(tables["ablations"], "dot_feed", "question", "gain over")
    assert found == [question, "global (dot)"]
    assert "forward" not in tables["ablations"].frame.index  # not trained
    assert "ablations_back" not in tables
