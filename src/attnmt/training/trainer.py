"""One training from parameters to files: what the train stage does."""

import csv
import hashlib
import io
import json
import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import torch

from attnmt.config import SYSTEMS, Params
from attnmt.files.text_file import write_json, write_text
from attnmt.files.yaml_file import YamlFile
from attnmt.layout import HISTORY, METRICS, Layout
from attnmt.model.cpu_isa import compute_with
from attnmt.model.device import best_device
from attnmt.model.luong import LuongNMT, ModelConfig
from attnmt.model.precision import products_in, supported
from attnmt.text.batches import ParallelText
from attnmt.text.encoded import EncodedSets
from attnmt.training.attempts import Origin, resume_or_reset
from attnmt.training.checkpoint import Checkpoints
from attnmt.training.loop import train
from attnmt.training.machine import described, keep_freed_memory, surroundings
from attnmt.training.saved import describe, save_model
from attnmt.training.state import TrainingState
from attnmt.training.stop import Stop, noted

log = logging.getLogger(__name__)


# Opens what watches a training while it runs, by config.json and what the training says of itself:
# attnmt.tracking.runs.LiveRun.
Watch = Callable[[dict[str, Any], dict[str, Any]], AbstractContextManager[Any]]


def train_run(params: Params, name: str, code: str, watch: Watch) -> None:
    """Train the model ``name`` and write weights, config, history, metrics and provenance.

    ``code`` is the digest of the code that runs; checkpoints of other code are not gone on from.

    Raises:
        InputError: before training starts, if anything is wrong with parameters or encoded data; later,
            if the disk is full or the cost is not finite.
        TrainingStopped: after a signal, when the checkpoint holds all that was trained.
    """
    with noted() as stop:
        _train(params, name, code, watch, stop)


def _train(params: Params, name: str, code: str, watch: Watch, stop: Stop) -> None:
    training, settings, sets = params.training(name), params.settings(name), params.sets
    layout = Layout(params.experiment)
    compute_with(params.machine.cpu_isa)
    torch.set_num_threads(params.machine.train_threads)
    keep_freed_memory()
    device = best_device()
    _refuse_precision(params, name, device)
    data = EncodedSets(layout.encoded(training.family))
    source, target = params.sides(name)
    texts = {
        split: ParallelText(data.text(split, source), data.text(split, target), training.reverse)
        for split in [sets.train, sets.dev, *sets.tests]
    }
    # The first held-out set chooses the checkpoint; the others are only measured.
    held_out = {split: texts[split] for split in [sets.dev, *sets.tests]}
    vocabularies = {language: data.vocabulary(language) for language in (source, target)}
    words = [len(vocabulary) for vocabulary in vocabularies.values()]
    data.verify()
    model = LuongNMT(ModelConfig(training.system, params.shape(name), *words)).to(device)
    config = {
        "experiment": params.experiment,
        "model": name,
        "family": training.family,
        "seed": training.seed,
        "dataset_digest": data.digest,
        "sets": sets.model_dump(exclude={"aligned"}),
        "training": settings.model_dump(),
        "instructions": params.machine.cpu_isa,
        "threads": params.machine.train_threads,
        "vocabularies": {language: each.digest for language, each in vocabularies.items()},
        **describe(model),
    }
    config["fingerprint"] = fingerprint(config, device)
    checkpoints = Checkpoints(
        layout.checkpoints(name) / config["fingerprint"], params.machine.checkpoint_minutes
    )
    with products_in(settings.precision, device), checkpoints.locked():
        machine = surroundings(device, SYSTEMS, params.params_file)
        commits, started = [machine.pop("git_commit")], machine.pop("started")
        now = Origin(code=code, commits=commits, devices=[machine.pop("device")], started=started)
        origin = resume_or_reset(checkpoints.folder, now, params.machine.other_code)
        if device.type == "cuda" and len({one.partition(",")[0] for one in origin.devices}) > 1:
            log.warning("this training has run on several kinds of GPU: %s", origin.devices)
        about = {"model": name, "fingerprint": config["fingerprint"], **machine}
        about |= {"code": origin.code, "started": origin.started}
        about |= {"commits": " ".join(origin.commits), "device": "; ".join(origin.devices)}
        with watch(config, about) as watcher:
            progress, metrics = train(
                model,
                texts[sets.train],
                held_out,
                settings,
                training.seed,
                checkpoints,
                watcher.log,
                stop,
            )
            metrics = {"dataset_digest": data.digest, **metrics}
            cost = _cost(progress)
            log.info("%d batches: %s", progress.step, cost)
            folder = layout.model(name)
            save_model(folder, model, config)
            write_text(folder / HISTORY, _csv(progress.history))
            write_json(folder / METRICS, metrics)
            write_json(layout.provenance(name), {**about, **cost})
            watcher.end({**metrics, **cost})


def _refuse_precision(params: Params, name: str, device: torch.device) -> None:
    """Refuse a precision that the device lacks: on a processor, a GPU's would silently take weeks."""
    precision, place = params.settings(name).precision, params.training(name).family
    if precision not in supported(device):
        raise YamlFile.read(Path(params.params_file)).error(
            ["families", place, "training", "precision"],
            f"{described(device)} has no {precision}; find out why this is not a GPU that has it, or "
            f"write fp32, as for a rehearsal on a processor",
        )


def fingerprint(config: dict[str, Any], device: torch.device) -> str:
    """Return a name for the data and the settings that decide the weights.

    A training's checkpoints lie under this name. The code is not part of it, so checkpoints of other
    code are found and can be reported (:func:`~attnmt.training.attempts.resume_or_reset`).
    """
    settings = json.dumps({**config, "device": device.type}, sort_keys=True)
    return hashlib.sha256(settings.encode()).hexdigest()[:16]


def _cost(progress: TrainingState) -> dict[str, float]:
    return {
        "seconds": round(progress.seconds, 1),
        "target_words_per_second": round(progress.target_words / progress.seconds, 1),
        "peak_memory_mb": progress.peak_memory_mb,
    }


def _csv(rows: list[dict[str, float]]) -> str:
    table = io.StringIO()
    writer = csv.DictWriter(table, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return table.getvalue()
