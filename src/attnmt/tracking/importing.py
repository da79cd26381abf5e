"""Write into MLflow what it lacks of an experiment's trainings and scores, from their files."""

import logging
from datetime import datetime
from typing import Any

from attnmt.config import Params
from attnmt.errors import MORE_SPACE, InputError, lacks_space
from attnmt.files.text_file import read_json
from attnmt.layout import CONFIG, METRICS, Layout
from attnmt.scoring.score_table import DIGITS
from attnmt.tracking.runs import fill, warn
from attnmt.tracking.store import connect, store_uri
from attnmt.training.provenance import read_provenance
from attnmt.training.trained import read_history, read_metrics

MEASURED = {"seconds", "target_words_per_second", "peak_memory_mb"}  # the rest of runs/ are tags

log = logging.getLogger(__name__)


def log_results(params: Params) -> None:
    """Write what MLflow lacks of an experiment. An error is a warning."""
    try:
        import_missing(params)
    except Exception as error:
        warn(error)


def import_missing(params: Params) -> list[str]:
    """Write finished trainings with their scores; complete those that MLflow has in part.

    Returns:
        The models to which something was added. A second call adds nothing.

    Raises:
        InputError: if MLflow is not installed or its store does not answer, or a file is damaged.
    """
    try:
        client = connect()
        return [name for name in params.trainings if _add(client, params.experiment, name)]
    except InputError:
        raise
    except Exception as error:
        cause, cure = f"{type(error).__name__}: {error}".splitlines()[0], MORE_SPACE
        if not lacks_space(error):
            cure = "check that it is installed (extra 'workflow'), and that MLFLOW_TRACKING_URI is right"
        raise InputError(f"MLflow at {store_uri()}: {cause}; {cure}") from error


def _add(client: Any, experiment: str, name: str) -> bool:
    """Write a training if MLflow lacks any of it; return whether it did."""
    layout = Layout(experiment)
    folder, path = layout.model(name), layout.metrics(name)
    if not (folder / METRICS).exists():
        return False
    about, metrics = read_provenance(experiment, name), read_metrics(folder)
    if about is None:
        log.warning("%s: missing, so MLflow lacks %s", layout.provenance(name), name)
        return False
    numbers = metrics.model_dump() | about.model_dump(include=MEASURED)
    scores = read_json(path) if path.exists() else {}
    ours = {test: round(value, DIGITS) for test, value in metrics.perplexity.items()}
    if ours == {test: scores.get(test, {}).get("ppl") for test in ours}:
        numbers |= scores  # which are not those of an earlier training
    ended = int(1000 * (datetime.fromisoformat(about.started).timestamp() + about.seconds))
    points = [(ended, row) for row in read_history(folder)]
    facts = about.model_dump(exclude=MEASURED)
    return fill(client, read_json(folder / CONFIG), facts, points, numbers, "FINISHED", ended)
