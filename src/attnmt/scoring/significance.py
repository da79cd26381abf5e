"""Paired comparisons of two trainings over the sentences of a set, and intervals over sentences.

The tests are two-sided approximate randomizations (Noreen 1989; Riezler and Maxwell 2005). If two
systems are alike, it does not matter which of them gave which output for a sentence. So their outputs
change places at random, sentence by sentence, and p is the share of such shuffles whose difference is at
least the observed one. The observed one counts as a shuffle too, so p > 0. If the systems are alike, p
falls below .05 in at most 5% of cases, whatever the score and however few sentences the two differ in.

``sacrebleu --paired-ar`` draws the same shuffles, but counts only those whose difference is larger. If
two systems differ in one sentence, every shuffle gives the observed difference. sacrebleu then prints
its smallest p, although p is 1. ``sacrebleu --paired-bs`` takes the absolute value before it centers,
and its p falls below .05 in 10% of the cases where the systems are alike.

The interval of a difference is from the bootstrap over sentences, by the rule of sacrebleu's own
intervals: the mean of the resampled differences, minus and plus half the distance between their 2.5% and
97.5% quantiles.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sacrebleu.significance import estimate_ci

SEED = 12345  # sacrebleu's own default for the bootstrap
Counts = NDArray[Any]  # (n, m), numbers of each sentence that add up to the corpus's
ROUNDING = 1e-9  # scores of different sums may be equal and yet be rounded differently
# (N, m) -> (N,), the score of each of N sums of m numbers
Scores = Callable[[NDArray[Any]], NDArray[np.float64]]


class Comparison(NamedTuple):
    """The two-sided p-value of a difference, and the bounds of its 95% interval."""

    p: float
    low: float
    high: float


def compare(ours: Counts, other: Counts, scores: Scores, samples: int) -> Comparison:
    """Compare the scores of two systems on the same sentences.

    Args:
        ours: the counts of each sentence. They are whole, so sums are exact.
        other: those of the other system; p does not depend on which of the two comes first.
        scores: gives the scores of their sums.
        samples: how many shuffles, and how many samples of the bootstrap.
    """
    total, other_total = ours.sum(0), other.sum(0)
    observed = abs(scores(total[None]) - scores(other_total[None]))
    shape = samples, len(ours)
    swapped = np.random.default_rng(SEED).integers(2, size=shape, dtype=bool)
    moved = swapped.astype(ours.dtype) @ (other - ours)  # (samples, m)
    shuffled = abs(scores(total + moved) - scores(other_total - moved))
    p = float((np.count_nonzero(shuffled >= observed - ROUNDING) + 1) / (samples + 1))
    times = _drawn(len(ours), samples).astype(ours.dtype)
    mean, half_width = estimate_ci(scores(times @ ours) - scores(times @ other))
    return Comparison(p, float(mean - half_width), float(mean + half_width))


def interval(counts: Counts, scores: Scores, samples: int) -> tuple[float, float]:
    """Return the bounds of a score's 95% interval, with six decimals."""
    mean, half_width = estimate_ci(scores(_drawn(len(counts), samples) @ counts))
    return round(float(mean - half_width), 6), round(float(mean + half_width), 6)


def _drawn(lines: int, samples: int) -> NDArray[np.int64]:
    """Return how often each sample has each sentence, (samples, lines), drawn as sacrebleu draws."""
    drawn = np.random.default_rng(SEED).choice(lines, size=(samples, lines), replace=True)
    return np.array([np.bincount(rows, minlength=lines) for rows in drawn])
