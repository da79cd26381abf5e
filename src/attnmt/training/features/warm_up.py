"""Warm-up: the learning rate rises in equal steps over the first batches."""

from collections.abc import Sequence

from attnmt.errors import InputError
from attnmt.training.features.feature import Feature


class WarmUp(Feature):
    """Batch s of the first ``warmup_steps`` has s / warmup_steps of the schedule's rate.

    It is ``torch.optim.lr_scheduler.LinearLR`` with start_factor = 1 / warmup_steps.
    """

    name = "warmup_steps"

    def __init__(self, value: int, evaluations: Sequence[int]) -> None:
        super().__init__(value, evaluations)
        if value > evaluations[-1]:
            why = (
                f"{value} are more than the {evaluations[-1]} batches of this training; give fewer"
            )
            raise InputError(f"training.warmup_steps: {why}")

    def rate(self, rate: float, step: int) -> float:
        return rate * min(1.0, step / self.value)
