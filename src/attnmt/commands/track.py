"""``attnmt track``."""

import typer

from attnmt.commands.options import Experiment
from attnmt.config import DEMO, load_params, params_file
from attnmt.tracking.importing import import_missing
from attnmt.tracking.store import connect, runs_address


def track(experiment: Experiment = DEMO) -> None:
    """Import the trainings, scores and reports that MLflow lacks from their files.

    Then print the address of the table of the runs, which MLflow's own server shows (mlflow ui).

    Examples: attnmt track; attnmt track --experiment wmt14; then: mlflow ui
    """
    imported = import_missing(load_params(params_file(experiment)))
    typer.echo("\n".join(imported) if imported else "MLflow has everything already.")
    address = runs_address(connect(), experiment)
    if address is not None:
        typer.echo(f"The runs of {experiment} with their scores: {address}")
