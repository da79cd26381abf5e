"""Made-up contents of the JSON files that stages write, with every key that their readers demand."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from attnmt.config import Params, System, TrainingSettings

ROOT = Path(__file__).parents[2]
DEMO = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
LUONG = DEMO["families"]["luong"]


def config(model: str, **changes: Any) -> dict[str, Any]:
    """Return the settings of a training of the demo's base system."""
    return {
        "experiment": "demo",
        "model": model,
        "family": "luong",
        "seed": 1,
        "dataset_digest": "d" * 64,
        "fingerprint": "f1",
        "sets": {part: DEMO["sets"][part] for part in ("train", "dev", "tests")},
        "training": TrainingSettings(**LUONG["training"]).model_dump(),
        "threads": 1,
        "system": System().model_dump(),
        "shape": LUONG["shape"],
        "source_words": 100,
        "target_words": 100,
        "vocabularies": dict.fromkeys(("en", "de"), "d" * 64),
    } | changes


def config_of(params: Params, name: str, **changes: Any) -> dict[str, Any]:
    """Return the settings of one of the parameters' models."""
    training = params.trainings[name]
    own = {
        "experiment": params.experiment,
        "family": training.family,
        "seed": training.seed,
        "sets": params.sets.model_dump(exclude={"aligned"}),
        "training": params.settings(name).model_dump(),
        "system": training.system.model_dump(),
        "shape": params.shape(name).model_dump(),
    }
    return config(name, **own | changes)


def provenance(model: str, **changes: Any) -> dict[str, Any]:
    """Return when, where and how fast a model was trained."""
    return {
        "model": model,
        "fingerprint": "f1",
        "code": "c0de" * 4,
        "commits": "89abcdef01234567" * 2 + "89abcdef",
        "started": "2015-09-17T12:00:00Z",
        "device": "a processor",
        "instructions": "AVX2",
        "threads": 1,
        "torch": "2.13.0",
        "python": "3.11.2",
        "numpy": "2.4.0",
        "constraints": None,
        "seconds": 90.0,
        "target_words_per_second": 16.7,
        "peak_memory_mb": 1234,
    } | changes


def metrics(*tests: str, **changes: Any) -> dict[str, Any]:
    """The perplexities of a training of 20 batches."""
    content = {"dataset_digest": "d" * 64, "best_step": 20, "steps": 20, "dev_perplexity": 9.5}
    content |= {"jumps": 0, "late_fall": 0.01}
    return content | {"perplexity": dict.fromkeys(tests or DEMO["sets"]["tests"], 8.5)} | changes


def summary(
    sets: Mapping[str, int], codes: Sequence[str] = ("en", "de"), **changes: Any
) -> dict[str, Any]:
    """Return encode's summary of sets; a sentence has 8 source and 9 target words."""
    sizes = dict(zip(codes, (8, 9), strict=True))
    counts = {
        name: {"lines": lines, "text": {code: {"tokens": n * lines} for code, n in sizes.items()}}
        for name, lines in sets.items()
    }
    content = {"languages": [*codes], "sets": counts, "vocabulary": dict.fromkeys(codes, 100)}
    return content | {"pieces": False, "digest": "d" * 64} | changes
