"""The rules of a search: how long translations may be, and how they are ranked."""

import math
from fractions import Fraction
from typing import NamedTuple

from torch import Tensor

from attnmt.config import SearchRules

RATIOS = Fraction(1, 2), Fraction(3, 2)  # the least and the greatest of the authors' program


class Limits(NamedTuple):
    """How long the translations of a sentence may be."""

    least: int  # words of a translation, without </s>
    most: int  # words after which the search ends, </s> included


def limits(rules: SearchRules, S: int) -> Limits:
    """Return the limits for S source words. If the least is above the greatest, the greatest counts."""
    given = (rules.min_ratio, rules.max_ratio)
    least, most = (
        # A decimal fraction counts as it is written: 0.29 of 100 words are 29, and not 28.
        math.floor((default if ratio is None else Fraction(str(ratio))) * (S + 1))
        for ratio, default in zip(given, RATIOS, strict=True)
    )
    return Limits(min(least, max(1, most) - 1), max(1, most))


def penalty(rules: SearchRules, words: float | Tensor) -> float | Tensor:
    """Return lp(Y), which log p of a translation is divided by before translations are ranked.

    It grows with the length or stays the same; the early stop relies on that (search.py).

    Args:
        words: how many words the translation has, ``</s>`` included.
    """
    if rules.length_penalty == "average":
        return words
    if rules.length_penalty == "gnmt":
        return ((5 + words) / 6) ** (rules.alpha or 0.0)
    return 1.0
