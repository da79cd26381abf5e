"""The training loop: one pass that reads top to bottom."""

import logging
import math
import sys
import time
from collections.abc import Callable, Mapping

import torch
from tqdm import tqdm

from attnmt.config import Training
from attnmt.data.batches import ParallelText
from attnmt.errors import InputError
from attnmt.model.translator import Translator
from attnmt.training.checkpoint import Checkpoints, Progress
from attnmt.training.machine import peak_memory
from attnmt.training.sgd import learning_rate
from attnmt.training.step import Step

log = logging.getLogger(__name__)

Observer = Callable[[dict[str, float]], None]
# Of a batch without gradients: few enough for a processor's cache, enough to keep a GPU busy.
EVALUATION_COLUMNS = 4096


def train(
    model: Translator,
    text: ParallelText,
    held_out: Mapping[str, ParallelText],
    recipe: Training,
    seed: int,
    checkpoints: Checkpoints,
    observe: Observer,
) -> Progress:
    """Train to the end, from the last checkpoint if there is one; load the best weights into ``model``.

    At each evaluation a row goes to ``history`` and ``observe``; the first of ``held_out`` chooses the
    best weights.

    The result is a function of model, text, recipe and seed: kill and resume do not change a byte.

    Raises:
        InputError: when the cost is not a number any more.
    """
    device = model.W_s.device
    torch.manual_seed(seed)
    model.initialise(seed)
    progress = checkpoints.load(model)
    if progress.step:
        log.info("resuming after batch %d", progress.step)
    step = Step(model, recipe)
    options = (seed, recipe.batch_size, recipe.chunk_batches, recipe.shuffle)
    total = recipe.epochs * math.ceil(len(text) / recipe.batch_size)
    started, saved = time.monotonic() - progress.seconds, time.monotonic()
    # Summed on the device and in one order, so that neither a checkpoint nor a resume changes the sum.
    recent_cost = torch.tensor(progress.recent_cost, dtype=torch.float64, device=device)
    model.train()
    with tqdm(
        total=total,
        initial=progress.step,
        unit="batch",
        dynamic_ncols=True,
        disable=not sys.stderr.isatty(),
    ) as bar:
        while progress.epoch <= recipe.epochs:
            rate = learning_rate(recipe, progress.epoch)
            order = text.training_order(progress.epoch, *options)
            # On a GPU the host does not wait for a step: it makes the next batch meanwhile.
            for rows in order[progress.batch :]:
                recent_cost += step(text.batch(rows), rate)
                words = int(text.target.lengths[rows].sum()) + len(rows)
                progress.step += 1
                progress.batch += 1
                progress.target_words += words
                progress.recent_words += words
                bar.update()
                due = progress.step % recipe.evaluate_every == 0 or progress.step == total
                late = time.monotonic() - saved > 60 * checkpoints.minutes
                if due or late:
                    progress.recent_cost = float(recent_cost)
                    progress.seconds = time.monotonic() - started
                    progress.peak_memory_mb = max(progress.peak_memory_mb, peak_memory(device))
                    if due:
                        _evaluate(model, held_out, recipe, rate, progress, checkpoints, observe)
                        recent_cost.zero_()
                        bar.set_postfix(dev=f"{progress.history[-1]['dev_cost']:.3f}")
                    checkpoints.save(model, progress)
                    saved = time.monotonic()
            progress.epoch += 1
            progress.batch = 0
    model.load_state_dict(checkpoints.load_best(progress))
    model.eval()
    return progress


def cost_a_word(model: Translator, text: ParallelText, columns: int = EVALUATION_COLUMNS) -> float:
    """Return the mean -log p of a target word in nats, ``</s>`` counted; exp of it is the perplexity.

    Args:
        model: in either mode, which it keeps.
        text: to predict.
        columns: target positions of a batch, padding counted.
    """
    was_training = model.training
    model.eval()
    total = torch.zeros((), dtype=torch.float64, device=model.W_s.device)
    words = 0
    with torch.inference_mode():
        for batch in text.evaluation_batches(columns):
            words += int(batch.lengths.sum())
            batch = batch.to(model.W_s.device)
            h_tilde, _ = model(batch.source, batch.source_lengths, batch.words)
            total += model.loss(h_tilde, batch.next_words, batch.lengths)
    model.train(was_training)
    return float(total) / words


def _evaluate(
    model: Translator,
    held_out: Mapping[str, ParallelText],
    recipe: Training,
    rate: float,
    progress: Progress,
    checkpoints: Checkpoints,
    observe: Observer,
) -> None:
    """Add a row to the history and keep the weights if they are the best so far."""
    costs = [cost_a_word(model, text) for text in held_out.values()]
    row: dict[str, float] = {
        "step": progress.step,
        "epoch": progress.epoch,
        "learning_rate": rate,
        "target_words": progress.target_words,
        "train_cost": progress.recent_cost / progress.recent_words,
        "dev_cost": costs[0],
    }
    row |= {f"{name}_cost": cost for name, cost in zip(list(held_out)[1:], costs[1:], strict=True)}
    progress.recent_cost, progress.recent_words = 0.0, 0
    if not all(math.isfinite(value) for value in row.values()):
        raise InputError(
            f"{checkpoints.folder}: the cost is not finite after batch {progress.step}; delete the "
            f"folder and train with a smaller training.learning_rate or training.clip_norm"
        )
    progress.history.append(row)
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
    observe({**row, "target_words_per_second": progress.target_words / progress.seconds})
