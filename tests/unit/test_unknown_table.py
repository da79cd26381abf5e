"""The table of unknown words, from the scores of a small experiment."""

from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest
from made_scores import REPLACEMENTS, change_result, write_scores
from small_experiment import SEEDS, make_experiment

from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.reporting.render import markdown
from attnmt.reporting.tables import Table
from attnmt.reporting.unknown_table import unknown_table

ONE_SEED = ["local_p", "plain", "german", "subwords", "gru"]


@pytest.fixture
def params(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Params:
    """Return an experiment in which every system is scored."""
    monkeypatch.chdir(tmp_path)
    params = make_experiment(Path())
    for name in [*params.models, *params.ensembles]:
        write_scores(params, name, 20.0)
    return params


def alone(params: Params, names: list[str]) -> Params:
    """Return an experiment with some of the models and no ensemble."""
    models = {name: params.models[name] for name in names}
    return params.model_copy(update={"models": models, "ensembles": {}})


def change(params: Params, name: str, **counts: int) -> None:
    change_result(params, name, "test", replacements=REPLACEMENTS | counts)


def table_of(params: Params) -> Table:
    table = unknown_table(params)
    assert table is not None
    return table


def row_of(table: Table, key: str) -> dict[str, Any]:
    return dict(table.rows[table.keys.index(key)])


def shown(table: Table, key: str) -> list[str]:
    return [column.cells[table.keys.index(key)] for column in table.columns]


def test_every_attentive_system_on_words_has_a_row(params: Params) -> None:
    assert table_of(params).keys == ["local_p", "german", "gru", "ensemble"]
    assert unknown_table(alone(params, ["plain", "subwords"])) is None


def test_a_row_has_counts_and_their_shares(params: Params) -> None:
    change(params, "german", unknown=1200, replaced=1100, copied=0, copied_right=0)
    table = table_of(alone(params, ONE_SEED))
    headings = ["system", "unknown words", "replaced", "right", "repeats a neighbor", "copied"]
    assert [column.heading for column in table.columns] == [*headings, "copied, right"]
    cells = ["local_p", "700", "600", "450 (75.0%)", "30 (5.0%)", "200", "180 (90.0%)"]
    assert shown(table, "local_p") == cells
    assert shown(table, "german")[1:] == ["1,200", "1,100", "450 (40.9%)", "30 (2.7%)", "0", "0"]
    german = row_of(table, "german")
    assert (german["right"], german["right_percent"]) == (450, 40.91)
    assert german["copied_right_percent"] is None
    facts = [german[key] for key in ("model", "family", "direction", "set", "lines", "number")]
    assert facts == ["german", "words", "backward", "test", 500, "replaced unknown words"]
    assert german["reading"].startswith("next step: 450 of the 1,200 unknown words of dev")
    assert "signature" not in german
    caption = str(table.caption)
    assert "of test (500 sentences, seed 1, beam 3) that the system's vocabulary lacks" in caption
    assert "seeds" not in caption


def test_several_seeds_are_averaged(params: Params) -> None:
    right = range(300, 300 + 50 * len(SEEDS), 50)
    for name, count in zip(SEEDS, right, strict=True):
        change(params, name, right=count)
    table = table_of(params)
    row, percents = row_of(table, "local_p"), [100 * count / 600 for count in right]
    assert row["model"].split() == SEEDS
    assert (row["right"], row["trainings"]) == (mean(right), len(SEEDS))
    assert row["right_percent"] == pytest.approx(mean(percents), abs=0.01)
    assert row["right_percent_sd"] == pytest.approx(stdev(percents), abs=0.01)
    assert shown(table, "local_p")[1:5] == ["7", "700", "600", "450 (75.0 ± 18.0%)"]
    assert shown(table, "gru")[1:5] == ["1", "700", "600", "450 (75.0%)"]
    assert row_of(table, "gru")["right_percent_sd"] is None
    assert "means over them" in str(table.caption)


def test_a_seed_that_replaces_nothing_has_no_share(params: Params) -> None:
    two = alone(params, SEEDS[:2])
    change(params, SEEDS[1], **dict.fromkeys(REPLACEMENTS, 0))
    row = row_of(table_of(two), "local_p")
    assert (row["replaced"], row["right_percent"], row["right_percent_sd"]) == (300, 75.0, None)


def test_the_table_is_written_with_its_caption(params: Params) -> None:
    text = markdown(table_of(alone(params, ONE_SEED)))
    assert text.startswith("**Unknown words, experiment demo.** “unknown words” counts")
    assert "| gru | 700 | 600 | 450 (75.0%) | 30 (5.0%) | 200 | 180 (90.0%) |" in text


def test_systems_that_were_not_scored_alike_are_refused(params: Params) -> None:
    change_result(params, "ensemble", "test", lines=499)
    with pytest.raises(InputError, match=r"ensemble.json and .* differ in lines: 499 against 500"):
        unknown_table(params)


def test_scores_without_counts_are_named(params: Params) -> None:
    change_result(params, "gru", "test", replacements=None)
    with pytest.raises(InputError, match=r"gru.json: sets.test.replacements: none, though gru"):
        unknown_table(params)
