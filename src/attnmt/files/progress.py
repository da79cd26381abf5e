"""How far long work is: a bar on a terminal, and elsewhere, as in a log, a line every half minute."""

import sys
import time
from collections.abc import Iterable, Iterator
from datetime import timedelta
from types import TracebackType
from typing import Self, TypeVar

from tqdm import tqdm

EVERY = 30.0  # seconds between two lines
Item = TypeVar("Item")


class Progress:
    """Says how much of a part of the work is done. Work of less than a second shows no bar.

    Parts inside of another one keep to its half minutes.
    """

    _open = 0  # parts that are being done
    _said = 0.0  # when one of them last wrote a line

    def __init__(self, part: str, total: int | None, unit: str) -> None:
        """Begin a part of the work.

        Args:
            part: what is done, such as ``train.en``.
            total: how many units it has; None if that is not known.
            unit: what is counted, in the plural.
        """
        self.part, self.total, self.unit, self.done = part, total, unit, 0
        self._started = time.monotonic()
        self._log = sys.stderr  # which a library's work may hide meanwhile
        # Inside another bar, this one is cleared when full.
        self._bar = tqdm(desc=part, total=total, unit=f" {unit}", disable=None, leave=None, delay=1)

    def __enter__(self) -> Self:
        if not Progress._open:
            Progress._said = self._started
        Progress._open += 1
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        Progress._open -= 1
        self._bar.close()

    def update(self, count: int = 1) -> None:
        """Add ``count`` units that are done."""
        self.done += count
        if not self._bar.disable:
            self._bar.update(count)
        elif (now := time.monotonic()) - Progress._said >= EVERY:
            Progress._said = now
            print(self._line(now - self._started), file=self._log, flush=True)

    def go_on(self, part: str, total: int | None) -> None:
        """Go on with another part of the same work, of which ``total`` units are to be done."""
        self.part, self.total, self._bar.total = part, total, total
        self._bar.set_description(part, refresh=False)

    def _line(self, seconds: float) -> str:
        """Return what is said after so many seconds."""
        passed = timedelta(seconds=round(seconds))
        if not self.total or not self.done:
            return f"{self.part}: {self.done:,} {self.unit} in {passed}"
        left = timedelta(seconds=round(seconds / self.done * max(0, self.total - self.done)))
        share = f"{self.done:,} of {self.total:,} {self.unit} ({self.done / self.total:.0%})"
        return f"{self.part}: {share} in {passed}, about {left} left"


def progress(items: Iterable[Item], part: str, total: int | None, unit: str) -> Iterator[Item]:
    """Yield the items, and say how many of them were taken; the arguments are those of Progress."""
    with Progress(part, total, unit) as taken:
        for item in items:
            yield item
            taken.update()
