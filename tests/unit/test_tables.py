"""The paper's tables from made-up scores: which number stands where, gains and captions."""

from pathlib import Path

import pytest
from made_scores import (
    DIGEST,
    NIST,
    SIGNATURE,
    by_script,
    change_result,
    made_tests,
    score,
    write_all,
)
from made_scores import write_scores as write
from papers import paper_params, paper_rows

from attnmt.config import TableRow
from attnmt.errors import InputError
from attnmt.files.text_file import read_json, write_json
from attnmt.layout import Layout
from attnmt.reporting.compare import make_tables
from attnmt.scoring.seed_runs import Study

ROOT = Path(__file__).parents[2]
ALL = ["table1", "table2", "table3", "table4", "table6", "table_gru"]
ALL += ["table_scripts", "table_bpe", "table_faults"]
BEST = "Base + reverse + dropout + local-p attention (general) + feed input"


@pytest.fixture(autouse=True)
def tested(monkeypatch):
    """Have every test return p = 0.01; return the list of the pairs tested."""
    return made_tests(monkeypatch)


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Return a function that loads the root's experiment with other models, ensembles or tests."""
    monkeypatch.chdir(tmp_path)

    def load(models=None, ensembles=None, tests=None):
        params = paper_params()
        models = params.models if models is None else {k: params.models[k] for k in models}
        ensembles = params.ensembles if ensembles is None else ensembles
        sets = params.sets.model_copy(update={"tests": tests or params.sets.tests})
        return params.model_copy(update={"models": models, "ensembles": ensembles, "sets": sets})

    return load


@pytest.fixture
def params(load):
    """Return the root's experiment, all of it scored."""
    params = load()
    write_all(params)
    return params


def tables(params):
    return {table.name: table for table in make_tables(Study(params))}


def rows_of(params, name):
    return {row["system"]: row for row in tables(params)[name].rows}


def pick(row, *columns):
    return [row[column] for column in columns]


def test_the_demo_has_every_table_with_every_published_row(params):
    by_name = tables(params)
    assert list(by_name) == ALL
    for name in ALL[:6]:
        systems = [row.system for row in paper_rows(name, params)]
        ours = ["diagonal, no model"] if name == "table6" else []
        assert [row["system"] for row in by_name[name].rows] == systems + ours


def test_table_1_joins_the_papers_numbers_to_ours(params):
    rows = rows_of(params, "table1")
    base, reverse, best = rows["Base"], rows["Base + reverse"], rows[f"{BEST} + unk replace"]
    assert pick(base, "paper_ppl", "ppl", "paper_bleu", "bleu") == ["10.6", 90.0, "11.3", 10.0]
    assert pick(base, "bleu_low", "bleu_high", "difference", "gain") == [9.0, 11.0, -1.3, None]
    assert pick(reverse, "model", "bleu", "gain", "paper_gain") == ["base_reverse", 11, 1, "+1.3"]
    assert pick(best, "model", "bleu", "gain") == ["local_p_general_feed", 17.0, 2.0]
    assert best["number"] == "tokenized BLEU after unknown-word replacement"
    ensemble = rows["Ensemble of 8 models + unk replace"]
    value = 10.0 + len(params.models) + 2
    assert pick(ensemble, "ppl", "bleu", "seeds", "average") == [None, value, None, "logits"]
    assert ensemble["gain"] == value - 17
    for row in list(rows.values())[:4]:  # other people's systems
        assert {row[key] for key in ("ppl", "bleu", "model", "signature")} == {None}


def with_own_row(params, **row):
    """Put a row of our own in Table 1, second of our rows, for another system."""
    mine = params.models["base_reverse"].model_copy(update={"dropout": 0.5})
    first = {key: params.rows["table1"][key] for key in list(params.rows["table1"])[:5]}
    inserted = {"mine": TableRow(label="Mine", system="mine", **row)}
    rows = params.rows | {"table1": first | inserted | params.rows["table1"]}
    return params.model_copy(update={"models": params.models | {"mine": mine}, "rows": rows})


def test_a_row_of_our_own_changes_no_other_rows_gain(params):
    before = rows_of(params, "table1")
    params = with_own_row(params, over="base")
    write(params, "mine", 60.0)
    table = tables(params)["table1"]
    after = {row["system"]: row for row in table.rows}
    assert pick(after["Mine"], "bleu", "gain", "p", "gain_over") == [60.0, 50.0, 0.01, "Base"]
    assert pick(after["Mine"], "paper_bleu", "source") == [None, None]
    assert {name: row for name, row in after.items() if name != "Mine"} == before
    assert "Rows that the paper does not have are our own." in str(table.caption)
    columns = {column.key: column.cells for column in table.columns}
    assert columns["gain_over"][4:7] == ["", "Base", "Base"]
    assert "Mine" in [row["system"] for row in tables(params)["table_scripts"].rows]


def test_a_recipe_that_differs_is_marked_at_every_number(params):
    short = params.models["base_reverse"].model_copy(update={"epochs": 1})
    params = params.model_copy(update={"models": params.models | {"base_reverse": short}})
    for name in ("table1", "table_scripts"):
        table = tables(params)[name]
        assert "Base + reverse†" in [row["system"] for row in table.rows]
        assert "Base" in [row["system"] for row in table.rows]
        assert "† marks another recipe of training: epochs 1, not 4." in str(table.caption)
    assert "†" not in str(tables(params)["table4"].caption)


def test_table_2_is_the_ensemble_in_nists_bleu_on_the_last_set(params):
    change_result(params, "ensemble", "test2", after=by_script(20.0) | {"nist": score(30.0, NIST)})
    row = rows_of(params, "table2")["Ensemble of 8 models + unk replace"]
    assert pick(row, "paper_bleu", "bleu", "set", "signature") == ["25.9", 30.0, "test2", NIST]
    assert row["difference"] == 4.1
    assert "detokenized" in str(tables(params)["table2"].caption)


def test_table_3_is_of_the_other_direction_on_the_last_set(params):
    change_result(params, "back_global_dot_feed", "test2", perplexity=7.0)
    table = tables(params)["table3"]
    rows = {row["system"]: row for row in table.rows}
    assert str(table.title) == "Table 3, German-English, experiment demo"
    last, above = rows["+ global (dot) + drop + feed + unk"], rows["+ global (dot) + drop + feed"]
    assert pick(last, "ppl", "gain", "paper_gain", "set") == [7.0, 2.0, "+2.1", "test2"]
    assert last["bleu"] - above["bleu"] == 2.0


def test_table_4_has_bleu_before_and_after_and_the_gain_between(params):
    write(params, "local_m_dot_feed", 30.0)
    rows = rows_of(params, "table4")
    columns = ("paper_bleu", "bleu", "paper_bleu_unk", "bleu_unk", "difference", "gain")
    assert pick(rows["local-p (general)"], *columns) == ["19.0", 15.0, "20.9", 17.0, -3.9, 2.0]
    columns = ("paper_ppl", "ppl", "paper_bleu_unk", "bleu_unk", "gain")
    assert pick(rows["local-m (dot)"], *columns) == [">7.0", 70.0, "x", 32.0, 2.0]
    concat = rows["global (concat)"]
    assert pick(concat, "model", "paper_bleu", "bleu")[:2] == ["global_additive_feed", None]
    assert pick(rows["local-p (dot)"], "paper_gain", "gain") == ["+1.9", 2.0]


def test_table_6_compares_systems_in_order_and_an_outside_aligner(params):
    rates = {"global_location_feed": 0.4, "local_m_general_feed": 0.3001}
    rates |= {"local_p_general_feed": 0.2, "ensemble": 0.1}
    for name, rate in rates.items():
        write(params, name, 20.0, rate)
    table = tables(params)["table6"]
    rows = table.rows
    aligner, diagonal = rows[-2:]
    assert [row["aer"] for row in rows] == [0.4, 0.3001, 0.2, 0.1, 0.25, 0.56]
    assert [row["gain"] for row in rows] == [None, -0.0999, -0.1001, -0.1, 0.15, None]
    assert pick(rows[0], "aer_same", "aer_next") == [0.4, 0.75]
    assert pick(rows[0], "aligned_set", "sure", "link_step") == ["test1", 4000, "same"]
    assert pick(aligner, "model", "stage", "link_step") == [
        "aligner 1.0, IBM 1",
        "dictionary",
        None,
    ]
    assert aligner["files"] == "data/demo/dictionary/aligner.json"
    assert pick(rows[0], "aer_low", "aer_high") == [0.38, 0.42]
    assert pick(aligner, "aer_low", "aer_high") == [0.23, 0.27]
    assert pick(diagonal, "system", "model", "stage") == ["diagonal, no model", "none", "tables"]
    assert pick(diagonal, "aer_low", "aer_high", "aer_same") == [0.54, 0.58, None]
    shown = {column.heading: column.cells for column in table.columns}
    assert shown["same step"] == ["0.40", "0.30", "0.20", "0.10", "", ""]
    assert shown["next step"] == ["0.75"] * 4 + [""] * 2
    assert "4,000 sure and 4,500 possible" in str(table.caption)
    expected = "In place of the Berkeley Aligner we use aligner 1.0, IBM 1."
    assert expected in str(table.caption)


def test_without_gold_links_silver_ones_stand_in_for_them(load):
    params = load()
    write_all(params, gold=False)
    by_name = tables(params)
    assert list(by_name) == ALL
    table = by_name["table6"]
    *systems, aligner, diagonal = table.rows
    assert {row["links"] for row in [*systems, diagonal]} == {"silver"}
    assert [row["aer"] for row in table.rows] == [0.5] * 4 + [None, 0.56]
    assert pick(aligner, "gain", "p", "aer_low", "links", "sure") == [None] * 5
    assert diagonal["files"] == "data/demo/dictionary/test1.links"
    for name in ("table6", "table_bpe", "table_faults"):
        lead = by_name[name].caption.lead
        assert "4,000 sure and 4,500 possible silver links). No person linked" in lead
        assert "this AER says how far attention is from that aligner" in lead


def test_gold_links_are_called_gold(params):
    table = tables(params)["table6"]
    assert {row["links"] for row in table.rows} == {"gold"}
    assert "silver" not in str(table.caption)
    assert table.rows[-1]["files"] == "data/demo/tokens/test1.links"


def test_the_caption_of_the_gru_table_describes_its_text(params):
    for name, value in {"additive": 20.0, "multiplicative": 21.0, "self": 1.0}.items():
        write(params, f"gru_{name}", value)
    table = tables(params)["table_gru"]
    rows = {row["system"]: row for row in table.rows}
    assert pick(rows["self"], "paper_bleu", "bleu", "gain") == ["6.94", 1.0, -20.0]
    missing = pick(rows["key-value"], "paper_bleu", "difference")
    assert missing == ["not trained well enough to report", None]
    assert "lower-cased. A sentence is cut to its last 20 words." in str(table.caption)
    assert "course report" in str(table.caption)


def test_an_experiment_with_two_models_has_the_tables_that_show_them(load):
    params = load(["base_reverse_dropout", "local_p_general_feed"], {}, ["test1"])
    write_all(params)
    names = ["table1", "table4", "table6", "table_scripts"]
    assert list(tables(params)) == names
    rows = rows_of(params, "table1")
    assert rows["Base + reverse"]["bleu"] is None
    assert rows["Base + reverse + dropout"]["bleu"] == 10.0
    assert pick(rows[BEST], "bleu", "gain") == [
        11.0,
        None,
    ]  # the row above it has no number of ours
    assert pick(rows[f"{BEST} + unk replace"], "bleu", "gain") == [13.0, 2.0]
    assert "does not train" in str(tables(params)["table1"].caption)


def test_an_experiment_without_models_of_the_paper_has_no_tables(load):
    params = load(["local_p_general_feed_bpe"], {})
    write_all(params)
    assert tables(params) == {}


def test_every_number_says_what_it_is(params):
    row = rows_of(params, "table1")["Base"]
    columns = ("set", "lines", "seeds", "beam", "signature", "stage", "family", "direction")
    expected = ["test1", 500, "1", 5, SIGNATURE, "evaluate", "luong", "forward"]
    assert pick(row, *columns) == expected
    assert pick(row, "reference_sha256", "files") == [DIGEST[:12], "scores/demo/base.json"]
    assert row["dataset_digest"] == "luongxxxxxxx"
    assert row["source"] == "Luong et al. 2015, Table 1"


def test_the_caption_says_what_may_be_compared(load):
    params = load()
    write_all(params)
    table = tables(params)["table1"]
    assert "compare gains, not numbers" in str(table.caption)
    assert "Moses tokens (multi-bleu), case kept." in str(table.caption)
    assert str(table.caption).endswith(f"Signature: {SIGNATURE}.")
    assert str(table.caption).startswith(
        "BLEU is measured on test1 (500 sentences, seed 1, beam 5)"
    )
    assert "The ensemble averages its members' logits." in str(table.caption)
    assert "difference" not in [column.key for column in table.columns]
    params = load(tests=["newstest2014", "newstest2015"])
    write_all(params)
    table = tables(params)["table1"]
    assert "not numbers" not in str(table.caption)
    assert "The difference is our number less the paper's." in str(table.caption)
    assert "difference" in [column.key for column in table.columns]


def test_every_gain_is_tested_and_nothing_else(params, tested):
    for table in make_tables(Study(params)):
        for row in table.rows:
            assert (row.get("p") is None) == (row.get("gain") is None)
    assert (("base_reverse", False), ("base", False)) in tested
    best = "local_p_general_feed"
    assert tested.count(((best, True), (best, False))) == 2  # in Tables 1 and 4
    assert (("ensemble", True), (best, True)) in tested
    assert ("aligner", "ensemble") in tested
    assert len(tested) == 7 + 4 + 10 + 4 + 3 + 1 + 4


def test_missing_scores_are_named(load):
    params = load()
    with pytest.raises(InputError, match=r"scores/demo/base.json: no such file"):
        make_tables(Study(params))
    write_all(params)
    Path("data/demo/dictionary/aligner.json").unlink()
    with pytest.raises(InputError, match=r"aligner.json: no such file"):
        make_tables(Study(params))


def test_scores_that_lack_the_set_are_named(params):
    write(params, "base", 10.0)
    path = Path("scores/demo/base.json")
    scores = read_json(path)
    del scores["sets"]["test1"]
    write_json(path, scores)
    with pytest.raises(InputError, match=r"base.json: no scores of 'test1'; run evaluate of base"):
        make_tables(Study(params))


def test_scores_of_another_family_are_refused(params):
    write(params, "base", 10.0, family="luong_bpe")
    with pytest.raises(InputError, match=r"base.json: scores of family 'luong_bpe', but base is"):
        make_tables(Study(params))


@pytest.mark.parametrize(("key", "value"), [("beam", 9), ("dataset_digest", "other")])
def test_scores_of_different_conditions_do_not_stand_in_one_table(params, key, value):
    write(params, "base_reverse", 10.0, **{key: value})
    with pytest.raises(InputError, match=rf"base_reverse.json and .*base.json differ in {key}"):
        make_tables(Study(params))


@pytest.mark.parametrize(("key", "value"), [("lines", 77), ("reference_sha256", "f" * 64)])
def test_scores_of_different_references_do_not_stand_in_one_table(params, key, value):
    change_result(params, "ensemble", "test1", **{key: value})
    with pytest.raises(
        InputError, match=rf"ensemble.json and .*base.json differ in {key}: {value}"
    ):
        make_tables(Study(params))


@pytest.mark.parametrize(
    ("key", "column", "value"), [("sure", "sure", 3999), ("kind", "links", "silver")]
)
def test_error_rates_against_different_links_do_not_stand_in_one_table(params, key, column, value):
    path = Layout("demo").scores("ensemble")
    scores = read_json(path)
    scores["alignments"][0] |= {key: value}
    write_json(path, scores)
    message = rf"ensemble.json and .*json differ in {column}: {value} against"
    with pytest.raises(InputError, match=message):
        make_tables(Study(params))
