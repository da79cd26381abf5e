"""What a learning curve says of a training: whether its cost jumped, and whether it still learned."""

from collections.abc import Mapping, Sequence

import numpy as np

JUMP = 0.1  # nats a word: the perplexity has grown by a tenth
LATE = 0.9  # the last tenth of the steps starts here
STILL_LEARNING = 0.02  # a cost that falls by more than this part in the last tenth

Row = Mapping[str, float]  # of history.csv


def jump(history: Sequence[Row], dev_cost: float) -> float:
    """Return by how much the development cost has jumped since the last evaluation, in nats; 0 if not.

    A jump is a rise by more than ``JUMP`` nats, and by more than the cost fell in the last epoch.

    Args:
        history: the evaluations before this one.
        dev_cost: that of this evaluation.
    """
    if not history:
        return 0.0
    last = history[-1]
    earlier = [row for row in history if row["epoch"] < last["epoch"]] or history[:1]
    fall = max(0.0, earlier[-1]["dev_cost"] - last["dev_cost"])
    rise = dev_cost - last["dev_cost"]
    return rise if rise > max(JUMP, fall) else 0.0


def late_fall(history: Sequence[Row]) -> float:
    """Return by what part the development cost fell in the last tenth of the steps.

    The cost between two evaluations is interpolated. The part is negative if the cost rose.

    Args:
        history: all evaluations of a finished training.
    """
    steps, costs = ([row[key] for row in history] for key in ("step", "dev_cost"))
    before = float(np.interp(LATE * steps[-1], steps, costs))
    return 1 - costs[-1] / before
