"""Import into MLflow, from the files, whatever it lacks of a profile's finished trainings."""

import csv
from datetime import datetime
from pathlib import Path
from typing import Any

from attnmt import tracking
from attnmt.errors import InputError
from attnmt.files import read_json
from attnmt.layout import Layout

NUMBERS = ("seconds", "target_words_per_second")  # of provenance.json; its other entries are tags
OWN_TAGS = {"profile", "model", "seed", "fingerprint", "started", *NUMBERS}


def import_missing(profile: str) -> list[str]:
    """Import trainings and scores, each once; a training that MLflow has in part is completed.

    Returns:
        The names of the runs to which something was added; a second call adds nothing.

    Raises:
        InputError: if MLflow is not installed or its store does not answer, or a file is damaged.
    """
    finished = sorted(path.parent for path in Layout(profile).model("").glob("*/metrics.json"))
    try:
        client = tracking.connect()
        return [folder.name for folder in finished if _import_run(client, profile, folder)]
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"MLflow at {tracking.store_uri()}: {type(error).__name__}: {error}; "
            "check that it is installed (extra 'workflow') and that MLFLOW_TRACKING_URI is right"
        ) from error


def _import_run(client: Any, profile: str, folder: Path) -> bool:
    """Import one training and its scores; return whether MLflow lacked any of it."""
    run, provenance = folder.name, read_json(folder / "provenance.json")
    found = tracking.find_run(client, profile, run, provenance["fingerprint"])
    added = found is None or found.info.status != "FINISHED"
    if added:
        _import_training(client, profile, folder, provenance)
        found = tracking.find_run(client, profile, run, provenance["fingerprint"])
        if found is None or found.info.status != "FINISHED":
            raise InputError(
                f"{folder}: the import stopped half-way, see the warning; run it again"
            )
    scores = Layout(profile).scores(run)
    if scores.exists():
        metrics = tracking.score_metrics(read_json(scores))
        added |= tracking.log_final(client, found.info.run_id, metrics)
    return added


def _import_training(client: Any, profile: str, folder: Path, provenance: dict[str, Any]) -> None:
    started = datetime.fromisoformat(provenance["started"]).timestamp()
    ended = int((started + provenance["seconds"]) * 1000)
    tags = {name: value for name, value in provenance.items() if name not in OWN_TAGS}
    params, fingerprint = read_json(folder / "config.json"), provenance["fingerprint"]
    run = tracking.open_run(client, profile, folder.name, fingerprint, params, tags, started)
    with (folder / "history.csv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            step = int(row.pop("step"))
            run.log(step, {name: float(cell) for name, cell in row.items() if cell}, ended)
    run.finish(read_json(folder / "metrics.json") | {n: provenance[n] for n in NUMBERS}, ended)
