"""Alignment error rate (Och and Ney 2003), the measure of Luong et al.'s Table 6."""

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from attnmt.errors import InputError

Link = tuple[int, int]  # 0-based positions of two words; both sides in the same order everywhere


def aer(
    links: Sequence[Collection[Link]],
    sure: Sequence[Collection[Link]],
    possible: Sequence[Collection[Link]],
) -> float:
    """Return 1 - (|A and S| + |A and P|) / (|A| + |S|), the sizes summed over the corpus.

    Args:
        links: A, the links to judge, for each sentence pair.
        sure: S, the gold links that must be found.
        possible: P, the gold links that may be found; the sure links belong to P, listed or not.

    Returns:
        A rate in [0, 1]; 0 is best.

    Raises:
        InputError: if the three differ in length, or neither A nor S has a link.
    """
    counts = link_counts(links, sure, possible)
    if not counts[:, 1].any():
        raise InputError("alignment error rate: no links to judge and no gold links")
    return float(rates(counts.sum(0)))


def link_counts(
    links: Sequence[Collection[Link]],
    sure: Sequence[Collection[Link]],
    possible: Sequence[Collection[Link]],
) -> NDArray[np.int64]:
    """Return counts of each sentence pair; their sums give the error rate of any set of pairs.

    Returns:
        (lines, 2): |A and S| + |A and P|, and |A| + |S|, of each sentence pair.

    Raises:
        InputError: if the three differ in length.
    """
    if not len(links) == len(sure) == len(possible):
        raise InputError(
            f"alignment error rate: {len(links)} sentence pairs with links, {len(sure)} with sure "
            f"and {len(possible)} with possible gold links; they must be the same pairs"
        )
    counts = [
        (len(a & s) + len(a & (s | p)), len(a) + len(s))
        for a, s, p in zip(map(set, links), map(set, sure), map(set, possible), strict=True)
    ]
    return np.array(counts, dtype=np.int64).reshape(-1, 2)


def rates(sums: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the error rate of each sum of counts, (..., 2) -> (...); 0 where there are no links."""
    matches, size = sums[..., 0], sums[..., 1]
    return 1 - np.where(size == 0, 1, matches / np.maximum(size, 1))
