"""MLflow's store and the runs in it. Every function may raise an error.

The store is ``sqlite:///mlflow.db`` unless MLFLOW_TRACKING_URI names another. Jobs on other machines
leave that file alone, because SQLite cannot have several writers on a network file system.
"""

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
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
PARAMS_A_BATCH = 100  # MLflow's limit
DIGEST_DIGITS = 16  # digits kept of a SHA-256; they tell files apart
REPORT = "Report"  # the run that carries the page, the tables, the figures and the best model
UI = "http://127.0.0.1:5000"  # where `mlflow ui`, and with it `make ui`, serves the default store
# A view of an experiment's runs with the scores among the columns, kept in a tag of the experiment. Only
# an address that names the view opens it. At any other address MLflow 3.17 shows a page of traces first,
# whatever the tags say.
SCORES = ("bleu", "bleu_unk", "aer", "dev_perplexity")
COLUMNS = [*(f"metrics.`{name}`" for name in SCORES), "tags.`tables`"]
VIEW_NAME = "scores"
VIEW_TAG = f"mlflow.sharedViewState.{VIEW_NAME}"
VIEW = {VIEW_TAG: json.dumps({"selectedColumns": COLUMNS})}
# The view of an experiment whose systems have several seeds: each score is followed by its deviation.
DEVIATIONS = [f"metrics.`{name}{end}`" for name in SCORES for end in ("", "_sd")]
SEEDS_VIEW = json.dumps({"selectedColumns": ["metrics.`seeds`", *DEVIATIONS, "tags.`tables`"]})
GROUPS = 1000  # the most systems with several seeds that an experiment may have
DIGEST_LIMIT = 36  # characters that MLflow keeps of a data set's digest

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


def store_uri() -> str:
    """Return where MLflow keeps the runs."""
    return os.environ.get("MLFLOW_TRACKING_URI") or DEFAULT_URI


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


def quieten() -> None:
    """Tell MLflow, before it is imported, to send no telemetry, log little and not wait for minutes."""
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)


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


def _check_database() -> None:
    """Refuse a file that SQLite cannot write to; MLflow would try for minutes."""
    uri = urlparse(store_uri())
    if uri.scheme != "sqlite" or not uri.path[1:]:
        return
    file = Path(uri.path[1:])
    fault = "" if file.is_file() or not file.exists() else "not a file"
    try:
        if not fault:
            with closing(sqlite3.connect(file, timeout=LOCK_SECONDS)) as database:
                database.execute("BEGIN IMMEDIATE")
    except sqlite3.Error as error:
        fault = str(error)
    if fault:
        raise InputError(
            f"{file}: SQLite cannot write to it ({fault}); move it away and run `attnmt track`, which "
            "fills a new one from the files"
        )


def open_run(
    client: Any, key: RunKey, params: Mapping[str, Any], tags: Mapping[str, Any]
) -> tuple[str, dict[str, int]]:
    """Continue a run, or begin it. Nested parameters get dotted names.

    Returns:
        The run's id, and the last step that MLflow has of each of its curves.
    """
    with FileLock(LOCK, timeout=LOCK_SECONDS):
        run = find_run(client, key)
        if run is not None:
            run_id = run.info.run_id
            client.update_run(run_id, status="RUNNING")
            steps = {
                name: max(point.step for point in client.get_metric_history(run_id, name))
                for name in run.data.metrics
            }
            return run_id, steps
        run = client.create_run(
            _experiment(client, key.experiment),
            start_time=_milliseconds(key.started),
            tags={name: str(value) for name, value in {**tags, **key.tags}.items()},
            run_name=key.run,
        )
    _log_start(client, run.info.run_id, key.experiment, params, tags)
    return run.info.run_id, {}


def _log_start(
    client: Any, run_id: str, experiment: str, params: Mapping[str, Any], tags: Mapping[str, Any]
) -> None:
    """Log what is known before the first batch: the parameters and the data set."""
    from mlflow.entities import Dataset, DatasetInput, InputTag, Param

    values = [Param(name, str(value)) for name, value in flat(params).items()]
    for start in range(0, len(values), PARAMS_A_BATCH):
        client.log_batch(run_id, params=values[start : start + PARAMS_A_BATCH])
    if "dataset_digest" in tags:
        source = Layout(experiment).encoded("").as_posix()
        digest = str(tags["dataset_digest"])[:DIGEST_LIMIT]
        data = Dataset(experiment, digest, source_type="local", source=source)
        client.log_inputs(run_id, [DatasetInput(data, [InputTag("mlflow.data.context", "train")])])


def _milliseconds(started: str) -> int | None:
    return int(1000 * datetime.fromisoformat(started).timestamp()) if started else None


def _experiment(client: Any, experiment: str) -> str:
    """Return an experiment's id in MLflow; create the experiment if MLflow lacks it."""
    known = _known_experiment(client, experiment)
    if known is None:
        return str(client.create_experiment(experiment, tags=VIEW))
    return str(known.experiment_id)


def _known_experiment(client: Any, experiment: str) -> Any:
    """Return an experiment as MLflow has it, or None.

    Raises:
        InputError: if the artifacts of this folder's store lie outside the folder.
    """
    known = client.get_experiment_by_name(experiment)
    if known is not None:
        _check_place(known.artifact_location)
    return known


def runs_address(client: Any, experiment: str) -> str | None:
    """Return the address of the table of an experiment's runs with their scores; None without a run."""
    known = _known_experiment(client, experiment)
    if known is None:
        return None
    server = store_uri().rstrip("/") if urlparse(store_uri()).scheme.startswith("http") else UI
    return f"{server}/#/experiments/{known.experiment_id}/runs?viewStateShareKey={VIEW_NAME}"


def report_run(client: Any, experiment: str) -> str:
    """Return the id of the run that carries an experiment's report; create the run if there is none.

    MLflow lists runs by their start. The report's run starts with the experiment, so that it stands
    below the trainings.
    """
    with FileLock(LOCK, timeout=LOCK_SECONDS):
        known = client.get_experiment(_experiment(client, experiment))
        runs = client.search_runs([known.experiment_id], "tags.kind = 'report'")
        if runs:
            return str(runs[0].info.run_id)
        run = client.create_run(
            known.experiment_id,
            start_time=known.creation_time,
            tags={"kind": "report"},
            run_name=REPORT,
        )
        client.set_terminated(run.info.run_id, "FINISHED", known.creation_time)
    return str(run.info.run_id)


def set_tag(client: Any, run: Any, name: str, value: str) -> bool:
    """Set a tag of a run; return whether that changed it."""
    if run.data.tags.get(name) == value:
        return False
    client.set_tag(run.info.run_id, name, value)
    return True


def model_runs(client: Any, experiment: str) -> list[Any]:
    """Return the runs of all models and ensembles of an experiment."""
    runs, token = [], None
    while token != "":
        page = client.search_runs(
            [_experiment(client, experiment)], "tags.run != ''", page_token=token
        )
        runs += page
        token = page.token or ""
    return runs


def group_runs(client: Any, experiment: str) -> dict[str, Any]:
    """Return the runs that stand for several seeds, by the names of their systems."""
    place = [_experiment(client, experiment)]
    runs = client.search_runs(place, "tags.kind = 'system'", max_results=GROUPS)
    return {run.data.tags["system"]: run for run in runs}


def make_group(client: Any, experiment: str, system: str, started: int) -> Any:
    """Create the run that stands for several seeds; it starts with the first of them."""
    tags = {"kind": "system", "system": system}
    run = client.create_run(_experiment(client, experiment), started, tags, run_name=system)
    client.set_terminated(run.info.run_id, "FINISHED", started)
    return run


def show_deviations(client: Any, experiment: str) -> None:
    """Have the view of an experiment show the deviations between seeds."""
    known = client.get_experiment(_experiment(client, experiment))
    if known.tags.get(VIEW_TAG) != SEEDS_VIEW:
        client.set_experiment_tag(known.experiment_id, VIEW_TAG, SEEDS_VIEW)


def find_run(client: Any, key: RunKey) -> Any:
    """Return the MLflow run of a training or an ensemble, or None."""
    condition = " and ".join(f"tags.{name} = '{value}'" for name, value in key.tags.items())
    known = _known_experiment(client, key.experiment)
    runs = client.search_runs([known.experiment_id], condition, max_results=1) if known else []
    return runs[0] if runs else None


def log_final(client: Any, run_id: str, metrics: Mapping[str, float]) -> bool:
    """Log the numbers that differ from those in MLflow; return whether there were any."""
    from mlflow.entities import Metric

    known, now = client.get_run(run_id).data.metrics, int(time.time() * 1000)
    new = {name: value for name, value in metrics.items() if known.get(name) != value}
    if new:
        client.log_batch(run_id, metrics=[Metric(name, v, now, 0) for name, v in new.items()])
    return bool(new)


def replace_artifacts(client: Any, run_id: str, folder: Path, files: Sequence[Path]) -> bool:
    """Make files of a folder the only artifacts of a run; return whether anything changed.

    Raises:
        InputError: if the artifacts of this folder's store lie outside the folder.
    """
    from mlflow.store.artifact.artifact_repository_registry import get_artifact_repository

    run, digest = client.get_run(run_id), digest_of(files)
    _check_place(run.info.artifact_uri)
    artifacts = get_artifact_repository(run.info.artifact_uri, tracking_uri=store_uri())
    places = {file.relative_to(folder).as_posix(): file for file in files}
    known = set(_names(artifacts))
    if known == places.keys() and run.data.tags.get("digest") == digest:
        return False
    for name in known - places.keys():
        artifacts.delete_artifacts(name)
    for name, file in places.items():
        artifacts.log_artifact(str(file), name.rpartition("/")[0] or None)
    client.set_tag(run_id, "digest", digest)
    return True


def _names(artifacts: Any, folder: str | None = None) -> Iterator[str]:
    """Yield the paths of a run's artifacts."""
    for entry in artifacts.list_artifacts(folder):
        if entry.is_dir:
            yield from _names(artifacts, entry.path)
        else:
            yield entry.path


def _check_place(artifact_uri: str) -> None:
    """Refuse to write into another folder. MLflow keeps absolute paths, even when a folder is copied."""
    local = urlparse(artifact_uri).scheme in ("", "file")
    place = Path(urlparse(artifact_uri).path)
    if store_uri() == DEFAULT_URI and local and not place.is_relative_to(Path.cwd()):
        raise InputError(
            f"mlflow.db: its artifacts lie in {place}, but this folder is {Path.cwd()}. It was copied "
            "or moved; delete mlflow.db and run `attnmt track`, which fills a new one from the files"
        )


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
