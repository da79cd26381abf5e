"""The training step beside that without graphs, padding and fused cells, in turns in one process."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import torch

from attnmt.config import Training
from attnmt.model.fast.cells import STEPS
from attnmt.model.fast.stack import Stack
from attnmt.model.translator import ModelConfig, Translator
from attnmt.training import captured
from attnmt.training.step import Step
from benchmarks.gpu_workload import SEED, Workload

PLAIN, FUSED, CAPTURED = "plain", "padded, fused cells", "captured"
KINDS = (PLAIN, FUSED, CAPTURED)


def turns(
    config: ModelConfig, recipe: Training, task: Workload, device: torch.device, rounds: int
) -> dict[str, list[float]]:
    """Return the target words a second of each kind of step in each round."""
    steps = {kind: _step(kind, config, recipe, device) for kind in KINDS}
    speeds: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for number in range(rounds + 2):  # the first two make the graphs
        for kind, step in steps.items():
            with _as(kind):
                seconds, _ = task.train_once(step, device)
            if number > 1:
                speeds[kind].append(task.target_words / seconds)
    return speeds


def _step(kind: str, config: ModelConfig, recipe: Training, device: torch.device) -> Step:
    model = Translator(config).to(device)
    model.initialize(SEED)
    with _as(kind):
        return Step(model.train(), recipe)


@contextmanager
def _as(kind: str) -> Iterator[None]:
    """Take steps of a kind."""
    switch = {captured.SWITCH: "1" if kind == CAPTURED else "0"}
    with patch.dict(os.environ, switch):
        if kind != PLAIN:
            yield
            return
        plain_cells = patch.object(Stack, "steps", lambda self, x: STEPS[self.cell])
        with plain_cells, patch.object(captured, "MULTIPLE", 1):
            yield
