"""One training from parameters to files: what the train stage does."""

import csv
import hashlib
import io
import json
import logging
import math
import platform
import subprocess
import time
from pathlib import Path
from typing import Any

import torch

from attnmt import tracking
from attnmt.config import Params
from attnmt.data.batches import ParallelText
from attnmt.data.encoded import EncodedText
from attnmt.data.vocabulary import Vocabulary
from attnmt.files import read_json, write_json, write_text
from attnmt.layout import Layout, run_name
from attnmt.model.store import best_device, describe, save_model
from attnmt.model.translator import ModelConfig, Translator
from attnmt.training.checkpoint import Checkpoints, Progress
from attnmt.training.loop import train

log = logging.getLogger(__name__)


def train_run(params: Params, model_name: str, seed: int) -> None:
    """Train ``model_name`` and write weights, config, history, metrics and provenance.

    Raises:
        InputError: for anything wrong with parameters or prepared data, before training starts.
    """
    system, recipe = params.system(model_name), params.recipe(model_name)
    layout, run = Layout(params.profile), run_name(model_name, seed)
    torch.set_num_threads(recipe.threads)
    device = best_device()
    sets = params.sets
    texts = {
        name: ParallelText(
            EncodedText.open(layout.prepared, name, system.source),
            EncodedText.open(layout.prepared, name, system.target),
            system.reverse,
        )
        for name in [sets.train, sets.dev, *sets.tests]
    }
    words = [
        len(Vocabulary.load(layout.prepared / f"vocab.{language}"))
        for language in (system.source, system.target)
    ]
    model = Translator(ModelConfig(system, params.model, *words)).to(device)
    identity = {
        "profile": params.profile,
        "model": model_name,
        "seed": seed,
        "dataset_digest": read_json(layout.prepared / "summary.json")["digest"],
    }
    config = {
        **identity,
        "sets": sets.model_dump(),
        "training": recipe.model_dump(),
        **describe(model),
    }
    identity["fingerprint"] = config["fingerprint"] = fingerprint(config, device)
    # The first held-out set chooses the checkpoint; the others are only measured.
    held_out = {name: texts[name] for name in [sets.dev, *sets.tests]}
    checkpoints = Checkpoints(layout.checkpoints(run) / config["fingerprint"])
    provenance = {**identity, **_surroundings(device)}
    with (
        checkpoints.locked(),
        tracking.training_run(
            profile=params.profile,
            model=model_name,
            seed=seed,
            fingerprint=config["fingerprint"],
            params=config,
            tags=provenance,
        ) as tracked,
    ):

        def observe(row: dict[str, float]) -> None:
            tracked.log(int(row["step"]), {k: v for k, v in row.items() if k != "step"})

        progress = train(model, texts[sets.train], held_out, recipe, seed, checkpoints, observe)
        metrics = {
            "dataset_digest": identity["dataset_digest"],
            **_metrics(progress, sets.tests),
        }
        speed = {
            "seconds": round(progress.seconds, 1),
            "target_words_per_second": round(progress.target_words / progress.seconds, 1),
        }
        log.info("%d batches: %s", progress.step, speed)
        folder = layout.model(run)
        save_model(folder, model, config)
        write_text(folder / "history.csv", _csv(progress.history))
        write_json(folder / "metrics.json", metrics)
        # Alone among the outputs, this one does not repeat to the byte.
        write_json(folder / "provenance.json", {**provenance, **speed})
        tracked.finish({**metrics, **speed})
        checkpoints.clear()


def fingerprint(config: dict[str, Any], device: torch.device) -> str:
    """Return a name for the data and the settings that decide the weights.

    A training goes on from checkpoints of the same name. The program is not part of it, so that a
    training of days survives a mended docstring.
    """
    recipe = {k: v for k, v in config["training"].items() if k != "checkpoint_minutes"}
    decides = json.dumps({**config, "training": recipe, "device": device.type}, sort_keys=True)
    return hashlib.sha256(decides.encode()).hexdigest()[:16]


def _metrics(progress: Progress, tests: list[str]) -> dict[str, Any]:
    """Return the perplexities at the best development cost."""
    best = next(row for row in progress.history if row["step"] == progress.best_step)
    return {
        "best_step": progress.best_step,
        "steps": progress.step,
        "dev_perplexity": math.exp(best["dev_cost"]),
        "perplexity": {name: math.exp(best[f"{name}_cost"]) for name in tests},
    }


def _csv(rows: list[dict[str, float]]) -> str:
    table = io.StringIO()
    writer = csv.DictWriter(table, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return table.getvalue()


def _surroundings(device: torch.device) -> dict[str, Any]:
    """Say where and from which source the training runs."""
    git = ["git", "describe", "--always", "--abbrev=40", "--dirty", "--match="]
    commit = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
    return {
        "git_commit": commit or "unknown",
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "device": torch.cuda.get_device_name() if device.type == "cuda" else _processor(),
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "python": platform.python_version(),
    }


def _processor() -> str:
    """Return the processor's name; Linux keeps it where ``platform`` does not look."""
    facts = Path("/proc/cpuinfo").read_text().splitlines() if platform.system() == "Linux" else []
    names = (line.partition(":")[2].strip() for line in facts if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())
