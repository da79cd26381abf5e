"""The course of a training by its recipe: the rate of each batch, the evaluations, the end."""

import math

from attnmt.config import Training
from attnmt.config.model import Features
from attnmt.training.features import averaging, early_stopping, warm_up  # noqa: F401  # known by name
from attnmt.training.features.feature import FEATURES
from attnmt.training.optimizers import learning_rate
from attnmt.training.state import TrainingState


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
        given = [(key, dict(recipe)[key]) for key in Features.model_fields]
        self.features = [FEATURES[key](v, self.evaluations) for key, v in given if v is not None]

    def rate(self, progress: TrainingState) -> float:
        """Return the learning rate of the batch ``progress.step``."""
        rate = learning_rate(self.recipe, progress.epoch)
        for feature in self.features:
            rate = feature.rate(rate, progress.step)
        return rate

    def evaluation_due(self, progress: TrainingState) -> bool:
        """Return whether an evaluation comes after the last batch, and has not been made."""
        return progress.recent_words > 0 and progress.step in self.evaluations

    def ended(self, progress: TrainingState) -> bool:
        """Return whether the last evaluation of the training has been made."""
        if progress.recent_words:
            return False
        early = any(feature.ends(progress) for feature in self.features)
        return early or progress.step == self.batches
