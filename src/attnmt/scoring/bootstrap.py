"""The bootstrap over sentences (Koehn 2004), by the rule of sacrebleu's own intervals.

An interval is the mean of the resampled scores, minus and plus half the distance between their 2.5% and
97.5% quantiles. In the shapes, n is the number of sentences, and m that of the counts of a sentence.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sacrebleu.significance import estimate_ci

SEED = 12345  # sacrebleu's own default
Counts = NDArray[Any]  # (n, m), numbers of each sentence that add up to the corpus's
# (N, m) -> (N,), the score of each of N sums of m numbers
Scores = Callable[[NDArray[Any]], NDArray[np.float64]]


def mean_and_half_width(counts: Counts, scores: Scores, samples: int) -> tuple[float, float]:
    """Return the middle of a score's 95% interval, and half of its width.

    Args:
        counts: (n, m), whole numbers, so their sums are exact.
        scores: gives the scores of their sums.
        samples: how many are drawn, each of n sentences, and as sacrebleu draws them.
    """
    n = len(counts)
    drawn = np.random.default_rng(SEED).choice(n, size=(samples, n), replace=True)
    times = np.array([np.bincount(sentences, minlength=n) for sentences in drawn])  # (samples, n)
    mean, half_width = estimate_ci(scores(times.astype(counts.dtype) @ counts))
    return float(mean), float(half_width)
