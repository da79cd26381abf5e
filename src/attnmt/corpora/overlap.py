"""Sentence pairs of a held-out set that are also in the training text. Their scores are too high."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from attnmt.files.text_file import iter_lines

Files = tuple[Path, Path]  # the source file and the target file of a set, whose lines correspond


@dataclass(frozen=True)
class Overlap:
    """Which lines of a held-out set are in the training text. Lines count from 1.

    Attributes:
        lines: how many lines the held-out set has.
        pairs: the lines whose source and target are together a training pair.
        sources: the lines whose source is the source of a training pair, those of ``pairs`` included.
        first: the first line of ``sources`` and the training line that has the same source; None if
            there is no overlap.
    """

    lines: int
    pairs: list[int]
    sources: list[int]
    first: tuple[int, int] | None

    def __bool__(self) -> bool:
        """Return whether there is any overlap."""
        return bool(self.sources)


def find_overlap(train: Files, held_out: Files) -> Overlap:
    """Find the lines of a held-out set in the training text. White space at their ends does not count.

    Only the lines of the set, and the translations that the training text has for them, are in memory.

    Raises:
        InputError: if a file cannot be read.
        ValueError: if the files of a set differ in their number of lines.
    """
    rows = _pairs(held_out)
    wanted = {source for source, _ in rows}
    at: dict[str, int] = {}  # the first training line with a source
    targets: dict[str, set[str]] = {}
    for number, (source, target) in enumerate(_rows(train), start=1):
        if source in wanted:
            at.setdefault(source, number)
            targets.setdefault(source, set()).add(target)
    numbered = list(enumerate(rows, start=1))
    sources = [number for number, (source, _) in numbered if source in at]
    pairs = [number for number, (source, target) in numbered if target in targets.get(source, ())]
    first = (sources[0], at[rows[sources[0] - 1][0]]) if sources else None
    return Overlap(len(rows), pairs, sources, first)


def _pairs(files: Files) -> list[tuple[str, str]]:
    return list(_rows(files))


def _rows(files: Files) -> Iterable[tuple[str, str]]:
    source, target = map(iter_lines, files)
    return ((a.strip(), b.strip()) for a, b in zip(source, target, strict=True))
