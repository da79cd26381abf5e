"""The course of a training by its recipe: the rate of each batch, the evaluations, the end."""

import math

from attnmt.config import Training
from attnmt.training.features.averaging import Averaging
from attnmt.training.features.early_stopping import EarlyStopping
from attnmt.training.features.feature import Feature
from attnmt.training.features.warm_up import WarmUp
from attnmt.training.optimizers import learning_rate
from attnmt.training.progress import Progress

FEATURES: list[type[Feature]] = [
    WarmUp,
    EarlyStopping,
    Averaging,
]


class Course:
    """What a recipe, with the features that it turns on, makes of a number of sentence pairs."""

    def __init__(self, recipe: Training, pairs: int) -> None:
        """Work it out.

        Raises:
            InputError: if a feature does not suit a training of so many batches.
        """
        self.recipe = recipe
        self.batches = recipe.epochs * math.ceil(pairs / recipe.batch_size)
        every = recipe.evaluate_every
        self.evaluations = [*range(every, self.batches, every), self.batches]  # after these batches
        values = [(feature, getattr(recipe, feature.key)) for feature in FEATURES]
        self.features = [feature(v, self.evaluations) for feature, v in values if v is not None]

    def rate(self, progress: Progress) -> float:
        """Return the learning rate of the batch ``progress.step``."""
        rate = learning_rate(self.recipe, progress.epoch)
        for feature in self.features:
            rate = feature.rate(rate, progress.step)
        return rate

    def evaluation_due(self, progress: Progress) -> bool:
        """Return whether an evaluation comes after the last batch, and has not been made."""
        return progress.recent_words > 0 and progress.step in self.evaluations

    def ended(self, progress: Progress) -> bool:
        """Return whether the last evaluation of the training has been made."""
        if progress.recent_words:
            return False
        early = any(feature.ends(progress) for feature in self.features)
        return early or progress.step == self.batches
