"""Evaluation of a model in training: its cost on the held-out sets, and a row of the history."""

import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from attnmt.model.luong import LuongNMT
from attnmt.text.batches import ParallelText
from attnmt.training.attempts import diverged
from attnmt.training.checkpoint import Checkpoints
from attnmt.training.curve import jump, late_fall
from attnmt.training.schedule import Schedule
from attnmt.training.state import Meter, TrainingState
from attnmt.training.stop import Stop, TrainingStopped

log = logging.getLogger(__name__)

Observer = Callable[[dict[str, float]], None]
# Target positions in a batch of an evaluation: they fit a processor's cache and keep a GPU busy.
EVALUATION_COLUMNS = 4096


def cost_a_word(
    model: LuongNMT,
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
    total = torch.zeros((), dtype=torch.float64, device=model.device)
    words = 0
    try:
        with torch.inference_mode():
            for batch in text.evaluation_batches(columns):
                if stop is not None and stop.asked:
                    raise TrainingStopped
                words += int(batch.lengths.sum())
                batch = batch.to(model.device)
                h_tilde, _ = model(batch.source, batch.source_lengths, batch.words)
                total += model.loss(h_tilde, batch.next_words, batch.lengths)
    finally:
        model.train(was_training)
    return float(total) / words


@dataclass(frozen=True)
class Evaluation:
    """Measures the held-out sets, adds a row to the history and keeps the best weights.

    The first of ``held_out`` chooses the best weights. Each row also goes to ``observe``.
    """

    model: LuongNMT
    held_out: Mapping[str, ParallelText]
    schedule: Schedule
    checkpoints: Checkpoints
    observe: Observer
    stop: Stop

    @property
    def tests(self) -> list[str]:
        """The held-out sets that are only measured."""
        return list(self.held_out)[1:]

    def run(self, progress: TrainingState, meter: Meter) -> None:
        """Evaluate. If a signal comes meanwhile, nothing changes.

        Raises:
            InputError: if a cost is not finite.
        """
        meter.read(progress)
        try:
            dev_cost, *test_costs = [
                cost_a_word(self.model, text, stop=self.stop) for text in self.held_out.values()
            ]
        except TrainingStopped:
            return
        row = {
            "step": progress.step,
            "epoch": progress.epoch,
            "learning_rate": self.schedule.rate(progress),
            "target_words": progress.target_words,
            "train_cost": progress.recent_cost / progress.recent_words,
            "dev_cost": dev_cost,
            **{f"{name}_cost": c for name, c in zip(self.tests, test_costs, strict=True)},
            "jump": jump(progress.history, dev_cost),
        }
        meter.restart(progress)
        if not all(math.isfinite(value) for value in row.values()):
            raise diverged(self.checkpoints.folder, "the cost is", progress.step)
        progress.history.append(row)
        if dev_cost < progress.best_cost:
            progress.best_cost, progress.best_step = dev_cost, progress.step
            self.checkpoints.save_best(self.model, progress)
        self._report(row, progress)

    def _report(self, row: dict[str, float], progress: TrainingState) -> None:
        speed = progress.target_words / progress.seconds
        log.info(
            "batch %d, epoch %d: train %.4f, dev %.4f nats a word, %.0f target words/s",
            progress.step,
            progress.epoch,
            row["train_cost"],
            row["dev_cost"],
            speed,
        )
        if row["jump"]:
            log.warning(
                "batch %d: the development cost jumped by %.2f nats a word, to %.2f; a lower learning "
                "rate may be calmer",
                progress.step,
                row["jump"],
                row["dev_cost"],
            )
        self.observe({**row, "target_words_per_second": speed})

    def metrics(self, progress: TrainingState) -> dict[str, Any]:
        """Return the content of ``metrics.json``.

        Raises:
            InputError: if a perplexity is more than a number can hold.
        """
        best = next(row for row in progress.history if row["step"] == progress.best_step)
        costs = [best["dev_cost"], *(best[f"{name}_cost"] for name in self.tests)]
        try:
            dev, *tests = map(math.exp, costs)
        except OverflowError:
            raise diverged(self.checkpoints.folder, "a perplexity is", progress.best_step) from None
        return {
            "best_step": progress.best_step,
            "steps": progress.step,
            "jumps": sum(row["jump"] > 0 for row in progress.history),
            "late_fall": late_fall(progress.history),
            "dev_perplexity": dev,
            "perplexity": dict(zip(self.tests, tests, strict=True)),
        }
