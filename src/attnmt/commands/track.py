"""``attnmt track``."""

import typer

from attnmt.commands.options import Experiment
from attnmt.config import DEMO, load_params, params_file
from attnmt.tracking.store import connect, runs_address


def track(experiment: Experiment = DEMO) -> None:
    """Read trainings, scores and reports from their files, and import into MLflow what it lacks.

    Then print the address of the table of runs. MLflow's own server shows it (mlflow ui).

    Examples: attnmt track; attnmt track --experiment wmt14; then: mlflow ui
    """
    # Imported here, because it takes a second, and a shell that completes a word must not wait for it.
    from attnmt.tracking.importing import import_missing

    imported = import_missing(load_params(params_file(experiment)))
    typer.echo("\n".join(imported) if imported else "MLflow has everything already.")
    address = runs_address(connect(), experiment)
    if address is not None:
        typer.echo(f"The runs of {experiment} with their scores: {address}")
