"""``attnmt track``."""

import typer

from attnmt.commands.options import Experiment
from attnmt.config import DEMO, load_params, params_file
from attnmt.tracking.importing import import_missing


def track(experiment: Experiment = DEMO) -> None:
    """Import into MLflow, from their files, the trainings, scores and reports that it lacks.

    Examples: attnmt track; attnmt track --experiment wmt14; then: mlflow ui
    """
    imported = import_missing(load_params(params_file(experiment)))
    typer.echo("\n".join(imported) if imported else "MLflow has everything already.")
