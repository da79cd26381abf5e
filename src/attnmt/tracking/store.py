"""MLflow's store and the runs in it. Every function may raise an error.

The store is ``sqlite:///mlflow.db`` unless MLFLOW_TRACKING_URI names another. Jobs on other machines
leave that file alone, because SQLite cannot have several writers on a network file system.
"""

import json
import os
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from filelock import FileLock

from attnmt.errors import InputError
from attnmt.files.text_file import sha256, sha256_of_lines
from attnmt.layout import Layout

DEFAULT_URI = "sqlite:///mlflow.db"
ELSEWHERE = "ATTNMT_ELSEWHERE"  # set by the Snakefile in a job on another machine
LOCK = "mlflow.db.lock"  # processes that open a new database at once crash in its migration
LOCK_SECONDS = 60.0
METRICS_A_BATCH, PARAMS_A_BATCH = 1000, 100  # MLflow's limits
DIGEST_LIMIT = 36  # characters that MLflow keeps of a data set's digest
MOST_RUNS = 10_000  # that a search returns
DIGEST_DIGITS = 16  # digits kept of a SHA-256; they tell files apart
REPORT = "Report"  # the run that carries the page, the tables, the figures and the best model
UI = "http://127.0.0.1:5000"  # where `mlflow ui`, and with it `make ui`, serves the default store
# A view of an experiment's runs with the scores among the columns, kept in a tag of the experiment. Only
# an address that names the view opens it. MLflow 3.17 opens every experiment as one of language-model
# apps, whatever its tags say, unless the address or a person's own choice in the browser names the type.
SCORES = ("bleu", "bleu_unk", "aer", "dev_perplexity")
VIEW_NAME = "scores"
VIEW_TAG = f"mlflow.sharedViewState.{VIEW_NAME}"

# A server that does not answer may cost a training seconds, not MLflow's default of many minutes.
ENVIRONMENT = {
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "5",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    "MLFLOW_HTTP_REQUEST_BACKOFF_FACTOR": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    "MLFLOW_LOGGING_LEVEL": "WARNING",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
}


@dataclass(frozen=True)
class RunKey:
    """What identifies a run in MLflow. A training that is repeated gets another run."""

    experiment: str
    run: str  # the name of a model or an ensemble
    fingerprint: str  # a digest of configuration and data, or of the members' trainings
    started: str  # when a training first started, as in provenance.json; "" for an ensemble

    @property
    def tags(self) -> dict[str, str]:
        """The tags by which it is found."""
        return {"run": self.run, "fingerprint": self.fingerprint, "started": self.started}


@dataclass(frozen=True)
class Point:
    """A point of a curve."""

    curve: str
    value: float
    step: int  # the number of batches trained so far
    when: int  # milliseconds since 1970


def store_uri() -> str:
    """Return where MLflow keeps the runs."""
    return os.environ.get("MLFLOW_TRACKING_URI") or DEFAULT_URI


def quieten() -> None:
    """Tell MLflow, before it is imported, to send no telemetry, log little and not wait for minutes."""
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)


def connect() -> Any:
    """Return a client of the store; make its database if there is none.

    Several processes may call it at once. MLflow takes seconds to import, so it is not imported above.

    Raises:
        InputError: if the store is the default one and this is a job on another machine, or if the
            database cannot be used.
    """
    if ELSEWHERE in os.environ and store_uri() == DEFAULT_URI:
        raise InputError(
            "several machines cannot share mlflow.db; name a server in MLFLOW_TRACKING_URI"
        )
    quieten()
    with FileLock(LOCK, timeout=LOCK_SECONDS):
        _check_database()
        from mlflow import MlflowClient

        client = MlflowClient(store_uri())
        client.search_experiments(max_results=1)
    return client


def _check_database() -> None:
    """Refuse a file that SQLite cannot write to; MLflow would try for minutes."""
    uri = urlparse(store_uri())
    if uri.scheme != "sqlite" or not uri.path[1:]:
        return
    file = Path(uri.path[1:])
    try:
        if file.exists() and not file.is_file():
            raise sqlite3.OperationalError("not a file")
        with closing(sqlite3.connect(file, timeout=LOCK_SECONDS)) as database:
            database.execute("BEGIN IMMEDIATE")
    except sqlite3.Error as error:
        raise InputError(
            f"{file}: SQLite cannot write to it ({error}); move it away and run `attnmt track`, which "
            "fills a new one from the files"
        ) from None


def find_experiment(client: Any, experiment: str) -> Any:
    """Return an experiment as MLflow has it, or None.

    Raises:
        InputError: if the artifacts of this folder's store lie outside the folder.
    """
    known = client.get_experiment_by_name(experiment)
    if known is None or store_uri() != DEFAULT_URI:
        return known
    place = urlparse(known.artifact_location)
    # MLflow keeps absolute paths, even when a folder is copied.
    if place.scheme in ("", "file") and not Path(place.path).is_relative_to(Path.cwd()):
        raise InputError(
            f"mlflow.db: its artifacts lie in {place.path}, but this folder is {Path.cwd()}. It was "
            "copied or moved; delete mlflow.db and run `attnmt track`, which fills a new one from the "
            "files"
        )
    return known


def experiment_id(client: Any, experiment: str) -> str:
    """Return an experiment's id in MLflow; create the experiment if MLflow lacks it."""
    known = find_experiment(client, experiment)
    if known is not None:
        return str(known.experiment_id)
    columns = [*(f"metrics.`{name}`" for name in SCORES), "tags.`tables`"]
    return str(client.create_experiment(experiment, tags={VIEW_TAG: view_of(columns)}))


def view_of(columns: Sequence[str]) -> str:
    """Return the value of the tag that has MLflow show these columns."""
    return json.dumps({"selectedColumns": columns})


def runs_address(client: Any, experiment: str) -> str | None:
    """Return the address of the table of an experiment's runs with their scores; None without a run."""
    known = find_experiment(client, experiment)
    if known is None:
        return None
    server = store_uri().rstrip("/") if urlparse(store_uri()).scheme.startswith("http") else UI
    page = f"{server}/#/experiments/{known.experiment_id}/runs"
    return f"{page}?workflowType=machine_learning&viewStateShareKey={VIEW_NAME}"


def search(client: Any, experiment: str, condition: str) -> list[Any]:
    """Return the runs of an experiment that fulfill a condition, in MLflow's language."""
    known = find_experiment(client, experiment)
    if known is None:
        return []
    return list(client.search_runs([known.experiment_id], condition, max_results=MOST_RUNS))


def model_runs(client: Any, experiment: str) -> list[Any]:
    """Return the runs of all models and ensembles of an experiment."""
    return search(client, experiment, "tags.run != ''")


def find_run(client: Any, key: RunKey) -> Any:
    """Return the MLflow run of a training or an ensemble, or None."""
    condition = " and ".join(f"tags.{name} = '{value}'" for name, value in key.tags.items())
    return next(iter(search(client, key.experiment, condition)), None)


def open_run(
    client: Any, key: RunKey, params: Mapping[str, Any], tags: Mapping[str, Any]
) -> tuple[str, dict[str, int]]:
    """Continue a run, or begin it with its parameters and its data. Nested parameters get dotted names.

    Returns:
        The run's id, and the last step that MLflow has of each of its curves.
    """
    with FileLock(LOCK, timeout=LOCK_SECONDS):
        run = find_run(client, key)
        if run is not None:
            run_id = str(run.info.run_id)
            client.update_run(run_id, status="RUNNING")
            histories = {name: client.get_metric_history(run_id, name) for name in run.data.metrics}
            return run_id, {name: max(p.step for p in points) for name, points in histories.items()}
        started = datetime.fromisoformat(key.started).timestamp() if key.started else time.time()
        all_tags = {name: str(value) for name, value in {**tags, **key.tags}.items()}
        place = experiment_id(client, key.experiment)
        run_id = client.create_run(place, int(1000 * started), all_tags, key.run).info.run_id
    from mlflow.entities import Dataset, DatasetInput, InputTag, Param

    values = [Param(name, str(value)) for name, value in flat(params).items()]
    for start in range(0, len(values), PARAMS_A_BATCH):
        client.log_batch(run_id, params=values[start : start + PARAMS_A_BATCH])
    if "dataset_digest" in tags:
        source = Layout(key.experiment).encoded("").as_posix()
        digest = str(tags["dataset_digest"])[:DIGEST_LIMIT]
        data = Dataset(key.experiment, digest, source_type="local", source=source)
        client.log_inputs(run_id, [DatasetInput(data, [InputTag("mlflow.data.context", "train")])])
    return run_id, {}


def log_points(client: Any, run_id: str, points: Sequence[Point]) -> None:
    """Add points to the curves of a run."""
    from mlflow.entities import Metric

    metrics = [Metric(p.curve, float(p.value), p.when, p.step) for p in points]
    for start in range(0, len(metrics), METRICS_A_BATCH):
        client.log_batch(run_id, metrics=metrics[start : start + METRICS_A_BATCH])


def log_final(client: Any, run_id: str, metrics: Mapping[str, Any]) -> bool:
    """Log the numbers that differ from those in MLflow; return whether there were any.

    Nested metrics get dotted names. What is not a number is left out.
    """
    known, now = client.get_run(run_id).data.metrics, int(time.time() * 1000)
    numbers = {name: v for name, v in flat(metrics).items() if isinstance(v, int | float)}
    new = [Point(name, v, 0, now) for name, v in numbers.items() if known.get(name) != v]
    log_points(client, run_id, new)
    return bool(new)


def set_tag(client: Any, run: Any, name: str, value: str) -> bool:
    """Set a tag of a run, or remove it if the value is empty; return whether that changed it."""
    if run.data.tags.get(name, "") == value:
        return False
    if value:
        client.set_tag(run.info.run_id, name, value)
    else:
        client.delete_tag(run.info.run_id, name)
    return True


def report_run(client: Any, experiment: str) -> str:
    """Return the id of the run that carries an experiment's report; create the run if there is none.

    MLflow lists runs by their start. The report's run starts with the experiment, so that it stands
    below the trainings.
    """
    with FileLock(LOCK, timeout=LOCK_SECONDS):
        runs = search(client, experiment, "tags.kind = 'report'")
        if runs:
            return str(runs[0].info.run_id)
        known = client.get_experiment(experiment_id(client, experiment))
        begun, tags = known.creation_time, {"kind": "report"}
        run_id = client.create_run(known.experiment_id, begun, tags, REPORT).info.run_id
        client.set_terminated(run_id, "FINISHED", begun)
    return str(run_id)


def replace_artifacts(client: Any, run_id: str, folder: Path, files: Sequence[Path]) -> bool:
    """Make files of a folder the only artifacts of a run; return whether it had others."""
    from mlflow.store.artifact.artifact_repository_registry import get_artifact_repository

    run, digest = client.get_run(run_id), digest_of(files)
    if run.data.tags.get("digest") == digest:
        return False
    artifacts = get_artifact_repository(run.info.artifact_uri, tracking_uri=store_uri())
    artifacts.delete_artifacts()
    for file in files:
        place = file.parent.relative_to(folder).as_posix()
        artifacts.log_artifact(str(file), None if place == "." else place)
    client.set_tag(run_id, "digest", digest)
    return True


def digest_of(files: Sequence[Path]) -> str:
    """Return the first digits of one SHA-256 of the paths and the content of files."""
    lines = (f"{sha256(file)} {file.as_posix()}" for file in files)
    return sha256_of_lines(lines)[:DIGEST_DIGITS]


def flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Bring nested mappings to one level, with dots between the names."""
    flattened: dict[str, Any] = {}
    for name, value in values.items():
        nested = isinstance(value, Mapping)
        flattened |= flat(value, f"{prefix}{name}.") if nested else {prefix + name: value}
    return flattened
