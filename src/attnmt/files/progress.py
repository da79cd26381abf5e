"""How far long work is: a bar on a terminal, and a line every half minute elsewhere, as in a log."""

import sys
from collections.abc import Iterable
from typing import Any

from tqdm import tqdm

EVERY = 30.0  # seconds between two lines


def progress(items: Iterable[Any] | None, part: str, total: int | None, unit: str) -> "tqdm[Any]":
    """Return the items, counted as they are taken. Work of less than a second shows nothing.

    Args:
        items: None if the caller counts, by ``update``, until it closes the bar.
        part: what is done, such as ``train.en``.
        total: how many units it has; None if that is not known.
        unit: what is counted, in the plural.
    """
    every = 0.1 if sys.stderr.isatty() else EVERY
    return tqdm(
        items,
        desc=part,
        total=total,
        unit=f" {unit}",
        mininterval=every,
        maxinterval=max(every, 10.0),
        leave=None,  # inside another bar, this one is cleared when full
        delay=1,
    )
