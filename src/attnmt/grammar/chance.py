"""Random choices that come out the same on every Python version.

Only ``random.Random(seed).random()`` is used. Python guarantees that its stream stays the same, whereas
``choice`` or ``shuffle`` may change between versions.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final, Generic, TypeVar

T = TypeVar("T")

# How steeply frequency falls with rank in a list of words. Real lists are much flatter: their exponent
# is about 1. With this one, few words make up most of the text, so a small model learns them in half a
# minute.
LIST_EXPONENT: Final = 5.0


class Weighted(Generic[T]):
    """Items with fixed relative frequencies."""

    __slots__ = ("cumulative", "items", "total")

    def __init__(self, items: Sequence[T], weights: Iterable[float]) -> None:
        self.items = tuple(items)
        self.cumulative = tuple(accumulate(weights))
        if not self.items or len(self.items) != len(self.cumulative):
            raise ValueError("a weighted choice needs one weight for each of at least one item")
        self.total = self.cumulative[-1]

    @classmethod
    def zipf(cls, items: Sequence[T], offset: float) -> Weighted[T]:
        """Weight the item of rank r (from 0) by 1 / (r + offset)."""
        return cls(items, [1.0 / (rank + offset) for rank in range(len(items))])

    @classmethod
    def listed(cls, items: Sequence[T], offset: float) -> Weighted[T]:
        """Weight the item of rank r (from 0) by 1 / (r + offset) ** ``LIST_EXPONENT``."""
        weights = [(rank + offset) ** -LIST_EXPONENT for rank in range(len(items))]
        return cls(items, weights)


class Dice:
    """A seeded source of choices."""

    __slots__ = ("random",)

    def __init__(self, seed: int | str) -> None:
        self.random = random.Random(seed).random

    def chance(self, probability: float) -> bool:
        """Return True with the given probability."""
        return self.random() < probability

    def pick(self, choices: Weighted[T]) -> T:
        """Draw one item by its weight."""
        return choices.items[bisect_right(choices.cumulative, self.random() * choices.total)]

    def below(self, limit: int) -> int:
        """Draw an integer from 0 to limit - 1."""
        return int(self.random() * limit)

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in random order (Fisher-Yates)."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            other = self.below(last + 1)
            result[last], result[other] = result[other], result[last]
        return result
