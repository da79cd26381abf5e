"""Sentence pairs of a held-out set that are also in the training text. Their scores are too high."""

from collections.abc import Iterator
from dataclasses import dataclass

from attnmt.corpora.parallel import Files
from attnmt.files.text_file import iter_lines


@dataclass(frozen=True)
class Overlap:
    """Which lines of a held-out set are in the training text. Lines count from 1.

    Attributes:
        lines: how many lines the held-out set has.
        sources: the lines whose source is the source of a training pair, each with the first training
            line that has it.
        pairs: those of them whose source and target are together a training pair.
    """

    lines: int
    sources: dict[int, int]
    pairs: list[int]


def find_overlap(train: Files, held_out: Files) -> Overlap:
    """Find the lines of a held-out set in the training text. White space at their ends does not count.

    Only the lines of the set, and the translations that the training text has for them, are in memory.

    Raises:
        InputError: if a file cannot be read.
        ValueError: if the files of a set differ in their number of lines.
    """
    rows = list(_rows(held_out))
    wanted = {source for source, _ in rows}
    places: dict[str, int] = {}  # the first training line with a source
    known: set[tuple[str, str]] = set()
    for number, row in enumerate(_rows(train), start=1):
        if row[0] in wanted:
            places.setdefault(row[0], number)
            known.add(row)
    numbered = list(enumerate(rows, start=1))
    return Overlap(
        lines=len(rows),
        sources={number: places[row[0]] for number, row in numbered if row[0] in places},
        pairs=[number for number, row in numbered if row in known],
    )


def _rows(files: Files) -> Iterator[tuple[str, str]]:
    source, target = map(iter_lines, files)
    return ((a.strip(), b.strip()) for a, b in zip(source, target, strict=True))
