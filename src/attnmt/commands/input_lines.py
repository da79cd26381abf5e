"""The sentences that a command is given: arguments, files, or standard input."""

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Generic, NamedTuple, TypeVar

import typer

from attnmt.commands.messages import note, warn
from attnmt.errors import InputError
from attnmt.files.text_file import decode_lines, iter_lines

CHUNK = 1024  # lines that are sorted by length and translated together; many make good batches
MOST_CHARACTERS = 10_000  # of a line; the time of a search grows with the square of the length
STDIN = "standard input"

Source = Annotated[
    Path | None,
    typer.Argument(
        help="A file with a sentence on each line, or, without TARGET, a TSV with a source, a tab and "
        "a target on each line. Without both, the TSV is read from standard input."
    ),
]
Target = Annotated[Path | None, typer.Argument(help="A file with their translations.")]
Item = TypeVar("Item")


class Line(NamedTuple):
    """A sentence, and its file and line, from 1, for messages."""

    place: str
    text: str


class Pair(NamedTuple):
    """A sentence and a translation of it."""

    source: Line
    target: Line


@dataclass(frozen=True)
class Given(Generic[Item]):
    """What a command is given, lines or pairs of them, and what is known about those that follow."""

    name: str
    items: Iterator[Item]
    total: int | None  # None if they are still coming
    typed: bool = False  # whether a person types them

    @property
    def chunk(self) -> int:
        """How many are translated together; a person who types gets each answer at once."""
        return 1 if self.typed else CHUNK


def lines_given(text: list[str] | None, path: Path | None) -> Given[Line]:
    """Return the sentences ``text``, or the lines of a file, or of standard input if both are None.

    Text and files are read as a whole, so that all their faults are reported before any work.

    Raises:
        InputError: if a line is too long, is not UTF-8 or holds a NUL byte (naming the line), or if the
            file cannot be read. Faults of standard input are raised when its lines are read.
    """
    if not text and path is None:
        return _standard_input("a sentence")
    for one in text or ():
        if Path(one).is_file():
            warn(f"{one}: taken as a sentence, although there is such a file; --input reads it")
    name = "text" if text else str(path)
    lines = decode_lines(map(os.fsencode, text), name) if text else iter_lines(Path(name), True)
    checked = [*_checked(lines, name)]
    return Given(name, iter(checked), len(checked))


def pairs_given(source: Path | None, target: Path | None) -> Given[Pair]:
    """Return the pairs of two files, of a TSV, or of standard input, a TSV, if both are None.

    Raises:
        InputError: if the sides have different numbers of lines, or a line of a TSV has not two columns
            (naming the line); and as :func:`lines_given` does.
    """
    if target is None:
        what = "a source, a tab and its translation"
        rows = _standard_input(what) if source is None else lines_given(None, source)
        return replace(rows, items=map(_columns, rows.items))  # type: ignore[arg-type, return-value]
    sides = [lines_given(None, side) for side in (source, target)]
    if sides[0].total != sides[1].total:
        each = ", ".join(f"{side.name} has {side.total:,}" for side in sides)
        raise InputError(f"lines must correspond, but {each}; get a complete copy of each file")
    pairs = map(Pair, *(side.items for side in sides))
    return Given(str(source), pairs, sides[0].total)


def in_chunks(items: Iterator[Item], size: int) -> Iterator[list[Item]]:
    """Yield items in chunks. If an item raises an InputError, those before it are yielded first."""
    chunk: list[Item] = []
    try:
        for item in items:
            chunk.append(item)
            if len(chunk) == size:
                yield chunk
                chunk = []
    except InputError:
        if chunk:
            yield chunk
        raise
    if chunk:
        yield chunk


def _standard_input(what: str) -> Given[Line]:
    """Return the lines of standard input; a person at a terminal is told ``what`` a line is."""
    if typed := sys.stdin.isatty():
        note(f"type {what} and press Enter; Ctrl-D ends")
    # A character has at most four bytes; the rest of a line that is too long is never kept.
    arriving = iter(lambda: sys.stdin.buffer.readline(4 * MOST_CHARACTERS + 2), b"")
    return Given(STDIN, _checked(decode_lines(arriving, STDIN), STDIN), None, typed)


def _checked(lines: Iterable[str], name: str) -> Iterator[Line]:
    for number, text in enumerate(lines, start=1):
        place = f"{name}:{number}"
        if "\0" in text:
            raise InputError(f"{place}: a NUL byte, which no text in UTF-8 has; convert the text")
        if len(text) > MOST_CHARACTERS:
            raise InputError(
                f"{place}: more than {MOST_CHARACTERS:,} characters; divide the line into sentences"
            )
        yield Line(place, text)


def _columns(line: Line) -> Pair:
    columns = line.text.split("\t")
    if len(columns) != 2:
        raise InputError(
            f"{line.place}: not two columns; write a source, a tab and its translation"
        )
    return Pair(*(Line(line.place, text) for text in columns))
