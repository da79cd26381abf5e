"""The tables of scores: each cell is a number of scores.csv, beside the paper's; gains and verdicts."""

import pytest
import yaml
from made_report import ROOT, changed, made_numbers, made_params, of_own_text, own_numbers

from attnmt.config import Comparison, TableRow
from attnmt.reporting.score_tables import STEPS
from attnmt.reporting.specs import specs_of
from attnmt.reporting.table import Interval
from attnmt.reporting.tables import make_tables
from attnmt.scoring.limits import NOT_COMPARED, WIDE

PARAMS = made_params()
NUMBERS = made_numbers(PARAMS)
PAPER = "experiments/wmt14/params.yaml"  # whose first test set is the paper's
BEST = "local_p_general_feed"
LOCAL_M = "local_m_general_feed"
AT = {name: k for k, name in enumerate(PARAMS.models)}
LATER = AT[LOCAL_M] - AT["global_location_feed"]
CHOSEN, CHANGE = "AER, chosen step", "change, minus is better"


def tables_of(params, numbers):
    return {table.name: table for table in make_tables(params, numbers)}


TABLES = tables_of(PARAMS, NUMBERS)


def cells(table, row, *headings):
    """Return cells of a row; None for a column that the table does not have."""
    return [table.cell(row, h) if h in table.headings else None for h in headings]


@pytest.mark.parametrize(
    ("table", "row", "expected"),
    [
        ("table1", "winner", {"gain": None, "gain over": None}),
        ("table1", "reverse", {"BLEU": 11.0, "gain": 1.0, "p": 0.01, "gain over": "Base"}),
        ("table1", "reverse", {"gain, 95%": Interval(0.5, 1.5), "paper gain": 1.3}),
        ("table1", "local_p_unk", {"BLEU": 12.0 + AT[BEST], "gain": 2.0, "paper gain": 1.9}),
        ("table2", "ensemble", {"BLEU": 11.5 + len(AT), "gain": None}),  # NIST's BLEU
        # One printed gain of Table 4 is not the difference of the printed scores.
        ("table4", "local_p_dot", {"paper gain": 1.9, "gain": 2.0, "gain over": None}),
        ("table4", "local_m_dot", {"paper ppl": ">7.0", "paper BLEU": "x", "paper gain": None}),
        # No gain was printed in the others, so it is the difference of what was printed.
        ("table6", "local_m_general", {"paper change": -0.05, "change from": "global (location)"}),
        ("table6", "local_m_general", {"paper AER": 0.34, "gain": None, CHANGE: -LATER / 100}),
        (
            "table6",
            "local_m_general",
            {CHOSEN: 0.25 - AT[LOCAL_M] / 100, STEPS: "same, same, next"},
        ),
        ("table6", "local_m_general", {"AER, next step": 0.5 - AT[LOCAL_M] / 100}),
        ("table6", "local_m_general", {"AER, same step": 0.25 - AT[LOCAL_M] / 100}),
        ("table6", "aligner", {"system": "Berkeley Aligner (ours: aligner 1.0)", CHOSEN: 0.25}),
        ("table6", "diagonal", {CHOSEN: 0.56, CHANGE: None, STEPS: None}),
        ("table6", "diagonal", {"AER, same step": None, "AER, next step": None}),
        ("table_gru", "self", {"paper gain": -11.87, "gain over": "multiplicative"}),
        ("table_scripts", "local_p", {"NIST v13a": 9.5 + AT[BEST], "TER": 90.0 - AT[BEST]}),
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
    rows = PARAMS.rows | {"table1": mine | dict(PARAMS.rows["table1"])}
    tables = tables_of(PARAMS.model_copy(update={"rows": rows}), NUMBERS)
    expected = [12.0, None, 2.0, "Base"]
    assert cells(tables["table1"], "mine", "BLEU", "paper BLEU", "gain", "gain over") == expected
    assert tables["table1"].texts()[1:] == TABLES["table1"].texts()
    assert cells(tables["table_scripts"], "mine", "multi-bleu") == [12.0]


def test_our_rows_come_first_and_the_narrow_version_has_the_gain_and_its_test():
    systems = [row["system"] for row in TABLES["table1"].frame.to_dict("records")]
    assert systems[0] == "Base"
    assert [name.split()[0] for name in systems[-4:]] == ["WMT'14", *["RNNsearch"] * 3]
    narrow = {name: list(TABLES[name].narrow) for name in ("table1", "table6", "table_scripts")}
    assert narrow == {
        "table1": [["system", "gain over"], ["BLEU"], ["gain", "gain, 95%"], ["p"]],
        "table6": [["system", "change from"], [CHOSEN], [CHANGE, f"{CHANGE}, 95%"], ["p"]],
        "table_scripts": [],
    }


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("table4", "gains from BLEU to BLEU after unk"),
        ("table_bpe", "gains of BLEU after unk"),
        ("table_faults", "gains of BLEU after unk"),
    ],
)
def test_a_gain_after_replacement_stands_beside_the_number_that_it_is_of(name, said):
    assert list(TABLES[name].narrow)[1][0] == "BLEU after unk"
    assert said in TABLES[name].caption
    assert "gains" not in TABLES["table1"].caption.replace("compare gains", "")


def test_the_column_of_bleu_is_by_the_script_that_gains_are_compared_by():
    comparisons = PARAMS.comparisons | {"table1": Comparison(script="sacrebleu")}
    table = tables_of(PARAMS.model_copy(update={"comparisons": comparisons}), NUMBERS)["table1"]
    assert cells(table, "reverse", "BLEU") == [10.75]
    assert "BLEU on detokenized text" in table.caption


def test_the_title_names_a_direction_only_if_all_rows_have_it():
    both = of_own_text(made_params("base", "global_location_feed", "back_base_reverse"))
    abouts = [tables_of(PARAMS, NUMBERS)[name].about for name in ("table1", "table3")]
    abouts.append(tables_of(both, own_numbers(both))["table_scripts"].about)
    assert abouts == [
        "one change after another, English-German",
        "the way back, German-English",
        "",
    ]


@pytest.mark.parametrize("seeds", [1, 2])  # one seed has no verdict
@pytest.mark.parametrize(
    ("gain", "p", "published", "word"),
    [
        (2.6, 0.049, True, "same order"),
        (-4.0, 0.049, True, "other order"),
        (2.6, 0.05, True, "within noise"),
        (2.6, None, True, None),
        (2.6, 0.049, False, "higher"),
        (-4.0, 0.049, False, "lower"),
    ],
)
def test_on_another_text_the_verdict_is_about_the_gain(seeds, gain, p, published, word):
    params = made_params("base", "base_reverse", seeds=seeds)
    numbers = made_numbers(params, published)
    names = ("base_reverse", "base")
    sides = [numbers.system(name, "bleu", "test1", "tokenized", "before") for name in names]
    numbers = changed(numbers, numbers.gain(*sides), value=gain, p=p)
    table, verdict = tables_of(params, numbers)["table1"], word if seeds > 1 else None
    assert cells(table, "reverse", "verdict", "gain", "p") == [verdict, gain, p]
    assert cells(table, "base", "verdict", "difference") == [None, None]


@pytest.mark.parametrize("seeds", [1, 2])
@pytest.mark.parametrize(
    ("value", "word"), [(11.3, "agrees"), (12.3, "agrees"), (12.4, "higher"), (10.2, "lower")]
)
def test_on_the_papers_text_the_verdict_is_about_the_number(seeds, value, word):
    params = made_params("base", "base_reverse", seeds=seeds, file=PAPER)
    numbers = made_numbers(params)
    line = numbers.system("base", "bleu", "newstest2014", "tokenized", "before")
    numbers = changed(numbers, line, value=value, low=value - 1, high=value + 1)
    table = tables_of(params, numbers)["table1"]
    expected = [word if seeds > 1 else None, round(value - 11.3, 6)]
    assert cells(table, "base", "verdict", "difference") == expected
    order = ["difference", "paper gain", "gain", "gain, 95%", "p", "gain over", "verdict"]
    assert table.headings[-5 - seeds :] == order[: 5 + seeds]  # whatever the first rows have


def test_a_recipe_that_differs_is_marked_in_label_caption_and_card():
    short = PARAMS.models["base_reverse"].model_copy(update={"epochs": 1})
    params = PARAMS.model_copy(update={"models": PARAMS.models | {"base_reverse": short}})
    for name in ("table1", "table_scripts"):
        table = tables_of(params, NUMBERS)[name]
        assert cells(table, "reverse", "system") == ["Base + reverse†"]
        assert "† another recipe" in table.caption
        assert "epochs 1, not 4" in table.facts["reverse"]["recipe"]
    assert "†" not in tables_of(params, NUMBERS)["table4"].caption


def test_an_experiment_has_the_tables_and_numbers_of_what_it_trains():
    names = {spec.name for spec in specs_of(PARAMS)}
    params = made_params("base_reverse_dropout", BEST)
    tables = tables_of(params, made_numbers(params))
    assert names & set(tables) == {"table1", "table4", "table6", "table_scripts"}
    assert cells(tables["table1"], "base", "paper BLEU", "BLEU", "gain") == [11.3, None, None]
    only = made_params(f"{BEST}_bpe")
    assert not names & set(tables_of(only, made_numbers(only)))


@pytest.mark.parametrize(("table", "key"), [("table_bpe", "family"), ("table_faults", "faults")])
def test_systems_of_a_pair_differ_in_nothing_else_and_their_labels_say_in_what(table, key):
    described = yaml.safe_load((ROOT / "systems.yaml").read_text())
    systems, rows = described["systems"], described["tables"][table]
    for row in rows.values():
        own = systems[row["system"]]
        if "over" in row:
            other = systems[rows[row["over"]]["system"]]
            assert own | {key: 0} == other | {key: 0}
            assert own.get(key) != other.get(key)
        kinds = {"luong": "words", "luong_bpe": "subwords"}
        said = (
            kinds[own["family"]] if key == "family" else ", ".join(own.get("faults", ["no fault"]))
        )
        assert row["label"] == f"{row['system']} ({said})"


def test_a_system_without_its_partner_has_no_row():
    models = {k: v for k, v in PARAMS.models.items() if k != "global_general_feed"}
    params = PARAMS.model_copy(update={"models": models, "ensembles": {}})
    tables = tables_of(params, made_numbers(params))
    faults = ["local_p", "position_gradient", "together"]
    assert list(tables["table_faults"].frame.index) == faults


def test_what_decides_is_shown_where_a_system_on_request_is_trained():
    assert not any("decides" in name for name in TABLES)
    dot = PARAMS.models["global_dot_feed"].model_copy(
        update={"input_feeding": False, "entry": "global_dot"}
    )
    params = PARAMS.model_copy(update={"models": PARAMS.models | {"global_dot": dot}})
    tables = tables_of(params, made_numbers(params))
    question = PARAMS.rows["table_decides"]["dot_feed"].question
    found = cells(tables["table_decides"], "dot_feed", "question", "gain over")
    assert found == [question, "global (dot)"]
    assert "forward" not in tables["table_decides"].frame.index  # not trained
    assert "table_decides_back" not in tables


def test_steps_that_older_code_read_are_not_said_to_be_chosen_by_the_aligner():
    params = made_params("base_reverse_dropout", BEST)
    numbers = made_numbers(params)
    line = numbers.system(BEST, "aer_chosen", "test1")
    said = "the chosen step has links nearer to the outside aligner's"
    for changes, steps in (
        ({}, "same, same, next"),
        ({"readers": "chosen"}, "same, –, next"),
        ({"note": f"{line.note}; {NOT_COMPARED}"}, "same, same, next"),
    ):
        table = tables_of(params, changed(numbers, line, **changes))["table6"]
        assert cells(table, "local_p_general", STEPS) == [steps]
        assert (said in table.caption) == (not changes)
        assert (NOT_COMPARED.partition(",")[0] in table.caption) == ("note" in changes)


def test_a_limit_of_an_interval_that_no_column_shows_is_not_said():
    params = made_params("base_reverse_dropout", BEST)
    numbers = made_numbers(params)
    for metric, is_shown in (("aer_chosen", True), ("aer_next", False)):
        line = numbers.system(BEST, metric, "test1")
        table = tables_of(params, changed(numbers, line, note=WIDE))["table6"]
        assert ("the interval exceeds possible scores" in table.caption) == is_shown


def test_every_sign_of_a_recipe_stands_in_the_caption():
    short = {
        name: PARAMS.models[name].model_copy(update={"epochs": epochs})
        for name, epochs in (("base", 1), ("base_reverse", 2))
    }
    params = PARAMS.model_copy(update={"models": PARAMS.models | short})
    assert "Marks: † ‡ another recipe of training." in tables_of(params, NUMBERS)["table1"].caption


def test_gains_are_to_be_compared_only_where_the_table_has_one():
    text = "Our text is not the paper's"
    assert f"{text}: compare gains." in TABLES["table1"].caption
    alone = made_params("base")
    assert f"{text}. " in tables_of(alone, made_numbers(alone))["table1"].caption


def test_a_card_says_where_a_row_comes_from():
    facts = TABLES["table1"].facts
    expected = {
        "system": "base",
        "seed": "1",
        "set": "test1",
        "sentences": "500",
        "search": "beam 5",
    }
    assert expected.items() <= facts["base"].items()
    origin = {"signature", "reference SHA-256", "trained at commit", "code of the training"}
    assert origin < set(facts["base"])
    assert facts["ensemble"]["members"].split(", ") == PARAMS.ensembles["ensemble"].members
    assert facts["winner"] == {}
