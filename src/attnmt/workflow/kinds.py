"""Stages by what they do, without DVC, which takes seconds to load."""

from collections import Counter
from collections.abc import Iterable


def kind_of(stage: str) -> str:
    """Return what a stage does: train for train@base."""
    return stage.partition("@")[0]


def by_kind(stages: Iterable[str]) -> str:
    """Return the kinds of stages, each with its number if there are several: corpus, train (3)."""
    kinds = Counter(map(kind_of, stages))
    return ", ".join(f"{kind} ({count})" if count > 1 else kind for kind, count in kinds.items())
