"""Options that several subcommands share, and what a shell completes them with."""

import re
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
