"""chrF2, the F-score of character n-grams up to six (Popović 2015)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.chrf import CHRF

from attnmt.scoring.metric import Metric


class Chrf(Metric):
    """chrF2 of detokenized text against the reference as it was written, case-sensitive."""

    metric = "chrf"

    def scores(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        """Return what sacrebleu computes from sums of counts, for all sums at once."""
        ours, reference, matches = np.moveaxis(sums.reshape(len(sums), -1, 3), 2, 0)
        counts = (ours > 0) & (reference > 0)  # the orders that the mean is taken over
        orders = np.maximum(counts.sum(1), 1)
        precision, recall = (
            np.where(counts, matches / np.maximum(total, 1), 0).sum(1) / orders
            for total in (ours, reference)
        )
        weighted = 4 * precision + recall  # F2
        return np.asarray(500 * precision * recall / np.where(weighted > 0, weighted, 1))

    def of_sacrebleu(self, characters: bool = False) -> CHRF:
        """Return sacrebleu's default chrF."""
        return CHRF()
