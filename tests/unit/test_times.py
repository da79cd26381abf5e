"""How long trainings take: from their own speed, another's, a measured one, or the report."""

import json
from pathlib import Path
from typing import Any

import made_records
import pytest
import torch
import yaml
from demo_values import demo_values
from small_training import RECIPE

from attnmt.config import ModelShape, Params, System, load_params
from attnmt.errors import InputError
from attnmt.model.translator import ModelConfig
from attnmt.planning import measure
from attnmt.planning.text_size import Lengths, TextSize, training_size
from attnmt.planning.times import (
    Speed,
    Times,
    known_speed,
    time_text,
    training_times,
    wall_time,
)
from attnmt.scoring.numbers import Line, write_numbers

ROOT = Path(__file__).parents[2]
TEXT = TextSize(1000, {"en": 8000, "de": 9000}, {"en": 100, "de": 100}, counted=True)
SHAPE = ModelShape(layers=1, size=10, window_D=2, location_slots=5, init=0.1)
BASE = ModelConfig(System(), SHAPE, 100, 100)
# A layer has 4 x 10 x 20 weights and W_s has 10 x 100. There are 8 source words to 10 target words.
FLOP = 6 * (0.8 * 800 + 800 + 1000)
REPORT = Path("reports/demo/scores.csv")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a project with two small models, which is the working folder."""
    return enter_project(tmp_path, monkeypatch)


def enter_project(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    monkeypatch.delenv("ATTNMT_MIRROR", raising=False)
    write_params(folder)
    return folder


def write_params(folder: Path, **changes: Any) -> None:
    params = demo_values()
    luong = params["families"]["luong"]
    luong["shape"] = SHAPE.model_dump()
    luong["encoding"]["vocabulary"] = 100
    params["families"] = {"luong": luong}
    systems = {"base": {"family": "luong"}}
    systems["german"] = {"family": "luong", "direction": "backward", "epochs": 2}
    (folder / "systems.yaml").write_text(yaml.safe_dump({"systems": systems}), encoding="utf-8")
    (folder / "params.yaml").write_text(
        yaml.safe_dump(params | changes, sort_keys=False), encoding="utf-8"
    )


def write_json(path: Path, values: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(values), encoding="utf-8")


def write_text_size(root: Path, experiment: str = "demo") -> None:
    summary = made_records.summary({"train": 1000})
    write_json(root / f"data/{experiment}/encoded/luong/summary.json", summary)


def finish(root: Path, name: str, words: float, experiment: str = "demo", **system: Any) -> None:
    """Write the files of a finished training that tell its speed and its model."""
    folder = root / "models" / experiment / name
    provenance = made_records.provenance(
        name, experiment=experiment, device="K1", seconds=7200, target_words_per_second=words
    )
    write_json(folder / "provenance.json", provenance)
    config = made_records.config(name, experiment=experiment, shape=SHAPE.model_dump())
    config["system"] |= system
    write_json(folder / "config.json", config)


def write_report() -> None:
    machine = "K1, 1 thread, torch 2.9"
    lines = [
        Line(kind="training", model=name, metric="minutes", value=minutes, signature=machine)
        for name, minutes in (("base", 2.0), ("german", 4.0))
    ]
    write_numbers(REPORT, lines)


def params() -> Params:
    return load_params(Path("params.yaml"))


def wmt14() -> Params:
    return load_params(ROOT / "experiments/wmt14/params.yaml", ROOT)


def times() -> Times | None:
    return training_times(params(), ["base", "german"])


def test_lengths_and_words_follow_the_direction():
    english, german = System(), System(direction="backward")
    assert (TEXT.lengths(english), TEXT.target_words(english)) == (Lengths(8, 10), 10_000)
    assert (TEXT.lengths(german), TEXT.target_words(german)) == (Lengths(9, 9), 9_000)


def test_an_encoded_text_is_counted_and_any_other_has_the_expected_size(project):
    words, course = (training_size(wmt14(), family) for family in ("luong", "course"))
    million = {"en": 94_000_000, "de": 87_000_000}
    assert words == TextSize(4_100_000, million, {"en": 50_000, "de": 50_000}, counted=False)
    # At most 20 words a sentence
    million = {"en": 82_000_000, "de": 82_000_000}
    assert course == TextSize(4_100_000, million, {"en": 30_000, "de": 30_000}, counted=False)
    write_text_size(project, "wmt14")
    assert training_size(wmt14(), "luong") == TEXT


def test_models_that_were_trained_before_take_their_own_speeds(project):
    write_text_size(project)
    write_report()
    finish(project, "base", 1000)
    finish(project, "german", 500, direction="backward")
    seconds = {"base": 4 * 10_000 / 1000, "german": 2 * 9_000 / 500}
    assert times() == Times(seconds, "at the speed of their last trainings here")


def test_a_model_that_is_new_or_has_changed_is_estimated_from_the_slowest_training(project):
    write_text_size(project)
    write_report()
    finish(project, "base", 1000)
    finish(project, "fast", 9000)
    finish(project, "german", 5000)  # in the other direction then
    german_flop = 6 * (800 + 800 + 1000)
    found = times()
    assert found is not None
    seconds = {"base": 40, "german": 18_000 * german_flop / (1000 * FLOP)}
    assert found.seconds == pytest.approx(seconds)
    assert found.source == "at the speed of demo/base on K1, 1 thread"


def test_a_measured_speed_goes_before_other_experiments_and_after_own_trainings(project):
    for experiment in ("demo", "wmt14"):
        write_text_size(project, experiment)
    assert known_speed("demo") is None
    finish(project, "large", 300, experiment="wmt14")
    measured = Speed.of("base (measured)", "K2, 1 thread", 400.0, BASE, Lengths(8, 10))
    found = [known_speed("demo")]
    write_json(project / ".stages/demo/speed.json", measured.model_dump())
    found.append(known_speed("demo"))
    finish(project, "own", 900)
    found.append(known_speed("demo"))
    expected = ["wmt14/large", "base (measured)", "demo/own"]
    assert [speed and speed.training for speed in found] == expected


def test_without_a_speed_or_a_text_the_report_tells_the_times(project):
    assert times() is None
    write_report()
    where = "as when reports/demo was made (K1, 1 thread, torch 2.9)"
    found = Times({"base": 120, "german": 240}, where)
    assert times() == found
    finish(project, "base", 900)  # without its text, nothing says how long its sentences were
    assert times() == found


@pytest.mark.parametrize(
    ("old", "new"),
    [("2.0", ""), ("2.0", "two"), ("german", "other"), ("source,", ""), (",german", "\n<<<<<<<")],
)
def test_without_whole_numbers_no_time_is_known(project, old, new):
    write_report()
    text = REPORT.read_text()
    assert old in text
    REPORT.write_text(text.replace(old, new, 1))
    assert times() is None


def test_what_is_measured_is_the_model_whose_words_cost_most_and_it_is_remembered(
    project, monkeypatch
):
    with pytest.raises(InputError, match="the lengths of the sentences of demo are not known"):
        measure.measure(params())
    write_text_size(project)
    monkeypatch.setattr(measure, "_batches_a_second", lambda train_one_batch, seconds: 1.0)
    measured = measure.measure(params())
    words = demo_values()["families"]["luong"]["training"]["batch_size"] * 9
    assert measured.training == "german (measured, without padding)"
    assert measured.target_words == words
    assert known_speed("demo") == measured


def test_measuring_trains_on_random_words(monkeypatch):
    calls: list[float] = []

    def twice_a_second(train_one_batch: Any, seconds: float) -> float:
        train_one_batch()
        calls.append(seconds)
        return 2.0

    monkeypatch.setattr(measure, "_batches_a_second", twice_a_second)
    recipe = RECIPE.model_copy(update={"batch_size": 3})
    lengths, threads = Lengths(4.6, 7.4), torch.get_num_threads()
    _, words = measure.target_words_a_second(BASE, recipe, lengths, threads)
    assert calls == [measure.WARM_UP, measure.MEASURED]
    assert words == 2 * 3 * 7


def test_batches_are_counted_until_the_time_is_over(monkeypatch):
    clock = iter([0.0, 0.0, 2.0, 4.0])  # the start, then before each batch
    monkeypatch.setattr(measure.time, "monotonic", lambda: next(clock))
    assert measure._batches_a_second(lambda: None, 3.0) == 0.5
    clock = iter([0.0, 5.0, 10.0])  # one batch is always trained, even after the time is over
    assert measure._batches_a_second(lambda: None, 3.0) == 0.1


def test_wall_time_is_the_longest_training_or_an_even_share():
    assert [wall_time([1, 2, 3], 1), wall_time([2, 2, 2], 2), wall_time([1, 2, 4], 9)] == [6, 3, 4]


def test_times_are_said_in_fitting_units():
    said = [time_text(seconds) for seconds in (0.4, 99, 100, 1800, 7200, 4 * 86400)]
    assert said == ["0 s", "99 s", "1.7 min", "30 min", "2.0 h", "4.0 days"]
