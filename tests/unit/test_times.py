"""How long trainings take: at a measured speed of one like them, or as in the report."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import made_records
import pytest
import torch
import yaml
from demo_values import demo_values
from small_training import FEEDING, RECIPE, small

from attnmt.config import ModelShape, Params, System, load_params
from attnmt.errors import InputError
from attnmt.files.json_file import read_model
from attnmt.files.text_file import write_lines
from attnmt.layout import Layout
from attnmt.model.translator import ModelConfig
from attnmt.planning import measure
from attnmt.planning.cost import training_costs
from attnmt.planning.text_size import EXPECTED, Lengths, TextSize, training_sizes
from attnmt.planning.times import (
    Speed,
    Speeds,
    Times,
    speed_settings,
    time_text,
    training_times,
    wall_time,
)
from attnmt.scoring.numbers import Line, write_numbers
from attnmt.training.checkpoint import Checkpoints
from attnmt.training.optimizers import OPTIMIZERS
from attnmt.training.state import TrainingState

ROOT = Path(__file__).parents[2]
LINES = {"train": 1000, "dev": 50, "test1": 100, "test2": 150}
TEXT = TextSize(1000, {"en": 8000, "de": 9000}, {"en": 100, "de": 100}, 300, "d" * 64)
SHAPE = ModelShape(layers=1, size=10, window_D=2, location_slots=5, init=0.1)
BASE = ModelConfig(System(), SHAPE, 100, 100)
# A layer has 4 x 10 x 20 weights and W_s has 10 x 100. There are 8 source words to 10 target words.
FLOP = 6 * (0.8 * 800 + 800 + 1000)
GERMAN_FLOP = 6 * (800 + 800 + 1000)  # backward, a sentence has 9 source words and 9 target words
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
    write_json(root / f"data/{experiment}/encoded/luong/summary.json", made_records.summary(LINES))


def finish(root: Path, name: str, seconds: float = 7200, **changes: Any) -> None:
    """Write what a finished training says of its time, and of what that depends on."""
    folder = root / "models/demo" / name
    write_json(folder / "provenance.json", made_records.provenance(name, seconds=seconds))
    write_json(folder / "config.json", made_records.config_of(params(), name, **changes))


def remember(root: Path, **changes: Any) -> None:
    """Write the speed that was measured for the demo's family, with some values changed."""
    settings = speed_settings(params(), "luong") | changes.pop("settings", {})
    values = {"training": "base (measured)", "device": "K2", "settings": settings, "flop": FLOP}
    speeds = Speeds(families={"luong": Speed(**values | changes)})
    write_json(root / ".stages/demo/speed.json", speeds.model_dump())


def write_report() -> None:
    """Write the times of trainings on 10,000 target words."""
    common = {"kind": "training", "signature": "K1, 1 thread, torch 2.9"}
    numbers = {"base": {"minutes": 2, "target_words": 10_000}, "german": {"minutes": 4}}
    lines = [
        Line.model_validate(common | {"model": name, "metric": metric, "value": value})
        for name, values in numbers.items()
        for metric, value in values.items()
    ]
    write_numbers(REPORT, lines)


def params() -> Params:
    return load_params(Path("params.yaml"))


def wmt14() -> Params:
    return load_params(ROOT / "experiments/wmt14/params.yaml", ROOT)


def times() -> Times | None:
    return training_times(params(), ["base", "german"])


def test_lengths_and_words_follow_the_direction(project):
    english, german, recipe = System(), System(direction="backward"), params().recipe("base")
    assert TEXT.lengths(english) == Lengths(8, 10)
    assert TEXT.lengths(german) == Lengths(9, 9)
    assert TEXT.target_words(english, recipe) == 4 * 10_000
    assert TEXT.target_words(german, recipe) == 4 * 9_000


def test_each_evaluation_costs_a_third_of_training_on_its_words(project):
    recipe = params().recipe(
        "base"
    )  # 4 epochs of 42 batches, and an evaluation after 142 and at the end
    assert TEXT.work(System(), recipe) == pytest.approx(40_000 + 2 * 300 * 10 / 3)
    often = recipe.model_copy(update={"evaluate_every": 42})
    assert TEXT.work(System(), often) == pytest.approx(40_000 + 4 * 300 * 10 / 3)


def test_an_encoded_text_is_counted_and_any_other_has_the_expected_size(project):
    names = ["base", "gru_additive"]
    sizes = training_sizes(wmt14(), names)
    words = {"en": 94_000_000, "de": 87_000_000}
    entries = {"en": 50_000, "de": 50_000}
    assert sizes["luong"] == TextSize(4_100_000, words, entries, estimate=EXPECTED)
    # At most 20 words a sentence
    words, entries = {"en": 82_000_000, "de": 82_000_000}, {"en": 30_000, "de": 30_000}
    assert sizes["course"] == TextSize(4_100_000, words, entries, estimate=EXPECTED)
    assert training_sizes(params(), ["base"]) == {}
    write_text_size(project)
    assert training_sizes(params(), ["base"]) == {"luong": TEXT}


def test_the_sets_of_a_local_text_are_counted_before_it_is_encoded(project):
    write_params(
        project,
        experiment="own",
        corpus={"kind": "local", "expected": {"pairs": 1000, "words": {"en": 8000, "de": 9000}}},
    )
    folder = Layout("own").local_text
    write_lines(folder / "dev.en", ["a"] * 50)
    write_lines(folder / "test1.en.gz", ["a"] * 250)
    assert training_sizes(params(), ["base"])["luong"] == replace(
        TEXT, digest=None, estimate=EXPECTED
    )


def test_a_family_takes_its_measured_speed_and_else_the_report_s_time(project):
    write_text_size(project)
    assert times() is None
    write_report()
    # base had a quarter of the words that it has now, and those of german are not known
    reported = Times(
        {"base": 4 * 120, "german": 240}, "as when reports/demo was made (K1, 1 thread, torch 2.9)"
    )
    assert times() == reported
    remember(project)
    german = 18_900 * GERMAN_FLOP / FLOP
    expected = Times({"base": 42_000, "german": german}, "at the speed of base (measured) on K2")
    assert times() == expected
    for change in ({"size": 20}, {"batch_size": 7}, {"precision": "bf16"}):
        remember(project, settings=change)
        assert times() == reported
    write_json(project / ".stages/demo/speed.json", {"flop": 1})
    with pytest.raises(InputError, match=r"speed\.json.*measure again with attnmt plan --measure"):
        times()


def test_without_a_report_finished_trainings_set_the_pace(project):
    write_text_size(project)
    write_params(project, seeds=2)
    again, backward = ["base_2"], ["base_2", "german"]
    assert training_times(params(), again) is None
    finish(project, "base")
    done = "at the pace of those that are done (a processor, 1 thread)"
    assert training_times(params(), again) == Times({"base_2": 7200}, done)
    base, german = (
        TEXT.work(params().model(name).system, params().recipe(name)) for name in ("base", "german")
    )
    expected = Times({"base_2": 7200, "german": pytest.approx(7200 * german / base)}, done)
    assert training_times(params(), backward) == expected
    finish(project, "german", seconds=60)  # its own pace counts, and not the family's mean
    assert training_times(params(), backward).seconds == {"base_2": 7200, "german": 60}
    short = params().recipe("base").model_copy(update={"epochs": 2}).model_dump()
    finish(project, "base", training=short)  # it has learned for half as long as it is to learn now
    assert training_times(params(), again).seconds == pytest.approx({"base_2": 14_400})
    (project / "models/demo/german/config.json").write_text("damaged")
    for changes in (
        {"shape": SHAPE.model_dump() | {"size": 20}},
        {"training": short | {"batch_size": 7}},
    ):
        finish(project, "base", **changes)
        assert training_times(params(), again) is None


def test_trainings_on_another_text_set_no_pace(project):
    write_text_size(project)
    write_params(project, seeds=2)
    finish(project, "base", dataset_digest="e" * 64)
    assert training_times(params(), ["base_2"]) is None


def test_a_report_of_other_sizes_tells_no_times(project):
    write_report()
    for name in ("base", "german"):
        finish(project, name)
    assert times().seconds == {"base": 120, "german": 240}
    finish(project, "german", shape=SHAPE.model_dump() | {"size": 20})
    assert times() is None


def test_without_a_text_the_report_tells_the_times(project):
    remember(project)
    assert times() is None
    write_report()
    assert times().seconds == {"base": 120, "german": 240}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (",2.0,", ",,"),
        (",2.0,", ",two,"),
        ("german", "other"),
        ("source,", ""),
        (",german", "\n<<<<<<<"),
    ],
)
def test_without_whole_numbers_no_time_is_known(project, old, new):
    write_report()
    text = REPORT.read_text()
    assert old in text
    REPORT.write_text(text.replace(old, new, 1))
    assert times() is None


def test_in_each_family_the_model_whose_words_cost_most_is_measured(project, monkeypatch):
    names = ["base", "german"]
    with pytest.raises(InputError, match="the lengths of the sentences of demo are not known"):
        measure.measure_speeds(params(), names)
    monkeypatch.setattr(measure, "_batches_a_second", lambda train_one_batch, seconds: 1.0)
    write_text_size(project)
    measure.measure_speeds(params(), names)
    speed = read_model(project / ".stages/demo/speed.json", Speeds, "").families["luong"]
    batch = params().recipe("german").batch_size
    assert speed.training == "german (measured, without padding)"
    assert speed.settings == speed_settings(params(), "luong")
    assert speed.flop == pytest.approx(batch * 9 * GERMAN_FLOP)
    assert training_costs(params(), names, {"luong": TEXT})["german"] == GERMAN_FLOP
    # Another family's speed stays.
    file = project / ".stages/demo/speed.json"
    write_json(file, Speeds(families={"course": speed}).model_dump())
    measure.measure_speeds(params(), names)
    assert read_model(file, Speeds, "").families == {"course": speed, "luong": speed}


def test_measuring_trains_on_random_words(monkeypatch):
    calls: list[float] = []

    def twice_a_second(train_one_batch: Any, seconds: float) -> float:
        train_one_batch()
        calls.append(seconds)
        return 2.0

    monkeypatch.setattr(measure, "_batches_a_second", twice_a_second)
    recipe = RECIPE.model_copy(update={"batch_size": 3})
    cpu = torch.device("cpu")
    words = measure.target_words_a_second(BASE, recipe, Lengths(4.6, 7.4), cpu, 12.0)
    assert calls == [2.0, 10.0]
    assert words == 2 * 3 * 7


def test_batches_are_counted_until_the_time_is_over(monkeypatch):
    clock = iter([0.0, 0.0, 2.0, 4.0])  # the start, then before each batch
    monkeypatch.setattr(measure.time, "monotonic", lambda: next(clock))
    assert measure._batches_a_second(lambda: None, 3.0) == 0.5
    clock = iter([0.0, 5.0, 10.0])  # one batch is always trained, even after the time is over
    assert measure._batches_a_second(lambda: None, 3.0) == 0.1


def save_checkpoint(folder: Path, step: int) -> None:
    """Write the checkpoint of a training after so many batches."""
    folder.mkdir(parents=True)
    model = small(FEEDING, 64)
    optimizer = OPTIMIZERS[RECIPE.optimizer](list(model.parameters()), RECIPE.numbers)
    Checkpoints(folder, 0).save(model, optimizer, TrainingState(step=step))


def test_the_newest_checkpoint_says_what_is_trained(project):
    """base has 4 epochs of 42 batches, which take 42,000 s."""
    write_text_size(project)
    remember(project)
    place = Layout("demo").checkpoints("base")
    for at, (name, step) in enumerate({"newer": 42, "older": 80}.items()):
        save_checkpoint(place / name, step)
        os.utime(place / name / "last.safetensors", (9 - at, 9 - at))
    (damaged := Layout("demo").checkpoints("german") / "f").mkdir(parents=True)
    (damaged / "last.safetensors").write_text("not a checkpoint")
    assert times().trained == {"base": 0.25}
    assert times().seconds["base"] == 42_000
    assert times().saved == (
        " These times are from the start. 1 of them can go on from a checkpoint, which saves about "
        "2.9 h, unless their settings or code have changed."
    )


def test_checkpoints_of_an_experiment_that_is_not_encoded_do_not_count(project):
    """Such as those of an earlier experiment of the same name."""
    write_params(
        project, corpus={"kind": "local", "expected": {"pairs": 1000, "words": TEXT.words}}
    )
    remember(project)
    assert times().trained == {}
    save_checkpoint(Layout("demo").checkpoints("base") / "f", 42)
    assert times().trained == {}
    assert times().saved == ""


def test_wall_time_is_the_longest_training_or_an_even_share():
    assert [wall_time([1, 2, 3], 1), wall_time([2, 2, 2], 2), wall_time([1, 2, 4], 9)] == [6, 3, 4]


def test_times_are_said_in_fitting_units():
    said = [time_text(seconds) for seconds in (0.4, 99, 100, 1800, 7200, 4 * 86400)]
    assert said == ["0 s", "99 s", "1.7 min", "30 min", "2.0 h", "4.0 days"]
