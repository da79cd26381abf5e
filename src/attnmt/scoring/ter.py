"""Translation edit rate (Snover et al. 2006)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.ter import TER

from attnmt.scoring.metric import Metric


class Ter(Metric):
    """TER of detokenized text against the reference as it was written; lower is better."""

    metric = "ter"
    highest = None

    def scores(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        """Return what sacrebleu computes from sums of counts, for all sums at once."""
        edits, words = sums[:, 0], sums[:, 1]
        return 100 * np.where(words > 0, edits / np.where(words > 0, words, 1), edits > 0)

    def of_sacrebleu(self, characters: bool = False) -> TER:
        """Return sacrebleu's default TER, which ignores case."""
        return TER()
