"""Paired comparisons of two trainings over the sentences of a set.

The tests are two-sided approximate randomizations (Noreen 1989; Riezler and Maxwell 2005). If two
systems are alike, it does not matter which of them gave which output for a sentence. So their outputs
change places at random, sentence by sentence, and p is the share of such shuffles whose difference is at
least the observed one. The observed one counts as a shuffle too, so p > 0. If the systems are alike, p
falls below .05 in at most 5% of cases, whatever the score and however few sentences the two differ in.

``sacrebleu --paired-ar`` draws the same shuffles, but counts only those whose difference is larger. If
two systems differ in one sentence, every shuffle gives the observed difference. sacrebleu then prints
its smallest p, although p is 1. ``sacrebleu --paired-bs`` takes the absolute value before it centers,
and its p falls below .05 in 10% of the cases where the systems are alike.

The interval of a difference is from the bootstrap (:mod:`attnmt.scoring.bootstrap`).
"""

from typing import NamedTuple

import numpy as np

from attnmt.scoring.bootstrap import SEED, Counts, Scores, mean_and_half_width

ROUNDING = 1e-9  # scores of different sums may be equal and yet be rounded differently


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
    m = ours.shape[1]
    mean, half_width = mean_and_half_width(
        np.hstack([ours, other]), lambda sums: scores(sums[:, :m]) - scores(sums[:, m:]), samples
    )
    return Comparison(p, mean - half_width, mean + half_width)
