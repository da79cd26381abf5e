"""Groups of sentences of similar length, Luong et al.'s Figure 6, and scores by length."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnmt.scoring.significance import Scores


def length_groups(lengths: NDArray[Any], size: int) -> list[NDArray[np.int64]]:
    """Return the authors' groups of a test set, as the numbers of its sentences.

    The set is sorted by the number of words in its references, and cut every ``size`` sentences.
    Sentences of the same length stay in their order. The last group may have fewer.

    Args:
        lengths: (n,), the words of each reference.
        size: how many sentences make a group.
    """
    order = np.argsort(lengths, kind="stable")
    return [order[start : start + size] for start in range(0, len(order), size)]


def spread_by_length(
    counts: NDArray[np.float64], groups: Sequence[NDArray[np.int64]]
) -> NDArray[np.float64]:
    """Put each sentence's counts into its group's columns, (k, n, m) -> (k, n, groups * m); else 0."""
    k, n, m = counts.shape
    spread = np.zeros((k, n, len(groups), m))
    for g, lines in enumerate(groups):
        spread[:, lines, g] = counts[:, lines]
    return spread.reshape(k, n, len(groups) * m)


def slopes(scores: Scores, lengths: NDArray[np.float64]) -> Scores:
    """Return a function that computes a score's slope with length from sums of
    :func:`spread_by_length`.

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
