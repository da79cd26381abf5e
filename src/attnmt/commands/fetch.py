"""``attnmt fetch``."""

import os
from collections.abc import Iterable
from typing import Annotated

import typer
from rich import filesize

from attnmt.commands.options import Experiment
from attnmt.config import DEMO, File, load_params, params_file
from attnmt.corpora.downloads import MIRROR, missing_files
from attnmt.corpora.downloads import fetch as fetch_files
from attnmt.errors import InputError
from attnmt.files.yaml_file import hint
from attnmt.layout import Layout


def fetch(
    experiment: Experiment = DEMO,
    accept: Annotated[
        list[str] | None,
        typer.Option(help="The name of a license whose terms you accept."),
    ] = None,
) -> None:
    """Download and verify the text of an experiment in advance, for example on a login node.

    Afterwards the corpus stage needs no network. A file in data/downloads/<experiment> that has the
    right digest stays. If a license must be accepted, the command shows its terms and ends; --accept
    accepts it. You may put a file into the folder by hand. It is verified like the others, and
    fetched again if it is the wrong one.

    Examples: attnmt fetch --experiment captions; attnmt fetch --experiment wmt14 --accept rwth
    """
    params = load_params(params_file(experiment))
    if params.source is None:
        typer.echo(
            f"{experiment} reads its text in {params.local_text}; there is nothing to fetch."
        )
        return
    files, folder = params.source.downloads(), Layout(experiment).downloads
    accepted = _checked(accept or [], files)
    if os.environ.get(MIRROR):
        fetch_files(files, folder)
        typer.echo(f"All {len(files)} files are in {os.environ[MIRROR]} ({MIRROR}), verified.")
        return
    missing = missing_files(files, folder)
    typer.echo(
        f"Experiment {experiment} reads {len(files)} files; {len(missing)} are to be fetched:"
    )
    for file in files:
        size = filesize.decimal(file.bytes) if file.bytes else "size unknown"
        typer.echo(f"  {file.name:36}{size:>14}{'' if file in missing else '  there'}")
    fetch_files(missing, folder, accepted)
    typer.echo(f"All are in {folder}, verified.")


def _checked(accept: list[str], files: Iterable[File]) -> set[str]:
    names = {file.license.name for file in files if file.license}
    for name in accept:
        if name not in names:
            why = hint(name, names) if names else "; no file asks for one"
            raise InputError(f"--accept: no license {name!r}{why}")
    return set(accept)
