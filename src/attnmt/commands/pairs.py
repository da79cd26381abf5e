"""The sentence pairs that a command is given: two files, two sentences, or two columns of a stream."""

import os
import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from attnmt.commands.input_lines import STDIN, Given, Line, Lines, lines_to_translate, too_long
from attnmt.commands.listed import counted
from attnmt.commands.messages import note, warn
from attnmt.config import Language
from attnmt.errors import InputError

if TYPE_CHECKING:  # it loads torch
    from attnmt.decoding.coverage import Coverage

# What ends a file's name and hardly a sentence: .en, .zh_Hans, .txt.gz
SUFFIX = re.compile(r"\.[A-Za-z]\w*$", re.ASCII)

Source = Annotated[
    str | None,
    typer.Argument(
        help="A file with a sentence on each line, or one sentence. Without it, standard input has a "
        "source, a tab and a target on each line."
    ),
]
Target = Annotated[
    str | None, typer.Argument(help="Their translations, line by line, or one translation.")
]


class Pair(NamedTuple):
    """A sentence and a translation of it."""

    source: Line
    target: Line


def pairs_given(
    source: str | None,
    target: str | None,
    most: int,
    languages: tuple[Language, Language],
    tokenized: bool | None = None,
) -> Given[Pair]:
    """Return the pairs of two files, of two sentences, or of standard input if both are None.

    An argument that is no file is a sentence, unless it looks like a mistyped file: see
    :func:`_refuse_mistyped`. Standard input has a source, a tab and a target on each line.

    Args:
        most: the most characters that a sentence may have.
        languages: those of source and target.
        tokenized: as for :func:`lines_to_translate`.

    Raises:
        InputError: if only one side is given, if one looks like a file that is not there, or if the
            sides have different numbers of lines; and as :func:`lines_to_translate` does.
    """
    if source is None or target is None:
        if source is not None:
            raise InputError("TARGET: missing; give both sides, or two columns on standard input")
        both = lines_to_translate(None, None, 2 * most + 1, languages[0])
        pairs = (_columns(line, most) for line in both.items)
        return Given(both.name, pairs, None, both.waiting, both.typed)
    _refuse_mistyped((source, target), languages)
    sides = [
        lines_to_translate(*_text_or_file(argument), most, language, tokenized)
        for argument, language in zip((source, target), languages, strict=True)
    ]
    totals = {side.total for side in sides}
    if len(totals - {None}) > 1:
        each = ", ".join(f"{side.name} has {side.total:,}" for side in sides)
        raise InputError(f"lines must correspond, but {each}; get a complete copy of each file")
    return Given(
        source,
        _together(*sides),
        None if None in totals else sides[0].total,
        lambda: all(side.waiting() for side in sides),
    )


def note_unknown(sides: Sequence["Coverage"]) -> None:
    """Say how much of both sides the models do not know, and ask whether the sides are exchanged."""
    for side in sides:
        if side.unknown:
            share = f"{side.unknown:,} of {side.units:,}"
            note(f"unknown {side.reader.unit} of {side.reader.code}: {share}")
    if all(side.mostly_unknown for side in sides):
        warn("most of both sides is unknown; are source and target exchanged?")


def _refuse_mistyped(sides: tuple[str, str], languages: tuple[Language, Language]) -> None:
    """Refuse an argument that is no file, if a person seems to have meant one.

    An argument with a space is a sentence, and so is the one beside it. Without spaces, an argument is
    meant as a file if the other one is a file, if it ends as a file's name does, or if it has a slash
    and its language puts spaces between words.

    Raises:
        InputError: naming the argument.
    """
    missing = [
        (side, language)
        for side, language in zip(sides, languages, strict=True)
        if not _is_file(side)
    ]
    spaces = any(" " in side.strip() for side, _ in missing)
    for side, language in missing:
        is_folder = os.path.isdir(side)  # noqa: PTH112
        has_suffix = SUFFIX.search(side) is not None
        has_slash = os.sep in side and language.tokenize != "characters"
        in_folder = has_suffix and os.path.isdir(os.path.dirname(side))  # noqa: PTH112, PTH120
        meant_as_file = len(missing) == 1 or has_suffix or has_slash
        if is_folder or in_folder or (meant_as_file and not spaces):
            why = "this is a folder; name a file" if is_folder else "no such file; correct the name"
            raise InputError(
                f"{side}: {why}. If it is a sentence, give both sides on {STDIN}, with a tab between "
                f"them"
            )


def _text_or_file(argument: str) -> tuple[list[str] | None, Path | None]:
    return (None, Path(argument)) if _is_file(argument) else ([argument], None)


def _is_file(argument: str) -> bool:
    """Return whether an argument is a file or a pipe. (pathlib fails on a text too long for a name.)"""
    return os.path.exists(argument) and not os.path.isdir(argument)  # noqa: PTH110, PTH112


def _columns(line: Line, most: int) -> Pair:
    columns = line.text.split("\t")
    if len(columns) != 2:
        raise InputError(
            f"{line.place}: {counted(len(columns), 'column')}; write a source, a tab and its translation"
        )
    for text in columns:
        if len(text) > most:
            raise too_long(line.place, f"{len(text):,}", most)
    return Pair(*(Line(line.place, text) for text in columns))


def _together(source: Lines, target: Lines) -> Iterator[Pair]:
    for left, right in zip_longest(source.items, target.items):
        if left is None or right is None:  # of pipes, whose numbers of lines show at the end
            short, long = (source, right) if left is None else (target, left)
            raise InputError(f"{short.name}: it ends before {long.place}; lines must correspond")
        yield Pair(left, right)
