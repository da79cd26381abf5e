"""``attnmt track``."""

import socket
from typing import Annotated

import typer

from attnmt.commands.options import Experiment
from attnmt.config import DEMO, load_params, params_file
from attnmt.errors import InputError
from attnmt.tracking.store import UI_PORT, connect, is_server, runs_address

TAKEN = (
    "if your own mlflow ui listens there, attnmt track prints its address; otherwise choose another "
    "port, as in make ui PORT=5002"
)


def track(
    experiment: Experiment = DEMO,
    port: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=65535,
            help=f"The port at which you are about to start mlflow ui; it must be free. "
            f"\\[default: {UI_PORT}, free or not]",
        ),
    ] = None,
) -> None:
    """Read trainings and scores from their files, and add to MLflow what it lacks.

    Then print the address of the table of runs. MLflow's own server shows it (mlflow ui).

    Examples: attnmt track; attnmt track --experiment wmt14; then: mlflow ui
    """
    # Imported here, because it takes a second, and a shell that completes a word must not wait for it.
    from attnmt.tracking.importing import import_missing

    if (
        port is not None and not is_server()
    ):  # or the address that is printed would show what another server serves
        _refuse_taken(port)
    imported = import_missing(load_params(params_file(experiment)))
    typer.echo("\n".join(imported) if imported else "MLflow has everything already.")
    typer.echo(f"The runs of {experiment}: {runs_address(connect(), experiment, port or UI_PORT)}")


def _refuse_taken(port: int) -> None:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError as error:
        raise InputError(f"port {port} of 127.0.0.1: {error.strerror}; {TAKEN}") from None
