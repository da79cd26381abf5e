"""The report in MLflow: one run carries the page, the tables, the figures and the best model.

The development set chooses the best model (:mod:`attnmt.training.best_model`). It is registered as
``attnmt-<experiment>`` (:mod:`attnmt.serving.mlflow_model`), with a new version when it changes.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from attnmt.config import Params
from attnmt.decoding.needed_files import translator_files
from attnmt.layout import Layout
from attnmt.serving.mlflow_model import save_mlflow_model
from attnmt.tracking.runs import replace_artifacts, report_run, short_digest
from attnmt.training.best_model import best_model

TRANSLATOR = "translator"  # the logged model
DESCRIPTION = "mlflow.note.content"  # the tag that MLflow shows as Markdown


def add_report(client: Any, params: Params) -> bool:
    """Put an experiment's report into MLflow, in place of an earlier one.

    Returns:
        Whether MLflow lacked any of it.

    Raises:
        InputError: if a file of the best model is missing.
    """
    layout, experiment = Layout(params.experiment), params.experiment
    run_id = report_run(client, experiment)
    files = sorted(layout.reports.rglob("[!.]*.*"))
    changes = [replace_artifacts(client, run_id, layout.reports, files)]
    if any(layout.model("").glob("*/metrics.json")):  # a fresh clone has no models
        changes.append(_register_best(client, params, run_id))
    return any(changes)


def _register_best(client: Any, params: Params, run_id: str) -> bool:
    """Log the best model of an experiment as an output of run ``run_id``, and register it.

    Returns:
        Whether the registry lacked it as its latest version.

    Raises:
        InputError: if a file of the model is missing.
    """
    from mlflow.entities import LoggedModelOutput
    from mlflow.models import Model

    name, registered = best_model(params), f"attnmt-{params.experiment}"
    digest = short_digest(translator_files(params, name))
    versions = client.search_model_versions(f"name = '{registered}'")
    if versions and max(versions, key=lambda v: int(v.version)).tags.get("packed") == digest:
        return False
    tags = {"model": name, "packed": digest}
    experiment = client.get_run(run_id).info.experiment_id
    logged = client.create_logged_model(experiment, TRANSLATOR, run_id, tags)
    with TemporaryDirectory() as temporary:
        folder = Path(temporary, TRANSLATOR)
        described = Model(logged.artifact_location, run_id, model_id=logged.model_id)
        save_mlflow_model(params, name, folder, described)
        client.log_model_artifacts(logged.model_id, str(folder))
    client.finalize_logged_model(logged.model_id, "READY")
    client.log_outputs(run_id, [LoggedModelOutput(logged.model_id, step=0)])
    serve = f"mlflow models serve --env-manager local -m models:/{registered}/latest"
    text = f"`{name}`, of experiment {params.experiment}. To serve it: `{serve}`"
    if not versions:
        client.create_registered_model(registered)
    client.update_registered_model(registered, f"The best model: {text}")
    client.set_tag(run_id, DESCRIPTION, f"The report is `index.html`. The best model is {text}")
    # MLflow would look for ``models:/<id>`` in the store of its own process, which may be another one.
    place = logged.artifact_location
    client.create_model_version(registered, place, run_id, tags, model_id=logged.model_id)
    return True
