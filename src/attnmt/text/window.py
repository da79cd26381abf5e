"""The width of a local window beside the lengths of sentences."""

from collections.abc import Collection
from statistics import median

LEAST = 2  # the smallest half-width that is proposed


def proposed_half_width(lengths: Collection[int]) -> int:
    """Return a half-width D with which a local window holds clearly less than a sentence.

    2D + 1 is about half of the median length, so that more than half of the sentences do not fit; D is
    at least ``LEAST``. The paper's D is 10, for sentences of some 25 words.

    Args:
        lengths: the words of each source sentence, one or more.
    """
    return max(LEAST, round((median(lengths) / 2 - 1) / 2))


def share_in_window(D: int, lengths: Collection[int]) -> float:
    """Return the share of sentences with 2D + 1 words or fewer, which a window can hold as a whole.

    For these, local attention can see all that global attention sees.
    """
    return sum(length <= 2 * D + 1 for length in lengths) / len(lengths)
