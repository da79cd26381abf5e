"""Options that several subcommands share, how often an option may be given, and completion."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from attnmt.config import DEMO, load_params, params_file
from attnmt.config.params import experiments
from attnmt.errors import InputError
from attnmt.files.atomic import check_place

MOST_BEAM = 100  # a wider beam finds nothing better
PAIRS = "SOURCE TARGET"  # how the help shows an option that has a file for each side


class Command(TyperCommand):
    """A subcommand that refuses an option given twice, unless its values are a list.

    Typer would keep only the last value. Typer also has no lists of pairs, so that a list with the
    metavar ``PAIRS`` takes two words each time and has them one after the other.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read a command line.

        Raises:
            InputError: if an option is given twice, or a pair lacks its second word.
        """
        if ctx.resilient_parsing:  # a shell completes a line that is not finished
            return super().parse_args(ctx, args)
        lists = [one for one in self.params if getattr(one, "multiple", False)]
        args = _single(args, {name for one in lists if one.metavar == PAIRS for name in one.opts})
        *_, given = self.make_parser(ctx).parse_args(list(args))
        for at, option in enumerate(given):
            if option in given[:at] and option not in lists and option.opts[0][:1] == "-":
                raise InputError(f"{max(option.opts, key=len)}: given twice; give it once")
        return super().parse_args(ctx, args)


def _single(args: list[str], pairs: set[str]) -> list[str]:
    """Return the words with the name of an option in ``pairs`` before each of its two values."""
    words, left = [], list(args)
    while left:
        word, equals, value = left[0].partition("=")
        if word in pairs:
            left[:1] = [value] if equals else []
            values, left = left[:2], left[2:]
            if len(values) < 2 or any(value.startswith("--") for value in values):
                raise InputError(f"{word}: needs two files, {PAIRS}")
            words += [part for value in values for part in (word, value)]
        else:
            words.append(left.pop(0))
    return words


def complete_experiment(incomplete: str) -> list[str]:
    """Return the experiments whose names begin with ``incomplete``."""
    return [name for name in experiments() if name.startswith(incomplete)]


def complete_model(context: typer.Context, incomplete: str) -> list[str]:
    """Return the names that begin with ``incomplete``: models and ensembles of the line's experiment."""
    try:
        params = load_params(params_file(context.params.get("experiment") or DEMO))
    except InputError:  # a shell that completes has no place for a message
        return []
    return [name for name in (*params.trainings, *params.ensembles) if name.startswith(incomplete)]


@contextmanager
def of_the_extra(what: str) -> Iterator[None]:
    """Say how to install a missing module of the extra ``workflow``; ``what`` needs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise InputError(
            f"{what}, and {error.name} is not installed; in the project's folder: pip install -e "
            f"'.[workflow]'"
        ) from None


def _plain(name: str) -> str:
    """Refuse a path, which could lead to another experiment's files."""
    if not re.fullmatch(r"\w[\w.-]*", name):
        raise InputError(f"--experiment: {name!r} is not a name; give {DEMO} or a folder's name")
    return name


def check_output(option: str, path: Path, others: Iterable[Path]) -> None:
    """Check early that the file of an option can be written, and is none that the command also takes.

    Raises:
        InputError: naming the option.
    """
    check_place(path)
    for other in others:
        # os.path, because pathlib fails on a sentence that is too long for a name
        same = os.path.exists(other) and path.exists() and path.samefile(other)  # noqa: PTH110
        if same or os.path.abspath(other) == os.path.abspath(path):  # noqa: PTH100
            raise InputError(f"{option}: {path} is also given as {other}; name another file")


def refuse_pipes(files: Iterable[Path]) -> None:
    """Refuse a pipe in place of a file that is read more than once, such as <(cat corpus.fr).

    Raises:
        InputError: naming it.
    """
    for file in files:
        if file.is_fifo():
            why = "a pipe can be read only once; write its text to a file, and name that"
            raise InputError(f"{file}: {why}")


Experiment = Annotated[
    str,
    typer.Option(
        "--experiment",
        "-e",
        help=f"{DEMO}, or the name of a folder in experiments/.",
        callback=_plain,
        autocompletion=complete_experiment,
    ),
]
OneModel = Annotated[
    str | None,
    typer.Option(
        "--model",
        "-m",
        autocompletion=complete_model,
        help="A model or an ensemble. The default is the forward model of the first family that has "
        "the lowest perplexity on the dev set; a backward one if there is no other.",
    ),
]
Beam = Annotated[
    int | None,
    typer.Option(min=1, max=MOST_BEAM, help="Width of the beam. The default is the experiment's."),
]
MOST_CHARACTERS = 5_000  # some 900 words; the time grows with the square of the length
MaxCharacters = Annotated[
    int, typer.Option(min=1, help="A line with more characters than this is refused.")
]
Flip = Annotated[bool, typer.Option("--flip", help="The sides of the gold links are exchanged.")]
