"""What a command says on standard error, beside its result. A progress bar stays whole."""

import sys
from html import unescape
from typing import TYPE_CHECKING

from tqdm import tqdm

from attnmt.errors import escaped

if TYPE_CHECKING:  # it loads torch
    from attnmt.decoding.coverage import Coverage

NAMED = 8  # unknown words; more are only counted


def note(message: str) -> None:
    """Say what a person may want to know."""
    tqdm.write(f"note: {escaped(message)}", file=sys.stderr)


def warn(message: str) -> None:
    """Say what may make the result bad."""
    tqdm.write(f"warning: {escaped(message)}", file=sys.stderr)


def counted(count: int, noun: str) -> str:
    """Return a number of things: 1 column, 2 columns."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def say_coverage(*sides: "Coverage") -> None:
    """Say what the models do not know or read of a text that was read."""
    from attnmt.text.tokenizer import JOIN  # here, because it loads lists of words

    for side in sides:
        code, unit = side.reader.code, side.reader.unit
        if side.unknown:
            names = ", ".join(unescape(one).strip(JOIN) for one in side.unknown)
            named = f": {names}" if len(side.unknown) <= NAMED else ""
            count = f"{side.unknown.total():,} of {side.units:,}"
            note(f"unknown {unit} of {code}: {count}{named}")
        if side.lost:
            lost = counted(side.lost, "first word")
            warn(f"the models do not read {lost} of long lines of {code}; divide them")
