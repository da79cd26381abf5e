"""``attnmt track``."""

import typer

from attnmt.commands.options import Profile
from attnmt.config import DEMO, load_params, params_file
from attnmt.tracking.importing import import_missing


def track(profile: Profile = DEMO) -> None:
    """Import into MLflow, from their files, the trainings, scores and reports that it lacks.

    Examples: attnmt track; attnmt track --profile wmt14; then: mlflow ui
    """
    imported = import_missing(load_params(params_file(profile)))
    typer.echo("\n".join(imported) if imported else "MLflow has everything already.")
