"""The command ``attnmt``, for all work that is not a stage."""

import attnmt.first_import  # isort: skip  # noqa: F401  before all that takes time to load

import io
import sys
from typing import Annotated

import typer

from attnmt.commands.align import align
from attnmt.commands.commit import commit
from attnmt.commands.explain import explain
from attnmt.commands.new import new
from attnmt.commands.options import Command
from attnmt.commands.pack import pack
from attnmt.commands.plan import plan
from attnmt.commands.score import score
from attnmt.commands.track import track
from attnmt.commands.translate import translate
from attnmt.first_import import refuse_other_code
from attnmt.library import __version__
from attnmt.program import run_app

app = typer.Typer(
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
for command in (new, translate, explain, score, align, pack, plan, commit, track):
    app.command(cls=Command)(command)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"attnmt {__version__}")
        raise typer.Exit


@app.callback()
def begin(
    _: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Tools around the workflow. To run the workflow itself, use dvc repro or snakemake."""
    refuse_other_code()


def main() -> None:
    """Run the command line.

    Standard output takes every character: as UTF-8, or as ``?`` where a terminal has another encoding.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        if sys.stdout.isatty():
            sys.stdout.reconfigure(errors="replace")
        else:
            sys.stdout.reconfigure(encoding="utf-8")
    run_app(app)
