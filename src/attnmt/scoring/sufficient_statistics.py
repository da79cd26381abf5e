"""Numbers of each sentence that add up to those of a corpus, and the scores that follow from the sums.

They are sacrebleu's sufficient statistics (for BLEU the lengths, and the matches and totals of n-grams),
or the counts of :mod:`attnmt.scoring.aer`. In the shapes, k is the number of a system's trainings, n
that of the sentences, and m that of the numbers of a sentence.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnmt.corpora.links import GoldLinks, Links
from attnmt.scoring.aer import link_counts
from attnmt.scoring.lengths import length_groups
from attnmt.scoring.results import Script
from attnmt.scoring.scripts import new_metric

# (N, m) -> (N,), the score of each of N sums of m numbers
Scores = Callable[[NDArray[Any]], NDArray[np.float64]]


def translation_scores(script: Script) -> Scores:
    """Return a function that scores sums of numbers of sentences, in percent."""
    metric = new_metric(script)

    def scores(sums: NDArray[Any]) -> NDArray[np.float64]:
        return np.array([metric._compute_score_from_stats(row).score for row in sums])

    return scores


def alignment_numbers(
    runs: Sequence[Sequence[Links]], gold: Sequence[GoldLinks]
) -> NDArray[np.int64]:
    """Return (k, n, 2), the counts of each sentence pair of each run; ``aer.rates`` scores their sums.

    Args:
        runs: the links of each training, source-target as the gold links are.
        gold: the gold links of the same pairs.

    Raises:
        InputError: if the pairs differ in number.
    """
    sure, possible = [line.sure for line in gold], [line.possible for line in gold]
    return np.array([link_counts(links, sure, possible) for links in runs])


def by_length(
    numbers: NDArray[Any], references: Sequence[str], size: int
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Spread the numbers over the groups of sentences of Figure 6 (:func:`length_groups`).

    Args:
        numbers: (k, n, m).
        references: n lines of tokens joined by spaces.
        size: how many sentences make a group.

    Returns:
        (k, n, groups * m), a sentence's numbers in the columns of its group and 0 elsewhere; and the
        mean length of each group's references, in words.
    """
    k, n, m = numbers.shape
    groups = length_groups(references, size)
    spread = np.zeros((k, n, len(groups), m), dtype=numbers.dtype)
    for g, lines in enumerate(groups):
        spread[:, lines, g] = numbers[:, lines]
    means = np.array([np.mean([len(references[i].split()) for i in lines]) for lines in groups])
    return spread.reshape(k, n, len(groups) * m), means


def slopes(scores: Scores, lengths: NDArray[np.float64]) -> Scores:
    """Return a function that computes a score's slope with length from sums of :func:`by_length`.

    It is the least-squares slope of the groups' scores, in points per word. Each group counts once.

    Args:
        scores: gives the scores of groups' sums.
        lengths: (groups,), the mean length of each.
    """
    centered = lengths - lengths.mean()
    weights = centered / (centered @ centered)

    def slope(sums: NDArray[Any]) -> NDArray[np.float64]:
        count = len(sums)
        groups = scores(sums.reshape(count * len(weights), -1)).reshape(count, -1)
        return np.asarray(groups @ weights)

    return slope
