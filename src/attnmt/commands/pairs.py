"""The sentence pairs that a command is given: two files, or a TSV."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from attnmt.commands.input_lines import Given, Line, lines_to_translate, too_long
from attnmt.commands.messages import note, warn
from attnmt.errors import InputError

if TYPE_CHECKING:  # it loads torch
    from attnmt.decoding.coverage import Coverage

Source = Annotated[
    Path | None,
    typer.Argument(
        help="A file with a sentence on each line, or, without TARGET, a TSV with a source, a tab and "
        "a target on each line. Without both, the TSV is read from standard input."
    ),
]
Target = Annotated[Path | None, typer.Argument(help="A file with their translations.")]


class Pair(NamedTuple):
    """A sentence and a translation of it."""

    source: Line
    target: Line


def pairs_given(source: Path | None, target: Path | None, most: int) -> Given[Pair]:
    """Return the pairs of two files, of a TSV, or of standard input, a TSV, if both are None.

    Args:
        most: the most characters that a sentence may have.

    Raises:
        InputError: if the sides have different numbers of lines, or a line of a TSV has not two columns
            (naming the line); and as :func:`lines_to_translate` does.
    """
    if target is None:
        both = lines_to_translate(None, source, 2 * most + 1)
        pairs = (_columns(line, most) for line in both.items)
        return Given(both.name, pairs, both.total, both.waiting, both.typed)
    sides = [lines_to_translate(None, side, most) for side in (source, target)]
    if sides[0].total != sides[1].total:
        each = ", ".join(f"{side.name} has {side.total:,}" for side in sides)
        raise InputError(f"lines must correspond, but {each}; get a complete copy of each file")
    together = map(Pair, *(side.items for side in sides))
    return Given(str(source), together, sides[0].total, lambda: True)


def note_unknown(sides: Sequence["Coverage"]) -> None:
    """Say how much of both sides the models do not know, and ask whether the sides are exchanged."""
    for side in sides:
        if side.unknown:
            share = f"{side.unknown:,} of {side.units:,}"
            note(f"unknown {side.reader.unit} of {side.reader.code}: {share}")
    if all(side.mostly_unknown for side in sides):
        warn("most of both sides is unknown; are source and target exchanged?")


def _columns(line: Line, most: int) -> Pair:
    columns = line.text.split("\t")
    if len(columns) != 2:
        raise InputError(
            f"{line.place}: not two columns; write a source, a tab and its translation"
        )
    for text in columns:
        if len(text) > most:
            raise too_long(line.place, f"{len(text):,}", most)
    return Pair(*(Line(line.place, text) for text in columns))
