"""What a learning curve says of a training: whether its cost jumped, and whether it still learned."""

from collections.abc import Mapping, Sequence

import numpy as np

JUMP = 0.1  # nats a word: the perplexity has grown by a tenth
LATE = 0.9  # the last tenth of the steps starts here
STILL_LEARNING = 0.02  # a cost that falls by more than this part in the last tenth

Row = Mapping[str, float]  # of history.csv


def jump(history: Sequence[Row], dev_cost: float) -> float:
    """Return by how much the development cost has jumped, in nats; 0 if it has not.

    A jump is a rise over the lowest cost of the last evaluation's epoch and the one before. It is
    larger than ``JUMP`` nats, and larger than the fall to this lowest cost from the epoch before it. A
    jump that an earlier evaluation has reported does not count again.
    """
    if not history:
        return 0.0
    recent = [row for row in history if row["epoch"] >= history[-1]["epoch"] - 1]
    lowest = min(range(len(recent)), key=lambda at: recent[at]["dev_cost"])
    if any(row["jump"] for row in recent[lowest + 1 :]):
        return 0.0
    low = recent[lowest]
    earlier = [row for row in history if row["epoch"] < low["epoch"]] or history[:1]
    fall = max(0.0, earlier[-1]["dev_cost"] - low["dev_cost"])
    rise = dev_cost - low["dev_cost"]
    return rise if rise > max(JUMP, fall) else 0.0


def late_fall(history: Sequence[Row]) -> float:
    """Return by what part the development cost fell in the last tenth of the steps.

    The cost between two evaluations is interpolated. The part is negative if the cost rose.
    """
    steps, costs = ([row[key] for row in history] for key in ("step", "dev_cost"))
    before = float(np.interp(LATE * steps[-1], steps, costs))
    return 1 - costs[-1] / before
