"""Write into MLflow what it lacks of an experiment's trainings and scores, from their files."""

from datetime import datetime
from pathlib import Path
from typing import Any

from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.files.text_file import read_json
from attnmt.layout import CONFIG, METRICS, Layout
from attnmt.scoring.score_table import DIGITS, metrics, read_score_table
from attnmt.tracking.live import warn
from attnmt.tracking.runs import TrainingRun
from attnmt.tracking.store import LOCK, connect, store_uri
from attnmt.training.trained import read_history, read_metrics, read_provenance

SCORES = ("bleu", "bleu_unk", "aer")  # the others are in scores.csv
# Entries of provenance.json that are metrics; the others are tags.
COST = {"seconds", "target_words_per_second", "peak_memory_mb"}


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
    models = Layout(params.experiment).model("")
    folders = sorted(path.parent for path in models.glob(f"*/{METRICS}"))
    scores = _scores(params, folders)
    try:
        client = connect()
        return [folder.name for folder in folders if _add(client, folder, scores[folder.name])]
    except InputError:
        raise
    except Exception as error:
        cause = f"{type(error).__name__}: {error}".splitlines()[0]
        raise InputError(
            f"MLflow at {store_uri()}: {cause}; check that it is installed (extra 'workflow') and that "
            f"MLFLOW_TRACKING_URI is right"
        ) from error


def _scores(params: Params, folders: list[Path]) -> dict[str, dict[str, float]]:
    """Return the scores of each model; a later set's have its name, as in ``test2/bleu``.

    Scores of an earlier training of a model, with another perplexity, are left out.
    """
    scores: dict[str, dict[str, float]] = {folder.name: {} for folder in folders}
    if not Layout(params.experiment).score_table.exists():
        return scores
    numbers = read_score_table(params.experiment)
    by_model = metrics(numbers)
    for folder in folders:
        line, own = numbers.training(folder.name, "ppl", params.sets.dev), scores[folder.name]
        if line and line.value == round(read_metrics(folder).dev_perplexity, DIGITS):
            for test, found in by_model.get(folder.name, {}).items():
                for name in found.keys() & {*SCORES}:
                    own[f"{test}/{name}" if name in own else name] = found[name]
    return scores


def _add(client: Any, folder: Path, scores: dict[str, float]) -> bool:
    """Write one training if MLflow lacks any of it; return whether it did."""
    made, history = read_provenance(folder), read_history(folder)
    config = read_json(folder / CONFIG)
    final = read_metrics(folder).model_dump() | made.model_dump(include=COST) | scores
    with LOCK:
        run = TrainingRun(client, config, made.model_dump(exclude=COST))
        if not run.lacks(final):
            return False
        started = datetime.fromisoformat(made.started).timestamp()
        ended = int(1000 * (started + made.seconds))
        run.begin()
        run.log((ended, row) for row in history)
        run.end(final, "FINISHED", ended)
    return True
