"""How far a training is, and what it has cost: what a checkpoint holds beside tensors."""

import time
from dataclasses import dataclass, field

import torch
from torch import Tensor

from attnmt.training.machine import peak_memory


@dataclass
class TrainingState:
    """How far a training is, after ``step`` batches."""

    epoch: int = 1
    batch: int = 0  # the next one of the epoch, counted from 0
    step: int = 0
    best_step: int = 0
    best_cost: float = float("inf")  # on the development set, nats a word
    target_words: int = 0  # trained on so far
    recent_cost: float = 0.0  # summed since the last evaluation, nats
    recent_words: int = 0
    seconds: float = 0.0  # spent on training and evaluations; not part of the result
    peak_memory_mb: int = 0  # highest of all starts; not part of the result
    history: list[dict[str, float]] = field(default_factory=list)


class Meter:
    """Measures a training while it runs. ``progress`` learns of it where someone reads the meter.

    The cost is summed on the device and in one order, so that no checkpoint or resume changes it.
    """

    def __init__(self, progress: TrainingState, device: torch.device) -> None:
        self._started = time.monotonic() - progress.seconds
        self._cost = torch.tensor(progress.recent_cost, dtype=torch.float64, device=device)

    def add(self, loss: Tensor) -> None:
        """Add the loss of a batch, without waiting for a GPU."""
        self._cost += loss

    def read(self, progress: TrainingState) -> None:
        """Update the parts of ``progress`` that are not counted batch by batch."""
        progress.recent_cost = float(self._cost)
        progress.seconds = time.monotonic() - self._started
        progress.peak_memory_mb = max(progress.peak_memory_mb, peak_memory(self._cost.device))

    def restart(self, progress: TrainingState) -> None:
        """Begin to count the cost and the words of the next evaluation."""
        self._cost.zero_()
        progress.recent_cost, progress.recent_words = 0.0, 0
