"""Options that several subcommands share, and how often an option may be given."""

import inspect
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from attnmt.errors import InputError
from attnmt.files.atomic import check_place

MOST_BEAM = 100  # a wider beam finds nothing better
Beam = Annotated[
    int | None,
    typer.Option(min=1, max=MOST_BEAM, help="Width of the beam. The default is the experiment's."),
]
Flip = Annotated[bool, typer.Option("--flip", help="The sides of the gold links are exchanged.")]


class Command(TyperCommand):
    """A subcommand that refuses an option given twice, unless its values are a list.

    Typer would keep only the last value. The paragraphs of its help fill the terminal's lines.
    """

    def __init__(self, *args: Any, help: str, **others: Any) -> None:
        paragraphs = inspect.cleandoc(help).split("\n\n")
        text = "\n\n".join(" ".join(one.split()) for one in paragraphs)
        super().__init__(*args, help=text, **others)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read a command line.

        Raises:
            InputError: if an option is given twice.
        """
        if (
            not ctx.resilient_parsing
        ):  # as a shell does, which completes a line that is not finished
            *_, given = self.make_parser(ctx).parse_args([*args])
            for at, option in enumerate(given):
                many = getattr(option, "multiple", False) or option.opts[0][:1] != "-"
                if option in given[:at] and not many:
                    raise InputError(f"{max(option.opts, key=len)}: given twice; give it once")
        return super().parse_args(ctx, args)


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


def check_output(option: str, path: Path, others: Iterable[Path]) -> None:
    """Check early that the file of an option can be written, and is none that the command also takes.

    Raises:
        InputError: naming the option.
    """
    check_place(path)
    for other in others:
        if other.resolve() == path.resolve():
            raise InputError(f"{option}: {path} is also given as {other}; name another file")
