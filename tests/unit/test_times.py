"""How long trainings take: by the speed of those that are done, or by a formula."""

import json
from pathlib import Path
from typing import Any

import made_records
import pytest
import yaml
from demo_values import demo_values

from attnmt.config import ModelShape, Params, load_params
from attnmt.planning.text_size import EXPECTED, TextSize, training_sizes
from attnmt.planning.times import CORE, training_times, weights

ROOT = Path(__file__).parents[2]
LINES = {"train": 1000, "dev": 50, "test1": 100, "test2": 150}
TEXT = TextSize(1000, {"en": 8000, "de": 9000}, {"en": 100, "de": 100})
SHAPE = ModelShape(layers=1, size=10, window_D=2, location_slots=5, init=0.1)
# Two layers of 4 x 10 x 20 weights, and W_s of 10 x 100
PRODUCTS = 2 * 800 + 1000
NAMES = ["base", "german"]
WORDS = {"base": 40_000, "german": 18_000}  # of 4 and 2 epochs, each </s> counted


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


def finish(root: Path, name: str, speed: float, **changes: Any) -> None:
    """Write what a finished training says of its speed, and of what that depends on."""
    folder = root / "models/demo" / name
    made = made_records.provenance(name, target_words_per_second=speed)
    write_json(root / f"runs/demo/{name}.json", made)
    write_json(folder / "config.json", made_records.config_of(params(), name, **changes))


def params() -> Params:
    return load_params(Path("params.yaml"))


def shipped(name: str) -> Params:
    return load_params(ROOT / f"experiments/{name}/params.yaml", ROOT)


def test_an_encoded_text_is_counted_and_any_other_has_the_expected_size(project):
    words = {"en": 94_000_000, "de": 87_000_000}
    entries = {"en": 50_000, "de": 50_000}
    expected = {"luong": TextSize(4_100_000, words, entries, estimate=EXPECTED)}
    assert training_sizes(shipped("wmt14"), ["base"]) == expected
    # At most 20 words a sentence
    words, entries = dict.fromkeys(words, 34_560_000), dict.fromkeys(words, 30_000)
    expected = {"gru": TextSize(1_728_000, words, entries, estimate=EXPECTED)}
    assert training_sizes(shipped("europarl"), ["gru_additive"]) == expected
    assert training_sizes(params(), ["base"]) == {}
    write_text_size(project)
    assert training_sizes(params(), ["base"]) == {"luong": TEXT}


def test_the_weights_of_the_papers_base_agree_with_a_count_by_hand():
    # 2 embeddings and W_s have 50,000 x 1,000; 2 x 4 layers have 4,000 x 2,000
    every, in_products = weights(shipped("wmt14"), "base", None)
    assert every - in_products == 2 * 50_000_000
    assert in_products == 50_000_000 + 8 * 8_000_000
    every, in_products = weights(shipped("europarl"), "gru_additive", None)
    assert every - in_products == 2 * 30_000 * 128


def test_a_training_has_the_speed_of_its_system_or_family_or_that_of_a_formula(project):
    assert training_times(params(), NAMES) is None  # nobody knows how much text there is
    write_text_size(project)
    times = training_times(params(), NAMES)
    assert times.rough
    assert times.seconds == pytest.approx(
        {name: 6 * PRODUCTS * count / CORE for name, count in WORDS.items()}
    )
    write_params(project, seeds=2)
    finish(project, "base", speed=10)
    finish(project, "base_2", speed=30)
    times = training_times(params(), NAMES)
    assert not times.rough
    assert times.seconds == {key: count / 20 for key, count in WORDS.items()}
    finish(project, "german", speed=100)  # its own speed counts, and not the family's mean
    assert training_times(params(), ["german_2"]).seconds == {"german_2": 180}
