"""A feature of training: a class that the loop calls at four points, and whose state is in checkpoints.

To add one, write a class in a file of this folder, import the file in ``course.py``, and give the class
a key in ``config/model.py``.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor, nn

from attnmt.model.registry import Part, Registry
from attnmt.training.state import TrainingState

# Measures the model on the held-out sets; returns the perplexities as metrics.json has them.
Measure = Callable[[], dict[str, Any]]


class Feature(Part, kind="feature of training"):
    """The base of all features. A recipe that has its name as a key turns it on.

    What it does must follow from its state, the model and ``progress``.
    """

    def __init__(self, value: int, evaluations: Sequence[int]) -> None:
        """Take the value of the key, and the steps at which the training is evaluated, to the last one.

        Raises:
            InputError: if the value does not suit a training of so many steps.
        """
        self.value, self.evaluations = value, evaluations

    def rate(self, rate: float, step: int) -> float:
        """Return the learning rate of the batch ``step``, counted from 1, where it would be ``rate``."""
        return rate

    def evaluated(self, model: nn.Module, progress: TrainingState) -> None:
        """Take note of an evaluation, which is the last row of the history."""

    def ends(self, progress: TrainingState) -> bool:
        """Return whether the training ends with the evaluation that is the last row of the history."""
        return False

    def finish(self, model: nn.Module, measure: Measure) -> dict[str, Any]:
        """Change the model that is kept; return what this changes in ``metrics.json``."""
        return {}

    def state(self) -> dict[str, Tensor]:
        """Return what it remembers. Every checkpoint holds it."""
        return {}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Go on from what ``state`` returned."""


FEATURES: Registry[Feature] = Feature.known
