"""``attnmt track``."""

from typing import Annotated

import typer

from attnmt.commands.model_choice import Experiment
from attnmt.config import DEMO, load_params, params_file
from attnmt.tracking.store import UI_PORT, connect, runs_address


def track(
    experiment: Experiment = DEMO,
    port: Annotated[
        int, typer.Option(min=1, max=65535, help="The port of mlflow ui, for the address.")
    ] = UI_PORT,
) -> None:
    """Read trainings and scores from their files, and add to MLflow what it lacks.

    Then print the address of the table of runs. MLflow's own server shows it (mlflow ui).

    Examples:

    attnmt track; mlflow ui

    attnmt track --experiment wmt14
    """
    # Imported here, because it takes a second, and a shell that completes a word must not wait for it.
    from attnmt.tracking.importing import import_missing

    imported = import_missing(load_params(params_file(experiment)))
    typer.echo("\n".join(imported) if imported else "MLflow has everything already.")
    typer.echo(f"The runs of {experiment}: {runs_address(connect(), experiment, port)}")
