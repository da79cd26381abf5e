"""The training loop: evaluate if due, save if due, stop if asked, train on a batch."""

import logging
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from tqdm import tqdm

from attnmt.config import TrainingSettings
from attnmt.model.luong import LuongNMT
from attnmt.text.batches import ParallelText
from attnmt.training.checkpoint import Checkpoints
from attnmt.training.cuda_graphs import WATCHED, captures
from attnmt.training.evaluation import Evaluation, Observer
from attnmt.training.machine import described
from attnmt.training.schedule import Schedule
from attnmt.training.state import Meter, TrainingState
from attnmt.training.step import TrainingStep
from attnmt.training.stop import Stop, TrainingStopped

log = logging.getLogger(__name__)


class Trained(NamedTuple):
    """A finished training."""

    progress: TrainingState
    metrics: dict[str, Any]  # of the model that is kept, as in metrics.json


def train(
    model: LuongNMT,
    text: ParallelText,
    held_out: Mapping[str, ParallelText],
    settings: TrainingSettings,
    seed: int,
    checkpoints: Checkpoints,
    observe: Observer,
    stop: Stop | None = None,
) -> Trained:
    """Train to the end, from the last checkpoint if there is one; ``model`` is then the one to keep.

    At each evaluation a row goes to ``history`` and ``observe``; the first of ``held_out`` chooses the
    best weights. The result is a function of model, text, settings and seed. Stopping or killing a
    training and resuming it does not change a byte.

    Raises:
        InputError: if a checkpoint cannot be read or written, or when the cost, the weights or a
            perplexity are no longer finite.
        TrainingStopped: when a signal has come; the checkpoint holds all that was trained.
    """
    stop = stop or Stop()
    schedule = Schedule(settings, len(text))
    log.info(
        "%s, %s%s, %d parameters, %d batches",
        described(model.device),
        settings.precision,
        ", captured steps" * captures(model),
        sum(parameter.numel() for parameter in model.parameters()),
        schedule.batches,
    )
    torch.manual_seed(seed)
    model.initialize(seed)
    model.train()
    step = TrainingStep(model, settings)
    evaluation = Evaluation(model, held_out, schedule, checkpoints, observe, stop)
    progress = checkpoints.load(model, step.optimizer)
    if progress.step:
        log.info("resuming after batch %d", progress.step)
    meter, start, before = Meter(progress, model.device), progress.step, replace(progress)
    batches = _batches(text, settings, seed, progress)
    bar = tqdm(
        total=schedule.batches,
        initial=progress.step,
        unit="batch",
        dynamic_ncols=True,
        disable=not sys.stderr.isatty(),
    )
    with bar, stop.reported(progress):
        # This begins right after loading, because a stop may have ended an evaluation early.
        while True:
            if schedule.evaluation_due(progress):
                evaluation.run(progress, meter)
                bar.set_postfix(best_dev=f"{progress.best_cost:.3f}")
            stopping = stop.asked  # once, because a signal may come at any time
            if stopping or checkpoints.due(progress):
                meter.read(progress)
                checkpoints.save(model, step.optimizer, progress)
            if schedule.ended(progress):
                break
            if stopping:
                raise TrainingStopped
            rows = next(batches)
            words = int(text.target.lengths[rows].sum()) + len(rows)
            progress.step += 1
            progress.target_words += words
            progress.recent_words += words
            # On a GPU the host does not wait for a step: it makes the next batch meanwhile.
            meter.add(step(text.batch(rows), schedule.rate(progress)))
            bar.update()
            if progress.step - start in (WATCHED, 2 * WATCHED):
                meter.read(progress)
                if progress.step > start + WATCHED:  # steps are captured now
                    words = progress.target_words - before.target_words
                    speed = words / (progress.seconds - before.seconds)
                    log.info("the second %d batches: %.0f target words/s", WATCHED, speed)
                before = replace(progress)
        model.load_state_dict(checkpoints.load_best(progress))
        metrics = evaluation.metrics(progress)
    model.eval()
    return Trained(progress, metrics)


def _batches(
    text: ParallelText, settings: TrainingSettings, seed: int, progress: TrainingState
) -> Iterator[NDArray[np.int64]]:
    """Yield the rows of every batch that is left, and count batches and epochs in ``progress``."""
    options = (seed, settings.batch_size, settings.chunk_batches, settings.shuffle)
    while progress.epoch <= settings.epochs:
        for rows in text.training_order(progress.epoch, *options)[progress.batch :]:
            progress.batch += 1
            yield rows
        progress.epoch += 1
        progress.batch = 0
