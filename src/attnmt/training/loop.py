"""The training loop, which can be read from top to bottom."""

import logging
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from attnmt.config import Training
from attnmt.model.translator import Translator
from attnmt.text.batches import ParallelText
from attnmt.training.attempts import DivergedError, noted_failures
from attnmt.training.checkpoint import Checkpoints, Progress
from attnmt.training.curve import jump
from attnmt.training.machine import peak_memory
from attnmt.training.optimizers import learning_rate
from attnmt.training.step import Step
from attnmt.training.stop import START_AGAIN, Stop, TrainingStopped

log = logging.getLogger(__name__)

Observer = Callable[[dict[str, float]], None]
# Target positions in a batch of an evaluation: they fit a processor's cache and keep a GPU busy.
EVALUATION_COLUMNS = 4096


def train(
    model: Translator,
    text: ParallelText,
    held_out: Mapping[str, ParallelText],
    recipe: Training,
    seed: int,
    checkpoints: Checkpoints,
    observe: Observer,
    stop: Stop | None = None,
) -> Progress:
    """Train to the end, from the last checkpoint if there is one; load the best weights into ``model``.

    At each evaluation a row goes to ``history`` and ``observe``; the first of ``held_out`` chooses the
    best weights. The result is a function of model, text, recipe and seed. Stopping or killing a
    training and resuming it does not change a byte.

    Raises:
        DivergedError: when the cost or the weights are no longer finite.
        InputError: if a checkpoint cannot be read or written.
        TrainingStopped: when a signal has come; the checkpoint holds all that was trained.
    """
    stop = stop or Stop()
    torch.manual_seed(seed)
    model.initialize(seed)
    model.train()
    step = Step(model, recipe)
    progress = checkpoints.load(model, step.optimizer)
    if progress.step:
        log.info("resuming after batch %d", progress.step)
    batches = _batches(text, recipe, seed, progress)
    total = recipe.epochs * math.ceil(len(text) / recipe.batch_size)
    started = time.monotonic() - progress.seconds
    # The cost is summed on the device and in one order, so that no checkpoint or resume changes it.
    recent_cost = torch.tensor(progress.recent_cost, dtype=torch.float64, device=model.W_s.device)
    bar = tqdm(
        total=total,
        initial=progress.step,
        unit="batch",
        dynamic_ncols=True,
        disable=not sys.stderr.isatty(),
    )
    with bar, noted_failures(checkpoints.folder, progress.step):
        # What follows runs between two batches. It also runs right after loading, because a stop may
        # have ended an evaluation early.
        while True:
            ended = progress.step == total
            due = progress.recent_words > 0 and (
                progress.step % recipe.evaluate_every == 0 or ended
            )
            evaluated = False
            if due:
                _take_stock(progress, recent_cost, started)
                evaluated = _evaluate(model, held_out, recipe, progress, checkpoints, stop)
            if evaluated:
                recent_cost.zero_()
            stopping = stop.asked
            if due or stopping or checkpoints.due(progress):
                _take_stock(progress, recent_cost, started)
                checkpoints.save(model, step.optimizer, progress)
            if evaluated:
                speed = progress.target_words / progress.seconds
                observe({**progress.history[-1], "target_words_per_second": speed})
                bar.set_postfix(dev=f"{progress.history[-1]['dev_cost']:.3f}")
            if ended and not progress.recent_words:
                break
            if stopping:
                log.warning(
                    "stopped%s after batch %d, which the checkpoint holds: start the same training "
                    "again to go on (exit status %d)",
                    f" by {stop.signal}" if stop.signal else "",
                    progress.step,
                    START_AGAIN,
                )
                raise TrainingStopped
            rows = next(batches)
            # On a GPU the host does not wait for a step: it makes the next batch meanwhile.
            recent_cost += step(text.batch(rows), learning_rate(recipe, progress.epoch))
            words = int(text.target.lengths[rows].sum()) + len(rows)
            progress.step += 1
            progress.target_words += words
            progress.recent_words += words
            bar.update()
    model.load_state_dict(checkpoints.load_best(progress))
    model.eval()
    return progress


def cost_a_word(
    model: Translator,
    text: ParallelText,
    columns: int = EVALUATION_COLUMNS,
    stop: Stop | None = None,
) -> float:
    """Return the mean -log p of a target word in nats, ``</s>`` counted; exp of it is the perplexity.

    Args:
        model: in training or eval mode, which stays as it was.
        columns: target positions of a batch, padding counted.
        stop: ends the evaluation early when a signal has come.

    Raises:
        TrainingStopped: if a signal has come.
    """
    was_training = model.training
    model.eval()
    total = torch.zeros((), dtype=torch.float64, device=model.W_s.device)
    words = 0
    try:
        with torch.inference_mode():
            for batch in text.evaluation_batches(columns):
                if stop is not None and stop.asked:
                    raise TrainingStopped
                words += int(batch.lengths.sum())
                batch = batch.to(model.W_s.device)
                h_tilde, _ = model(batch.source, batch.source_lengths, batch.words)
                total += model.loss(h_tilde, batch.next_words, batch.lengths)
    finally:
        model.train(was_training)
    return float(total) / words


def _batches(
    text: ParallelText, recipe: Training, seed: int, progress: Progress
) -> Iterator[NDArray[np.int64]]:
    """Yield the rows of every batch that is left, and count batches and epochs in ``progress``."""
    options = (seed, recipe.batch_size, recipe.chunk_batches, recipe.shuffle)
    while progress.epoch <= recipe.epochs:
        for rows in text.training_order(progress.epoch, *options)[progress.batch :]:
            progress.batch += 1
            yield rows
        progress.epoch += 1
        progress.batch = 0


def _take_stock(progress: Progress, recent_cost: Tensor, started: float) -> None:
    """Update the parts of ``progress`` that are not counted batch by batch."""
    progress.recent_cost = float(recent_cost)
    progress.seconds = time.monotonic() - started
    progress.peak_memory_mb = max(progress.peak_memory_mb, peak_memory(recent_cost.device))


def _evaluate(
    model: Translator,
    held_out: Mapping[str, ParallelText],
    recipe: Training,
    progress: Progress,
    checkpoints: Checkpoints,
    stop: Stop,
) -> bool:
    """Add a row to the history and keep the weights if they are the best so far.

    If a signal comes meanwhile, return False; then nothing has changed.
    """
    try:
        costs = [cost_a_word(model, text, stop=stop) for text in held_out.values()]
    except TrainingStopped:
        return False
    row: dict[str, float] = {
        "step": progress.step,
        "epoch": progress.epoch,
        "learning_rate": learning_rate(recipe, progress.epoch),
        "target_words": progress.target_words,
        "train_cost": progress.recent_cost / progress.recent_words,
        "dev_cost": costs[0],
    }
    row |= {f"{name}_cost": cost for name, cost in zip(list(held_out)[1:], costs[1:], strict=True)}
    row["jump"] = jump(progress.history, costs[0])
    progress.recent_cost, progress.recent_words = 0.0, 0
    if not all(math.isfinite(value) for value in row.values()):
        raise DivergedError(checkpoints.folder, "the cost is", progress.step)
    progress.history.append(row)
    if row["jump"]:
        log.warning(
            "batch %d: the development cost jumped by %.2f nats a word, to %.2f; a lower learning "
            "rate may be calmer",
            progress.step,
            row["jump"],
            costs[0],
        )
    if costs[0] < progress.best_cost:
        progress.best_cost, progress.best_step = costs[0], progress.step
        checkpoints.save_best(model, progress)
    log.info(
        "batch %d, epoch %d: train %.4f, dev %.4f nats a word, %.0f target words/s",
        progress.step,
        progress.epoch,
        row["train_cost"],
        row["dev_cost"],
        progress.target_words / progress.seconds,
    )
    return True
