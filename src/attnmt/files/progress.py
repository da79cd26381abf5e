"""How far long work is: a bar on a terminal, and elsewhere, as in a log, a line every half minute."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import Self, TypeVar

from tqdm import tqdm

EVERY = 30.0  # seconds between two lines
Item = TypeVar("Item")


class Progress:
    """Says how much of a part of the work is done. Work of less than a second shows no bar."""

    def __init__(self, part: str, total: int | None, unit: str) -> None:
        """Begin a part of the work.

        Args:
            part: what is done, such as ``train.en``.
            total: how many units it has; None if that is not known.
            unit: what is counted, in the plural.
        """
        self._part, self._total, self._unit, self._done = part, total or 0, f" {unit}", 0
        self._started = self._said = time.monotonic()
        # Inside another bar, this one is cleared when full.
        self._bar = tqdm(desc=part, total=total, unit=f" {unit}", disable=None, leave=None, delay=1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def update(self, count: int = 1) -> None:
        """Add ``count`` units that are done."""
        self._done += count
        self._bar.update(count)
        if self._bar.disable and (now := time.monotonic()) - self._said >= EVERY:
            self._said, passed = now, now - self._started
            counts = self._done, self._total, passed
            line = tqdm.format_meter(*counts, ncols=0, prefix=self._part, unit=self._unit)
            print(line, file=sys.stderr, flush=True)


def progress(items: Iterable[Item], part: str, total: int | None, unit: str) -> Iterator[Item]:
    """Yield the items, and say how many of them were taken; the arguments are those of Progress."""
    with Progress(part, total, unit) as taken:
        for item in items:
            yield item
            taken.update()
