"""How fast models train, and how much text they train on; the numbers are computed by hand."""

import json
from pathlib import Path
from typing import Any

import made_records
import pytest
import torch
from small_training import RECIPE

from attnmt.config import ModelShape, Params, System, load_params
from attnmt.errors import InputError
from attnmt.model.translator import ModelConfig
from attnmt.planning import speed
from attnmt.planning.speed import Speed, finished_speeds, measure, paper_speed
from attnmt.planning.text_size import Lengths, TextSize, training_size

ROOT = Path(__file__).parents[2]
TEXT = TextSize(1000, {"en": 8000, "de": 9000}, {"en": 100, "de": 100}, counted=True)
SHAPE = ModelShape(layers=1, size=10, window_D=2, location_slots=5, init=0.1)
BASE = ModelConfig(System(), SHAPE, 100, 100)
# A layer has 4 x 10 x 20 weights and W_s has 10 x 100. There are 8 source words to 10 target words.
FLOP = 6 * (0.8 * 800 + 800 + 1000)


def write_json(path: Path, values: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(values), encoding="utf-8")


def write_text_size(root: Path, experiment: str = "demo", family: str = "luong") -> None:
    summary = made_records.summary({"train": 1000})
    write_json(root / f"data/{experiment}/encoded/{family}/summary.json", summary)


def finish(
    root: Path,
    name: str,
    words: float,
    experiment: str = "demo",
    device: str = "K1",
    size: int = 10,
) -> None:
    """Write the files of a finished training that tell its speed and its model."""
    folder = root / "models" / experiment / name
    provenance = made_records.provenance(
        name, experiment=experiment, device=device, seconds=7200, target_words_per_second=words
    )
    write_json(folder / "provenance.json", provenance)
    shape = SHAPE.model_copy(update={"size": size}).model_dump()
    config = made_records.config(name, experiment=experiment, shape=shape)
    write_json(folder / "config.json", config)


def wmt14() -> Params:
    return load_params(ROOT / "experiments/wmt14/params.yaml", ROOT)


def test_lengths_and_words_follow_the_direction() -> None:
    german, english = System(direction="backward"), System()
    assert TEXT.lengths(english) == Lengths(source=8, target=10)
    assert TEXT.lengths(german) == Lengths(source=9, target=9)
    assert TEXT.target_words(english) == 10_000
    assert TEXT.target_words(german) == 9_000


def test_an_encoded_text_is_counted(tmp_path: Path) -> None:
    write_text_size(tmp_path, "wmt14")
    assert training_size(wmt14(), "luong", tmp_path) == TEXT


def test_a_text_that_is_not_there_has_the_expected_size(tmp_path: Path) -> None:
    params = wmt14()
    words = training_size(params, "luong", tmp_path)
    course = training_size(params, "course", tmp_path)
    assert words is not None
    assert course is not None
    assert (words.pairs, words.counted) == (4_100_000, False)
    assert words.words == {"en": 94_000_000, "de": 87_000_000}
    assert words.vocabulary == {"en": 50_000, "de": 50_000}
    assert course.words == {"en": 82_000_000, "de": 82_000_000}  # at most 20 a sentence
    assert course.vocabulary == {"en": 30_000, "de": 30_000}


def test_a_generated_text_has_no_size_before_it_is_there(tmp_path: Path) -> None:
    params = load_params(ROOT / "params.yaml", ROOT)
    assert training_size(params, "luong", tmp_path) is None


def test_a_speed_gives_the_hours_of_other_models() -> None:
    lengths = TEXT.lengths(System())
    base_speed = Speed.of("base", "K1", 500, BASE, lengths)
    assert base_speed.flop == 500 * FLOP
    assert base_speed.cost == FLOP
    assert base_speed.hours(500 * 3600 * 3, BASE, lengths) == pytest.approx(3)
    wide = ModelConfig(System(), SHAPE.model_copy(update={"size": 20}), 100, 100)
    wide_flop = 6 * (0.8 * 3200 + 3200 + 2000)
    assert base_speed.hours(3600, wide, lengths) == pytest.approx(wide_flop / FLOP / 500)


def test_the_papers_speed_is_a_thousand_words_of_its_best_system() -> None:
    # Layers of 4,000 x 2,000 (1,000 more inputs in the decoder's first); keys, scores, context, W_p, W_c
    source, target = 116 / 4.5, 110 / 4.5 + 1
    encoder, decoder = 32e6 * source / target, 36e6
    attention = 1e6 * source / target + 2 * 1000 * source + 1e6 + 2e6
    expected = 1000 * 6 * (encoder + decoder + attention + 50e6)
    assert paper_speed().flop == pytest.approx(expected)


def test_the_largest_training_of_each_device_tells_its_speed(tmp_path: Path) -> None:
    write_text_size(tmp_path)
    finish(tmp_path, "small", 900)
    finish(tmp_path, "large", 300, size=20)
    finish(tmp_path, "other", 5000, device="K2")
    found = {
        item.device: (item.training, item.target_words)
        for item in finished_speeds("demo", tmp_path)
    }
    assert found == {"K1, 1 thread": ("demo/large", 300), "K2, 1 thread": ("demo/other", 5000)}


def test_an_experiments_own_trainings_go_before_larger_ones(tmp_path: Path) -> None:
    for experiment in ("demo", "wmt14"):
        write_text_size(tmp_path, experiment)
    finish(tmp_path, "own", 900)
    finish(tmp_path, "large", 300, experiment="wmt14", size=20)
    assert [item.training for item in finished_speeds("demo", tmp_path)] == ["demo/own"]
    assert [item.training for item in finished_speeds("multi30k", tmp_path)] == ["wmt14/large"]


def test_a_training_without_its_text_tells_no_speed(tmp_path: Path) -> None:
    finish(tmp_path, "base", 900)
    assert finished_speeds("demo", tmp_path) == []


def test_a_damaged_model_is_named(tmp_path: Path) -> None:
    write_text_size(tmp_path)
    finish(tmp_path, "base", 900)
    write_json(tmp_path / "models/demo/base/config.json", {"system": {"beam": 1}})
    with pytest.raises(InputError, match=r"models/demo/base/config\.json: experiment: this key is"):
        finished_speeds("demo", tmp_path)


def test_measuring_trains_on_random_words_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    calls: list[float] = []

    def twice_a_second(train_one_batch: Any, seconds: float) -> float:
        train_one_batch()
        calls.append(seconds)
        return 2.0

    monkeypatch.setattr(speed, "_batches_a_second", twice_a_second)
    recipe = RECIPE.model_copy(update={"batch_size": 3})
    measured = measure("base", BASE, recipe, Lengths(4.6, 7.4), torch.get_num_threads())
    assert calls == [speed.WARM_UP, speed.MEASURED]
    assert (measured.training, measured.target_words) == (
        "base (measured now, without padding)",
        2 * 3 * 7,
    )
    assert measured.cost == pytest.approx(6 * (800 * 4.6 / 7.4 + 800 + 1000))
    assert list(tmp_path.iterdir()) == []


def test_batches_are_counted_until_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.0, 2.0, 4.0])  # the start, then before each batch
    monkeypatch.setattr(speed.time, "monotonic", lambda: next(clock))
    assert speed._batches_a_second(lambda: None, 3.0) == 0.5
    clock = iter([0.0, 5.0, 10.0])  # one batch is always trained, even after the time is over
    assert speed._batches_a_second(lambda: None, 3.0) == 0.1
