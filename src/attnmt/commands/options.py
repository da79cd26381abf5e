"""Options that several subcommands share, and what a shell completes them with."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from attnmt.config import DEMO, load_params, params_file
from attnmt.errors import InputError


def complete_experiment(incomplete: str) -> list[str]:
    """Return the experiments whose names begin with ``incomplete``."""
    others = sorted(file.parent.name for file in Path().glob("experiments/*/params.yaml"))
    return [name for name in (DEMO, *others) if name.startswith(incomplete)]


def complete_model(context: typer.Context, incomplete: str) -> list[str]:
    """Return the names that begin with ``incomplete``: models and ensembles of the line's experiment."""
    try:
        params = load_params(params_file(context.params.get("experiment") or DEMO))
    except InputError:  # a shell that completes has no place for a message
        return []
    return [name for name in (*params.models, *params.ensembles) if name.startswith(incomplete)]


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
        "the lowest perplexity on the dev set.",
    ),
]
