"""The schedule of a training by its settings: the rate of each batch, the evaluations, the end."""

import math

from attnmt.config import TrainingSettings
from attnmt.training.state import TrainingState


class Schedule:
    """What settings make of a number of sentence pairs."""

    def __init__(self, settings: TrainingSettings, pairs: int) -> None:
        self.settings = settings
        self.batches = settings.epochs * math.ceil(pairs / settings.batch_size)

    def rate(self, progress: TrainingState) -> float:
        """Return the learning rate of the batch ``progress.step``."""
        return learning_rate(self.settings, progress.epoch)

    def evaluation_due(self, progress: TrainingState) -> bool:
        """Return whether an evaluation comes after the last batch, and has not been made."""
        is_last = progress.step == self.batches
        return progress.recent_words > 0 and (
            is_last or progress.step % self.settings.evaluate_every == 0
        )

    def ended(self, progress: TrainingState) -> bool:
        """Return whether the last evaluation of the training has been made.

        With ``patience`` it ends after so many evaluations in a row without a lower development cost.
        """
        if progress.recent_words:
            return False
        later = sum(row["step"] > progress.best_step for row in progress.history)
        patience = self.settings.patience
        return progress.step == self.batches or (patience is not None and later >= patience)


def learning_rate(settings: TrainingSettings, epoch: int) -> float:
    """Return the rate of an epoch, 1 being the first.

    The paper's text halves it every epoch after ``halve_after``. The authors' program first does so at
    the last batch of epoch ``halve_after`` + 1, so its first slower epoch comes one epoch later.
    """
    last_full = settings.halve_after + (1 if settings.schedule == "program" else 0)
    return settings.learning_rate * float(0.5 ** max(0, epoch - last_full))
