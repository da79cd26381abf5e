"""Early stopping: a training ends when its development cost no longer falls."""

from attnmt.training.features.feature import Feature
from attnmt.training.state import TrainingState


class EarlyStopping(Feature):
    """The training ends when ``patience`` evaluations in a row have not lowered the development cost.

    The history says all that it must know, so it remembers nothing.
    """

    name = "patience"

    def ends(self, progress: TrainingState) -> bool:
        later = [row for row in progress.history if row["step"] > progress.best_step]
        return len(later) >= self.value
