"""Alignment error rate (Och and Ney 2003), the measure of Luong et al.'s Table 6."""

from collections.abc import Collection, Sequence

from attnmt.errors import InputError

Link = tuple[int, int]  # 0-based positions of two words; both sides in the same order everywhere


def aer(
    links: Sequence[Collection[Link]],
    sure: Sequence[Collection[Link]],
    possible: Sequence[Collection[Link]],
) -> float:
    """Return 1 - (|A and S| + |A and P|) / (|A| + |S|), the sizes summed over the corpus.

    Args:
        links: A, the links to judge, of each sentence pair.
        sure: S, the gold links that must be found.
        possible: P, the gold links that may be found; the sure ones belong to it, listed or not.

    Returns:
        A rate in [0, 1]; 0 is best.

    Raises:
        InputError: if the three differ in length, or neither A nor S has a link.
    """
    if not len(links) == len(sure) == len(possible):
        raise InputError(
            f"alignment error rate: {len(links)} sentence pairs with links, {len(sure)} with sure "
            f"and {len(possible)} with possible gold links; they must be the same pairs"
        )
    matches = size = 0
    for a, s, p in zip(map(set, links), map(set, sure), map(set, possible), strict=True):
        matches += len(a & s) + len(a & (s | p))
        size += len(a) + len(s)
    if size == 0:
        raise InputError("alignment error rate: no links to judge and no gold links")
    return 1 - matches / size
