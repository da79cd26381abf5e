"""Options that several subcommands share, and how often an option may be given."""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from attnmt.errors import InputError

MOST_BEAM = 100  # a wider beam finds nothing better
Beam = Annotated[
    int | None,
    typer.Option(min=1, max=MOST_BEAM, help="Width of the beam. The default is the experiment's."),
]


class Command(TyperCommand):
    """A subcommand whose paragraphs of help fill the terminal's lines."""

    def __init__(self, *args: Any, help: str, **others: Any) -> None:
        paragraphs = inspect.cleandoc(help).split("\n\n")
        text = "\n\n".join(" ".join(one.split()) for one in paragraphs)
        super().__init__(*args, help=text, **others)


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
