"""Averaging: the model that is kept is the mean of those at the last evaluations."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from attnmt.errors import InputError
from attnmt.training.features.feature import Feature, Measure
from attnmt.training.state import TrainingState


class Averaging(Feature):
    """The weights that are kept are the mean of those at the last ``average_last`` evaluations.

    They are summed in double precision as they come; a checkpoint holds the sum so far.
    """

    name = "average_last"

    def __init__(self, value: int, evaluations: Sequence[int]) -> None:
        if value > len(evaluations):
            why = f"this training has {len(evaluations)} evaluations, fewer than {value}"
            cure = "lower this number, or training.evaluate_every"
            raise InputError(f"training.average_last: {why}; {cure}")
        super().__init__(value, evaluations[-value:])
        self.sums: dict[str, Tensor] = {}

    def evaluated(self, model: nn.Module, progress: TrainingState) -> None:
        if progress.step in self.evaluations:
            for name, value in model.state_dict().items():
                before = self.sums.get(name, torch.zeros(()))
                self.sums[name] = before.to(value.device) + value.double()

    def finish(self, model: nn.Module, measure: Measure) -> dict[str, Any]:
        model.load_state_dict({name: total / self.value for name, total in self.sums.items()})
        return {"averaged_steps": list(self.evaluations), **measure()}

    def state(self) -> dict[str, Tensor]:
        return self.sums

    def restore(self, state: Mapping[str, Tensor]) -> None:
        self.sums = dict(state)
