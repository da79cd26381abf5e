"""Import into MLflow what it lacks of an experiment's trainings, scores and report, from their files."""

import logging
from datetime import datetime
from pathlib import Path
from typing import Any

from tqdm import tqdm

from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.scoring.numbers import Numbers, read_numbers
from attnmt.tracking.live import warn
from attnmt.tracking.runs import (
    REPORT,
    Point,
    RunKey,
    find_run,
    log_final,
    log_points,
    open_run,
    replace_artifacts,
    report_run,
)
from attnmt.tracking.score_metrics import add_scores, scored_here
from attnmt.tracking.store import connect, store_uri
from attnmt.training.trained import read_config, read_history, read_metrics, read_provenance

# Entries of provenance.json that are metrics; the others are tags.
NUMBERS = {"seconds", "target_words_per_second", "peak_memory_mb"}

logger = logging.getLogger(__name__)


def log_results(params: Params) -> None:
    """Import into MLflow what it lacks of an experiment. An error is logged, not raised."""
    try:
        import_missing(params)
    except Exception as error:
        warn("log the results", error)


def import_missing(params: Params) -> list[str]:
    """Import finished trainings, scores and the report; complete what MLflow has in part.

    Returns:
        The names of the models and ensembles to which something was added, and REPORT if something was
        added to the report. A second call adds nothing.

    Raises:
        InputError: if MLflow is not installed or its store does not answer, or a file is damaged.
    """
    experiment = params.experiment
    layout = Layout(experiment)
    trained = sorted(path.parent for path in layout.model("").glob("*/metrics.json"))
    numbers = read_numbers(experiment) if layout.numbers.exists() else Numbers([])
    scored = scored_here(params, numbers)
    try:
        client = connect()
        folders = tqdm(trained, "trainings", unit="training", disable=None, leave=False, delay=1)
        added = {folder.name for folder in folders if _import_training(client, experiment, folder)}
        for name in tqdm(scored, "scores", unit="model", disable=None, leave=False, delay=1):
            if add_scores(client, params, numbers, name):
                added.add(name)
        has_report = (layout.reports / "index.html").exists()
        report = [REPORT] if has_report and add_report(client, params) else []
    except InputError:
        raise
    except Exception as error:
        cause = f"{type(error).__name__}: {error}".splitlines()[0]
        raise InputError(
            f"MLflow at {store_uri()}: {cause}; "
            "check that it is installed (extra 'workflow') and that MLFLOW_TRACKING_URI is right"
        ) from error
    return sorted(added) + report


def add_report(client: Any, params: Params) -> bool:
    """Put an experiment's report into MLflow, in place of an earlier one; return whether it was new."""
    folder = Layout(params.experiment).reports
    run_id = report_run(client, params.experiment)
    return replace_artifacts(client, run_id, folder, sorted(folder.rglob("[!.]*.*")))


def _import_training(client: Any, experiment: str, folder: Path) -> bool:
    """Import one training; return whether MLflow lacked any of it."""
    name, provenance = folder.name, read_provenance(folder)
    key = RunKey(experiment, name, provenance.fingerprint, provenance.started)
    run = find_run(client, experiment, key.tags)
    if run is not None and run.info.status == "FINISHED":
        return False
    logger.info("MLflow lacked the training of %s", name)
    started = datetime.fromisoformat(provenance.started).timestamp()
    ended = int((started + provenance.seconds) * 1000)
    config, history = read_config(folder).model_dump(), read_history(folder)
    metrics = read_metrics(folder).model_dump() | provenance.model_dump(include=NUMBERS)
    run_id, known = open_run(client, key, config, provenance.model_dump(exclude=NUMBERS))
    points = [
        Point(curve, value, int(row["step"]), ended)
        for row in history
        for curve, value in row.items()
        if curve != "step"
    ]
    log_points(client, run_id, points, known)
    log_final(client, run_id, metrics)
    client.set_terminated(run_id, "FINISHED", ended)
    return True
