"""Which systems were still learning when their training ended."""

from statistics import median

from attnmt.config import Params
from attnmt.scoring.numbers import Numbers
from attnmt.training.curve import STILL_LEARNING

LEARNING = "°"  # follows the label of such a system


def learning_sign(params: Params, numbers: Numbers, system: str | None) -> str:
    """Return what follows the label of a system or an ensemble: LEARNING if it was still learning.

    A system still learned if its development cost fell by more than 2% in the last tenth of the steps
    (the median of its seeds). An ensemble did if one of its members did.
    """
    runs = params.runs_of(system)
    members = params.translators(runs[0]).members if runs else []
    for system_of_member in {params.system_of(member) for member in members}:
        lines = [
            numbers.training(seed, "late_fall", params.sets.dev)
            for seed in params.runs_of(system_of_member)
        ]
        falls = [line.value for line in lines if line and line.value is not None]
        if falls and median(falls) > 100 * STILL_LEARNING:
            return LEARNING
    return ""
