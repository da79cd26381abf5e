"""Medians, spreads and ratios of the rounds' figures."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple, Self


class Spread(NamedTuple):
    """The median of a figure over the rounds, and its lowest and highest value."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Self:
        """Summarize the figures of at least one round."""
        return cls(median(values), min(values), max(values))


def fastest(speeds: Mapping[str, Sequence[float]], among: Sequence[str]) -> str | None:
    """Return which of ``among`` has the highest median speed, or None if none of them was run."""
    present = [name for name in among if name in speeds]
    return max(present, key=lambda name: median(speeds[name]), default=None)


def ratio(speeds: Mapping[str, Sequence[float]], name: str, base: str | None) -> float | None:
    """Return the median over the rounds of ``name``'s speed divided by ``base``'s in the same round."""
    if base not in speeds or base is None:
        return None
    return median(a / b for a, b in zip(speeds[name], speeds[base], strict=True))


def relative_differences(losses: Sequence[float], reference: Sequence[float]) -> list[float]:
    """Return |loss - reference| / reference for every step."""
    return [abs(a - b) / b for a, b in zip(losses, reference, strict=True)]
