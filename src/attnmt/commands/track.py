"""``attnmt track``."""

import typer

from attnmt.commands.model_choice import Experiment
from attnmt.config import DEMO, load_params, params_file


def track(experiment: Experiment = DEMO) -> None:
    """Read trainings and scores from their files, and add to MLflow what it lacks.

    MLflow's own server shows the runs (mlflow ui).

    Examples:

    attnmt track; mlflow ui

    attnmt track --experiment wmt14
    """
    # Imported here, because it takes a second, and a shell that completes a word must not wait for it.
    from attnmt.tracking.importing import import_missing

    imported = import_missing(load_params(params_file(experiment)))
    typer.echo("\n".join(imported) if imported else "MLflow has everything already.")
