"""The sentence pairs that a command is given: two files, two sentences, or two columns of a stream."""

import os
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from attnmt.commands.input_lines import Given, Line, Lines, lines_to_translate, too_long
from attnmt.config import Language
from attnmt.errors import InputError

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

    A word of the command line is a sentence if it has a space and no file has this name. Standard input
    has a source, a tab and a target on each line.

    Args:
        most: the most characters that a sentence may have.
        languages: those of source and target.
        tokenized: as for :func:`lines_to_translate`.

    Raises:
        InputError: if only one side is given, or the sides have different numbers of lines; and as
            :func:`lines_to_translate` does.
    """
    if source is None or target is None:
        if source is not None:
            raise InputError("TARGET: missing; give both sides, or two columns on standard input")
        both = lines_to_translate(None, None, 2 * most + 1, languages[0])
        pairs = (_columns(line, most) for line in both.items)
        return Given(both.name, pairs, None, both.waiting, both.typed)
    sides = [
        _side(word, most, language, tokenized)
        for word, language in zip((source, target), languages, strict=True)
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


def _side(word: str, most: int, language: Language, tokenized: bool | None) -> Lines:
    sentence = " " in word.strip() and not os.path.exists(word)  # noqa: PTH110  a text may be long
    if not sentence and not os.path.exists(word):  # noqa: PTH110
        raise InputError(f"{word}: no such file (and no sentence, which has a space in it)")
    text, file = ([word], None) if sentence else (None, Path(word))
    return lines_to_translate(text, file, most, language, tokenized)


def _columns(line: Line, most: int) -> Pair:
    columns = line.text.split("\t")
    if len(columns) != 2:
        raise InputError(
            f"{line.place}: {len(columns)} columns; write a source, a tab and its translation"
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
