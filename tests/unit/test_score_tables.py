"""The tables of scores: each cell is a number of scores.csv, beside the paper's; gains and verdicts."""

import pytest
from made_report import (
    MODELS,
    ROOT,
    changed,
    made_gain,
    made_line,
    made_numbers,
    made_params,
)

from attnmt.config import Params, TableRow, load_params
from attnmt.reporting.specs import specs_of
from attnmt.reporting.table import Interval, Spread, Table
from attnmt.reporting.tables import make_tables
from attnmt.scoring.numbers import Line, Numbers, read_numbers

PARAMS = made_params()
NUMBERS = made_numbers(PARAMS)
PAPER = "experiments/wmt14/params.yaml"  # whose first test set is the paper's


def tables_of(params: Params, numbers: Numbers) -> dict[str, Table]:
    return {table.name: table for table in make_tables(params, numbers)}


def cells(table: Table, row: str, *headings: str) -> list[object]:
    """Return cells of a row; None for a column that the table does not have."""
    return [table.cell(row, h) if h in table.headings else None for h in headings]


def bleu(numbers: Numbers, system: str, replacement: str = "before") -> Line | None:
    test = PARAMS.sets.tests[0]
    return numbers.system(system, "bleu", test, "tokenized", replacement)


def test_every_cell_is_the_number_of_its_line_and_is_rounded_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The demo's numbers have up to six decimals, and the tables keep them all."""
    monkeypatch.chdir(ROOT)
    params, numbers = load_params(ROOT / "params.yaml", ROOT), read_numbers("demo")
    tables, seen = tables_of(params, numbers), 0
    for spec in specs_of(params):
        for row in spec.rows(params, spec.name) if spec.name in tables else ():
            table = tables[spec.name]
            for measure in spec.measures:
                line = spec.number(params, numbers, row, measure)
                cell, interval = cells(table, row.key, measure.heading, f"{measure.heading}, 95%")
                if line is None or line.value is None:
                    assert cell is None
                    continue
                assert (cell[0] if isinstance(cell, Spread) else cell) == line.value
                shown = table.text(row.key, measure.heading)
                assert shown.split(" ± ")[0] == f"{line.value:,.{measure.digits}f}"
                bounds = None if line.low is None else (line.low, line.high)
                assert interval == (bounds if measure.interval else None)
                seen += 1
    assert seen > 100


def test_the_paper_s_numbers_stand_beside_ours_in_every_table_of_the_paper() -> None:
    tables, seen = tables_of(PARAMS, NUMBERS), 0
    for line in NUMBERS.lines:
        if line.row and line.kind == "system":
            name, key = line.row.split("/")
            heading = {"ppl": "paper ppl", "aer": "paper AER"}.get(line.metric, "paper BLEU")
            both = name == "table4" and line.replacement == "after"
            heading += " after unk" if both else ""
            assert cells(tables[name], key, heading) == [line.value or line.note]
            seen += 1
    assert seen > 60
    for name in ("table1", "table2", "table3", "table4", "table6", "table_gru"):
        headings = tables[name].headings
        for heading in headings:
            if heading.startswith("paper"):
                assert headings[headings.index(heading) + 1] == heading.removeprefix("paper ")


def test_what_was_printed_in_place_of_a_number_stays_as_printed() -> None:
    table4, gru = (tables_of(PARAMS, NUMBERS)[name] for name in ("table4", "table_gru"))
    printed = ("paper ppl", "paper BLEU", "paper BLEU after unk")
    assert cells(table4, "local_m_dot", *printed) == [">7.0", "x", "x"]
    assert cells(gru, "key_value", "paper BLEU") == ["not trained well enough to report"]
    assert table4.sort_value("local_m_dot", "paper ppl") is None


def test_a_gain_counts_from_the_row_that_its_row_names() -> None:
    table = tables_of(PARAMS, NUMBERS)["table1"]
    headings = ("gain", "paper gain", "p", "gain over")
    assert cells(table, "reverse", *headings) == [1.0, 1.3, 0.01, "Base"]
    assert cells(table, "local_p_unk", *headings)[:3] == [2.0, 1.9, 0.01]
    assert cells(table, "local_p_unk", "gain over") == [table.cell("local_p", "system")]
    assert cells(table, "base", *headings) == cells(table, "winner", *headings) == [None] * 4
    rows = dict(PARAMS.rows["table1"])
    rows["reverse"] = rows["reverse"].model_copy(update={"over": "dropout"})
    other = PARAMS.model_copy(update={"rows": PARAMS.rows | {"table1": rows}})
    over = cells(tables_of(other, NUMBERS)["table1"], "reverse", "gain", "gain over")
    assert over == [-1.0, "Base + reverse + dropout"]


def test_table_4_has_the_gain_by_replacement_as_printed() -> None:
    """One printed gain is not the difference of the printed scores."""
    table = tables_of(PARAMS, NUMBERS)["table4"]
    assert cells(table, "local_p_dot", "paper gain", "gain") == [1.9, 2.0]
    assert "gain over" not in table.headings
    gains = {key: table.cell(key, "paper gain") for key in table.frame.index}
    assert {key for key, gain in gains.items() if gain is None} == {
        *("global_concat", "local_m_dot", "local_m_concat", "local_p_concat")
    }


def test_a_paper_s_gain_that_was_not_printed_is_the_difference_of_its_numbers() -> None:
    tables = tables_of(PARAMS, NUMBERS)
    assert cells(tables["table6"], "local_m_general", "paper gain", "gain over") == [
        -0.05,
        "global (location)",
    ]
    assert cells(tables["table_gru"], "self", "paper gain") == [-11.87]
    assert cells(tables["table_gru"], "key_value", "paper gain") == [None]


def test_table_6_has_the_outside_aligner_the_diagonal_and_both_steps() -> None:
    table = tables_of(PARAMS, NUMBERS)["table6"]
    assert list(table.frame.index)[-1] == "diagonal"
    assert table.cell("aligner", "system") == "Berkeley Aligner (ours: aligner 1.0)"
    assert cells(table, "aligner", "paper AER", "AER", "same step") == [0.32, 0.25, None]
    assert cells(table, "diagonal", "AER", "AER, 95%") == [0.56, Interval(0.54, 0.56 + 0.02)]
    rate, same, after = cells(table, "global_location", "AER", "same step", "next step")
    assert (rate, same) == (after, pytest.approx(rate - 0.25))
    assert "4,000 sure and 4,500 possible gold links" in table.caption


def test_tables_2_and_3_are_of_the_last_test_set() -> None:
    tables = tables_of(PARAMS, NUMBERS)
    nist = NUMBERS.system("ensemble", "bleu", "test2", "nist", "after")
    assert nist is not None
    assert cells(tables["table2"], "ensemble", "BLEU") == [nist.value]
    moved = changed(
        NUMBERS, NUMBERS.system("back_base_reverse", "ppl", PARAMS.sets.tests[-1]), value=3.25
    )
    assert cells(tables_of(PARAMS, moved)["table3"], "base", "ppl") == [3.25]
    assert (tables["table3"].about, tables["table1"].about) == ("German-English", "English-German")


@pytest.mark.parametrize(
    ("value", "p", "word"),
    [
        (12.6, 0.049, "same order"),
        (6.0, 0.049, "other order"),
        (12.6, 0.05, "within noise"),
        (12.6, None, None),
    ],
)
def test_on_another_text_the_verdict_is_about_the_order(
    value: float, p: float | None, word: str | None
) -> None:
    params = made_params("base", "base_reverse", seeds=2)
    numbers = made_numbers(params)
    other, line = bleu(numbers, "base"), bleu(numbers, "base_reverse")
    assert other is not None
    numbers = changed(numbers, line, value=value)
    ours = bleu(numbers, "base_reverse")
    assert ours is not None
    numbers = changed(numbers, numbers.gain(ours, other), value=value - 10, p=p)
    table = tables_of(params, numbers)["table1"]
    assert cells(table, "reverse", "verdict", "difference") == [word, None]
    assert cells(table, "base", "verdict", "difference") == [None, None]


@pytest.mark.parametrize(
    ("value", "word"), [(11.3, "agrees"), (12.0, "agrees"), (12.5, "higher"), (10.0, "lower")]
)
def test_on_the_paper_s_text_the_verdict_is_about_the_number(value: float, word: str) -> None:
    for seeds in (1, 2):
        params = made_params("base", "base_reverse", seeds=seeds, file=PAPER)
        numbers = made_numbers(params)
        line = numbers.system("base", "bleu", "newstest2014", "tokenized", "before")
        numbers = changed(numbers, line, value=value, low=value - 1, high=value + 1)
        table = tables_of(params, numbers)["table1"]
        verdict = word if seeds > 1 else None  # one seed has no verdict
        expected = [verdict, round(value - 11.3, 6)]
        assert cells(table, "base", "verdict", "difference") == expected


@pytest.mark.parametrize(("gain", "word"), [(1, "higher"), (-1, "lower")])
def test_a_row_that_was_not_published_is_higher_or_lower(gain: int, word: str) -> None:
    params = made_params("base", "base_reverse", seeds=2)
    numbers = made_numbers(params, published=False)
    lines = [
        line.model_copy(update={"value": gain * (line.value or 0)}) if line.kind == "gain" else line
        for line in numbers.lines
    ]
    table = tables_of(params, Numbers(lines))["table1"]
    assert cells(table, "reverse", "verdict", "gain") == [word, gain * 1.0]


def test_one_seed_has_no_verdict_and_several_have_a_deviation() -> None:
    assert not any("verdict" in table.headings for table in make_tables(PARAMS, NUMBERS))
    params = made_params(seeds=3)
    table = tables_of(params, made_numbers(params))["table1"]
    assert cells(table, "base", "seeds", "BLEU") == [3.0, Spread(10.0, 0.5)]
    assert table.text("base", "BLEU") == "10.0 ± 0.5"
    assert "± the deviation of 3" in table.caption
    assert table.headings[-1] == "verdict"


@pytest.mark.parametrize("file", ["params.yaml", PAPER])
def test_columns_stand_in_one_order_whatever_the_first_rows_have(file: str) -> None:
    params = made_params(seeds=2, file=file)
    order = ["BLEU, 95%", "difference", "paper gain", "gain", "gain, 95%", "p", "gain over"]
    headings = tables_of(params, made_numbers(params))["table1"].headings
    shown = [*order, "verdict"] if file == PAPER else [one for one in order if one != "difference"]
    assert headings[headings.index("BLEU, 95%") :][: len(shown)] == shown


def test_a_row_of_ones_own_has_no_published_number_and_changes_no_other_row() -> None:
    mine = {"mine": TableRow(label="Mine", system="base_reverse_dropout", over="base")}
    first, before = dict(PARAMS.rows["table1"]), tables_of(PARAMS, NUMBERS)
    params = PARAMS.model_copy(update={"rows": PARAMS.rows | {"table1": mine | first}})
    table = tables_of(params, NUMBERS)["table1"]
    expected = [12.0, None, 2.0, "Base"]
    assert cells(table, "mine", "BLEU", "paper BLEU", "gain", "gain over") == expected
    assert table.texts()[1:] == before["table1"].texts()
    assert cells(tables_of(params, NUMBERS)["table_scripts"], "mine", "multi-bleu") == [12.0]


def test_a_recipe_that_differs_is_marked_in_label_caption_and_card() -> None:
    short = PARAMS.models["base_reverse"].model_copy(update={"epochs": 1})
    params = PARAMS.model_copy(update={"models": PARAMS.models | {"base_reverse": short}})
    for name in ("table1", "table_scripts"):
        table = tables_of(params, NUMBERS)[name]
        assert cells(table, "reverse", "system") == ["Base + reverse†"]
        assert cells(table, "base", "system") == ["Base"]
        assert "† marks another recipe" in table.caption
        assert "epochs 1, not 4" in table.facts["reverse"]["recipe"]
    assert "†" not in tables_of(params, NUMBERS)["table4"].caption


def test_an_experiment_has_the_tables_in_which_it_has_a_number() -> None:
    params = made_params("base_reverse_dropout", "local_p_general_feed")
    tables = tables_of(params, made_numbers(params))
    scores = [name for name in tables if name in {spec.name for spec in specs_of(params)}]
    assert scores == ["table1", "table4", "table6", "table_scripts"]
    assert cells(tables["table1"], "base", "paper BLEU", "BLEU", "gain") == [11.3, None, None]
    assert cells(tables["table1"], "local_p", "BLEU", "gain") == [11.0, None]
    only = made_params("local_p_general_feed_bpe")
    assert not {spec.name for spec in specs_of(only)} & set(tables_of(only, made_numbers(only)))


def test_a_card_says_where_a_row_comes_from() -> None:
    facts = tables_of(PARAMS, NUMBERS)["table1"].facts
    base = facts["base"]
    expected = {"system": "base", "seed": "1", "set": "test1", "sentences": "500", "beam": "5"}
    assert expected.items() <= base.items()
    assert {"signature", "reference SHA-256", "trained at commit", "code of the training"} < set(
        base
    )
    assert facts["ensemble"]["members"].split(", ") == PARAMS.ensembles["ensemble"].members
    assert facts["winner"] == {}


def test_the_subword_system_stands_below_its_word_system() -> None:
    best = "local_p_general_feed"
    table = tables_of(PARAMS, NUMBERS)["table_bpe"]
    assert list(table.frame["system"]) == [f"{best} (words)", f"{best}_bpe (subwords)"]
    words, pieces = (bleu(NUMBERS, name, "after") for name in (best, f"{best}_bpe"))
    assert words is not None
    assert pieces is not None
    gain = (pieces.value or 0) - (words.value or 0)
    assert cells(table, f"{best}_bpe", "gain", "p") == [gain, 0.01]
    assert not any("ppl" in heading for heading in table.headings)  # of other units
    more = {  # the same system on subwords with another recipe is no pair
        "longer_bpe": PARAMS.models["base"].model_copy(update={"family": "luong_bpe", "epochs": 9}),
        "base_bpe": PARAMS.models["base"].model_copy(update={"family": "luong_bpe"}),
    }
    params = PARAMS.model_copy(update={"models": PARAMS.models | more})
    table = tables_of(params, made_numbers(params))["table_bpe"]
    assert list(table.frame.index) == ["base", "base_bpe", best, f"{best}_bpe"]
    assert cells(table, best, "gain over") == [None]  # the row above is of another pair


def test_every_fault_stands_below_the_same_system_without_it() -> None:
    best, general = "local_p_general_feed", "global_general_feed"
    table = tables_of(PARAMS, NUMBERS)["table_faults"]
    together = "faults_together (general_gradient, position_gradient, unmasked_padding)"
    assert list(table.frame["system"]) == [
        f"{best} (no fault)",
        "fault_position_gradient (position_gradient)",
        together,
        f"{general} (no fault)",
        "fault_general_gradient (general_gradient)",
        "fault_unmasked_padding (unmasked_padding)",
    ]
    assert cells(table, "faults_together", "gain over") == [f"{best} (no fault)"]
    params = PARAMS.model_copy(
        update={"models": {k: v for k, v in PARAMS.models.items() if k != general}, "ensembles": {}}
    )
    rows = list(tables_of(params, NUMBERS)["table_faults"].frame.index)
    assert rows == [best, "fault_position_gradient", "faults_together"]


def test_the_same_translations_are_scored_by_every_script() -> None:
    table = tables_of(PARAMS, NUMBERS)["table_scripts"]
    before, after = (table.frame.loc[key] for key in ("local_p", "local_p_unk"))
    scripts = ["multi-bleu", "NIST v13a", "NIST v13a before unk", "sacrebleu", "chrF2", "TER"]
    assert list(before[scripts]) == [15.0, 14.5, 14.5, 14.75, 35.0, 85.0]
    assert list(after[scripts]) == [17.0, 16.5, 14.5, 16.75, 37.0, 83.0]
    assert set(table.frame.index) & {"winner", "rnnsearch"} == set()


def test_what_decides_is_shown_where_a_system_on_request_is_trained() -> None:
    feeding = {"input_feeding": False}
    dot = {"global_dot": PARAMS.models["global_dot_feed"].model_copy(update=feeding)}
    params = PARAMS.model_copy(update={"models": PARAMS.models | dot})
    assert not any("decides" in name for name in tables_of(PARAMS, NUMBERS))
    tables = tables_of(params, made_numbers(params))
    table = tables["table_decides"]
    question = PARAMS.rows["table_decides"]["dot_feed"].question
    assert cells(table, "dot_feed", "question", "gain over") == [question, "global (dot)"]
    assert "forward" not in table.frame.index  # not trained
    assert "table_decides_back" not in tables


def test_a_second_aligned_set_has_a_table_6_of_its_own() -> None:
    sets = PARAMS.sets.model_copy(update={"aligned": ["test1", "other"]})
    params = made_params(*MODELS).model_copy(update={"sets": sets})
    line = made_line(
        "local_p_general_feed", "aer", 0.125, set="other", lines=9, direction="forward"
    )
    numbers = Numbers([*made_numbers(params).lines, line])
    table = tables_of(params, numbers)["table6_other"]
    assert (table.title, table.cell("local_p_general", "AER")) == ("Table 6 on other", 0.125)
    assert "other (9 sentences)" in table.caption


def test_a_gain_that_was_not_tested_is_shown_without_p() -> None:
    params = made_params("base", "base_reverse")
    numbers = made_numbers(params)
    ours, other = bleu(numbers, "base_reverse"), bleu(numbers, "base")
    assert ours is not None
    assert other is not None
    lines = [line for line in numbers.lines if line.kind != "gain"]
    table = tables_of(params, Numbers([*lines, made_gain(ours, other, p=None)]))["table1"]
    assert cells(table, "reverse", "gain", "p") == [1.0, None]
