"""Paired comparisons of two trainings over the sentences of a set, and the interval of AER.

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

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sacrebleu.significance import estimate_ci

from attnmt.corpora.links import GoldLinks, Links
from attnmt.scoring.aer import link_counts, rates
from attnmt.scoring.results import Script
from attnmt.scoring.scripts import SEED, Lines, References, sentence_numbers
from attnmt.scoring.sufficient_statistics import translation_scores

ROUNDING = 1e-9  # scores of different sums may be equal and yet be rounded differently


class Comparison(NamedTuple):
    """The two-sided p-value of a difference, and the bounds of its 95% interval."""

    p: float
    low: float
    high: float


def compare(
    script: Script, ours: Lines, other: Lines, references: References, samples: int
) -> Comparison:
    """Compare the scores of two systems' translations.

    Args:
        ours: one translation a line, in the form that the script takes.
        other: those of the other system; p does not depend on which of the two comes first.
        references: what both are scored against.
        samples: how many shuffles, and how many samples of the bootstrap.

    Raises:
        InputError: if the three differ in length or are empty, or the environment sets another seed.
    """
    numbers, other_numbers = sentence_numbers(script, [ours, other], references)
    return _compared(numbers, other_numbers, translation_scores(script), samples)


def compare_links(
    links: Sequence[Links], other_links: Sequence[Links], gold: Sequence[GoldLinks], samples: int
) -> Comparison:
    """Compare two alignment error rates, like :func:`compare`.

    Args:
        links: those of every sentence pair, source-target as the gold links are.
        other_links: those of the other system.
        gold: those of the same pairs.
        samples: how many shuffles, and how many samples of the bootstrap.

    Raises:
        InputError: if the three differ in length.
    """
    return _compared(_counts(links, gold), _counts(other_links, gold), rates, samples)


def _compared(
    ours: NDArray[Any],
    other: NDArray[Any],
    scores: Callable[[NDArray[Any]], NDArray[np.float64]],
    samples: int,
) -> Comparison:
    """Compare the scores of two systems.

    Args:
        ours: (lines, k), numbers of each sentence; the score follows from their sums. They are whole, so
            their sums are exact.
        other: those of the other system.
        scores: (n, k) -> (n,), the score of each of n sums.
        samples: how many shuffles, and how many samples of the bootstrap.
    """
    lines, total, other_total = len(ours), ours.sum(0), other.sum(0)
    observed = abs(scores(total[None]) - scores(other_total[None]))
    swapped = np.random.default_rng(SEED).integers(2, size=(samples, lines), dtype=bool)
    moved = swapped.astype(ours.dtype) @ (other - ours)  # (samples, k)
    shuffled = abs(scores(total + moved) - scores(other_total - moved))
    p = float((np.count_nonzero(shuffled >= observed - ROUNDING) + 1) / (samples + 1))
    drawn = np.random.default_rng(SEED).choice(lines, size=(samples, lines), replace=True)
    times = np.array([np.bincount(rows, minlength=lines) for rows in drawn], dtype=ours.dtype)
    mean, half_width = estimate_ci(scores(times @ ours) - scores(times @ other))
    return Comparison(p, float(mean - half_width), float(mean + half_width))


def aer_interval(
    links: Sequence[Links], gold: Sequence[GoldLinks], samples: int
) -> tuple[float, float]:
    """Return the bounds of the alignment error rate's 95% interval, by the same rule as for scripts.

    Args:
        links: those of every sentence pair, source-target as the gold links are.
        gold: those of the same pairs.
        samples: how many the bootstrap draws.

    Raises:
        InputError: if the two differ in length.
    """
    mean, half_width = estimate_ci(_sampled_rates(_counts(links, gold), samples))
    return round(float(mean - half_width), 6), round(float(mean + half_width), 6)


def _counts(links: Sequence[Links], gold: Sequence[GoldLinks]) -> NDArray[np.int64]:
    return link_counts(links, [line.sure for line in gold], [line.possible for line in gold])


def _sampled_rates(counts: NDArray[np.int64], samples: int) -> NDArray[np.float64]:
    """Return the error rates, (samples,), of sets of pairs drawn as sacrebleu draws them."""
    lines = len(counts)
    drawn = np.random.default_rng(SEED).choice(lines, size=(samples, lines), replace=True)
    return rates(counts[drawn].sum(1))
