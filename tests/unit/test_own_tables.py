"""The tables that the paper does not have, from made-up scores."""

from pathlib import Path

import pytest
from made_scores import NIST, SIGNATURE, made_tests, write_all, write_training
from made_scores import write_scores as write
from papers import paper_params

from attnmt.config import load_params
from attnmt.errors import InputError
from attnmt.reporting.compare import make_tables
from attnmt.reporting.cost_table import cost_table
from attnmt.scoring.seed_runs import Study

ROOT = Path(__file__).parents[2]
BEST = "local_p_general_feed"


@pytest.fixture(autouse=True)
def tested(monkeypatch):
    """The pairs that are tested, each test saying p = 0.01."""
    return made_tests(monkeypatch)


@pytest.fixture
def params(tmp_path, monkeypatch):
    """The root's experiment, all of it scored."""
    monkeypatch.chdir(tmp_path)
    params = paper_params()
    write_all(params)
    return params


def with_models(params, **more):
    """Add models and score all again."""
    params = params.model_copy(update={"models": params.models | more})
    write_all(params)
    return params


def table_of(params, name):
    return next(table for table in make_tables(Study(params)) if table.name == name)


def pick(row, *columns):
    return [row[column] for column in columns]


def test_the_subword_system_is_compared_with_its_word_system(params):
    write(params, BEST, 20.0, 0.25)
    write(params, f"{BEST}_bpe", 18.5, 0.5)
    rows = table_of(params, "table_bpe").rows
    assert [row["system"] for row in rows] == [f"{BEST} (words)", f"{BEST}_bpe (subwords)"]
    columns = ("bleu", "bleu_unk", "aer", "gain")
    assert pick(rows[0], *columns) == [20.0, 22.0, 0.25, None]
    assert pick(rows[1], *columns) == [18.5, 20.5, 0.5, -1.5]
    table = table_of(params, "table_bpe")
    assert "Perplexity is left out" in str(table.caption)
    assert not any(column.startswith("paper") or "ppl" in column for column in table.rows[0])


def test_systems_compared_on_words_and_subwords_differ_in_nothing_else(params):
    base, words = params.models["base"], params.models["global_dot_feed"]
    more = {
        "base_bpe": base.model_copy(update={"family": "luong_bpe"}),
        "base_bpe_2": base.model_copy(update={"family": "luong_bpe", "seed": 2}),
        "longer_bpe": words.model_copy(update={"family": "luong_bpe", "epochs": 9}),
    }
    rows = table_of(with_models(params, **more), "table_bpe").rows
    pairs = ["base", "base_bpe base_bpe_2", BEST, f"{BEST}_bpe"]
    assert [row["model"] for row in rows] == pairs
    assert rows[2]["gain"] is None  # the row above is of another pair


def test_every_fault_stands_below_the_same_system_without_it(params, tested):
    write(params, BEST, 20.0, 0.25)
    write(params, "fault_position_gradient", 19.0, 0.5)
    write(params, "faults_together", 23.0, 0.5)
    tested.clear()
    table = table_of(params, "table_faults")
    assert [row["system"] for row in table.rows] == [
        f"{BEST} (no fault)",
        "fault_position_gradient (position_gradient)",
        "faults_together (general_gradient, position_gradient, unmasked_padding)",
        "global_general_feed (no fault)",
        "fault_general_gradient (general_gradient)",
        "fault_unmasked_padding (unmasked_padding)",
    ]
    columns = ("ppl", "bleu", "bleu_unk", "aer", "gain", "p")
    right, position, together = table.rows[:3]
    assert pick(right, *columns) == [80.0, 20.0, 22.0, 0.25, None, None]
    assert pick(position, *columns) == [81.0, 19.0, 21.0, 0.5, -1.0, 0.01]
    assert pick(together, *columns) == [77.0, 23.0, 25.0, 0.5, 3.0, 0.01]
    assert (("faults_together", True), (BEST, True)) in tested  # not the row above
    assert "the gain over the system that the column “gain over” names" in str(table.caption)


def test_a_fault_whose_system_is_not_trained_right_has_no_row(params):
    models = {k: v for k, v in params.models.items() if k != "global_general_feed"}
    params = params.model_copy(update={"models": models, "ensembles": {}})
    names = [row["model"] for row in table_of(params, "table_faults").rows]
    assert names == [BEST, "fault_position_gradient", "faults_together"]


def test_the_same_translations_are_scored_by_every_script(params):
    write(params, BEST, 20.0)
    table = table_of(params, "table_scripts")
    rows = {row["system"]: row for row in table.rows}
    assert len(rows) == 8  # of Table 1, other people's systems left out
    before, after = (row for row in rows.values() if row["model"] == BEST)
    scripts = ("tokenized", "nist", "nist_unreplaced", "sacrebleu", "chrf", "ter")
    assert pick(before, *scripts) == [20.0, 19.5, None, 19.75, 40.0, 80.0]
    assert pick(after, *scripts) == [22.0, 21.5, 19.5, 21.75, 42.0, 78.0]
    assert pick(after, "ter_low", "ter_high", "nist_unreplaced_low") == [77.0, 79.0, 18.5]
    signatures = [f"{name}_signature" for name in ("tokenized", "nist", "sacrebleu", "chrf", "ter")]
    assert pick(after, *signatures) == [SIGNATURE, NIST, NIST, "chrF2|made", "TER|made"]
    assert "verdict" not in after
    assert "the file before unknown-word replacement" in str(table.caption)
    cells = {column.key: column.cells[list(rows.values()).index(after)] for column in table.columns}
    assert cells["ter"] == "78.0 [77.0–79.0]"


def test_the_cost_table_says_what_each_training_took(params):
    write_training(params, "base_reverse", seconds=7200.0, peak_memory_mb=None)
    table = cost_table(params)
    assert [row["system"] for row in table.rows] == list(params.models)
    base, reverse = table.rows[:2]
    columns = ("parameters", "steps", "target_words", "minutes", "target_words_per_second")
    assert pick(base, *columns) == [1200, 20, 1500, 1.5, 16.7]
    assert pick(base, "peak_memory_mb", "files") == [1234, "models/demo/base"]
    assert pick(reverse, "minutes", "peak_memory_mb") == [120.0, None]
    hours = 2 + (len(params.models) - 1) * 1.5 / 60
    assert f"(a processor, 1 thread, torch 2.13.0) took {hours:.1f} hours" in str(table.caption)
    shown = [column.heading for column in table.columns]
    assert shown[:3] == ["model", "parameters", "batches"]
    assert "device" not in shown


def test_machines_that_differ_are_shown_row_by_row(params):
    write_training(params, "base", device="an accelerator", threads=4)
    table = cost_table(params)
    columns = {column.key: column.cells for column in table.columns}
    assert columns["device"][:2] == ["an accelerator", "a processor"]
    assert columns["threads"][:2] == ["4", "1"]
    assert "torch" not in columns
    assert "trainings (torch 2.13.0) took" in str(table.caption)


def test_trainings_without_a_peak_have_no_such_column(params):
    for name in params.models:
        write_training(params, name, peak_memory_mb=None)
    assert "peak_memory_mb" not in [column.key for column in cost_table(params).columns]


@pytest.mark.parametrize(
    ("file", "message"), [("weights.safetensors", ".*damaged"), ("provenance.json", "not JSON")]
)
def test_damaged_files_of_a_training_are_named(params, file, message):
    path = Path("models/demo/base", file)
    path.write_text("?")
    with pytest.raises(InputError, match=rf"base/{file}: {message}"):
        cost_table(params)
    path.unlink()
    with pytest.raises(InputError, match=rf"base/{file}: no such file"):
        cost_table(params)


def test_what_decides_is_shown_with_questions_where_a_system_on_request_is_trained(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    every = load_params(ROOT / "params.yaml", ROOT)
    models = {name: model for name, model in every.models.items() if model.seed == 1}
    ensembles = {name: one for name, one in every.ensembles.items() if one.seed == 1}
    demo = every.model_copy(update={"models": models, "ensembles": ensembles})
    own = {"global_dot": demo.models["global_dot_feed"].model_copy(update={"input_feeding": False})}
    params = demo.model_copy(update={"models": demo.models | own})
    write_all(params)
    assert not any("decides" in table.name for table in make_tables(Study(demo)))
    write(params, "global_dot", 20.0)
    write(params, "global_dot_feed", 23.0)
    tables = {table.name: table for table in make_tables(Study(params))}
    table = tables["table_decides"]
    rows = dict(zip(table.keys, table.rows, strict=True))
    columns = ("model", "bleu", "gain", "gain_over", "question")
    assert pick(rows["dot"], *columns) == ["global_dot", 20.0, None, None, None]
    question = "Does feeding the input help attention by content, too?"
    assert pick(rows["dot_feed"], *columns) == [
        "global_dot_feed",
        23.0,
        3.0,
        "global (dot)",
        question,
    ]
    (shown,) = (column.cells for column in table.columns if column.key == "question")
    assert question in shown
    assert "forward" not in rows  # not trained
    assert "the gain over the system that the column “gain over” names" in str(table.caption)
    assert "table_decides_back" not in tables
