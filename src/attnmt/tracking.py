"""MLflow, a view of the runs; ``mlflow ui`` in the project's folder shows it.

The files of a training are the record. While it runs, its curves go to MLflow in batches; if MLflow
is not installed, is unreachable or fails, one warning says so, the training goes on, and
``attnmt track`` (tracking_import.py) fills the gap from the files.

An experiment is a profile. In it each table of the paper is a run, and the trainings that it shows
are nested below. A training is known by its tags ``run`` and ``fingerprint``, so one that resumes
continues its run. The store is ``sqlite:///mlflow.db`` unless MLFLOW_TRACKING_URI names another.

The training calls :func:`training_run`, stages/evaluate.py :func:`log_scores`. These never raise;
the functions below them do.
"""

import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from filelock import FileLock

from attnmt.errors import InputError
from attnmt.files import read_json
from attnmt.layout import Layout, run_name
from attnmt.reporting.paper import tables_of

DEFAULT_URI = "sqlite:///mlflow.db"
LOCK = "mlflow.db.lock"  # several processes that meet a fresh database crash in its migration
LOCK_SECONDS = 60.0
BATCH_SECONDS = 5.0  # between two batches of curves
METRICS_A_BATCH, PARAMS_A_BATCH = 1000, 100  # MLflow's limits
DIGEST_LIMIT = 36  # characters that MLflow keeps of a data set's digest

# A server that does not answer may cost a training seconds, not MLflow's default of many minutes.
ENVIRONMENT = {
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "5",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    "MLFLOW_HTTP_REQUEST_BACKOFF_FACTOR": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    "MLFLOW_LOGGING_LEVEL": "WARNING",
}

logger = logging.getLogger(__name__)


class TrackedRun:
    """One training in MLflow. After the first failure, and without a client, it does nothing."""

    def __init__(
        self, client: Any = None, run_id: str = "", known: Mapping[str, int] | None = None
    ) -> None:
        """Track run ``run_id``; ``known`` is the last step that MLflow has of each curve."""
        self._client = client
        self._run_id = run_id
        self._known = known or {}
        self._waiting: list[tuple[str, float, int, int]] = []  # name, value, milliseconds, step
        self._sent = time.monotonic()

    def log(self, step: int, values: Mapping[str, float], when: int | None = None) -> None:
        """Add a point to each curve; what MLflow has already, from before a resumption, is skipped.

        Args:
            step: batches trained.
            values: curve -> value, named as the columns of history.csv.
            when: milliseconds since 1970; None is now.
        """
        when = int(time.time() * 1000) if when is None else when
        self._waiting += [
            (name, value, when, step)
            for name, value in values.items()
            if step > self._known.get(name, -1)
        ]
        if time.monotonic() - self._sent >= BATCH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Send what is waiting."""
        self._safely(self._send)

    def finish(self, metrics: Mapping[str, Any], when: int | None = None) -> None:
        """Send the rest and the numbers among ``metrics``, nested ones flattened; close the run."""
        self._safely(lambda: self._close("FINISHED", metrics, when))

    def stop(self, status: str) -> None:
        """Send the rest and close a run that did not finish as ``FAILED`` or ``KILLED``."""
        self._safely(lambda: self._close(status, {}, None))

    def _close(self, status: str, metrics: Mapping[str, Any], when: int | None) -> None:
        self._send()
        numbers = {k: v for k, v in _flat(metrics).items() if isinstance(v, int | float)}
        log_final(self._client, self._run_id, numbers)
        self._client.set_terminated(self._run_id, status, when)

    def _send(self) -> None:
        from mlflow.entities import Metric

        for start in range(0, len(self._waiting), METRICS_A_BATCH):
            batch = self._waiting[start : start + METRICS_A_BATCH]
            points = [Metric(name, float(v), when, step) for name, v, when, step in batch]
            self._client.log_batch(self._run_id, metrics=points)
        self._waiting.clear()
        self._sent = time.monotonic()

    def _safely(self, action: Callable[[], None]) -> None:
        if self._client is None:
            self._waiting.clear()
            return
        try:
            action()
        except Exception as error:
            self._client = None
            _warn("log the training", error)


@contextmanager
def training_run(
    *,
    profile: str,
    model: str,
    seed: int,
    fingerprint: str,
    params: Mapping[str, Any],
    tags: Mapping[str, Any],
) -> Iterator[TrackedRun]:
    """Yield the MLflow run of a training, the one begun earlier if it resumes. Never raises itself.

    Args:
        profile: the experiment.
        model: the name of the model, which decides the table it is nested below.
        seed: of the training.
        fingerprint: of configuration and data.
        params: the content of config.json; nested mappings become dotted names.
        tags: the facts of provenance.json, ``git_commit`` and ``dataset_digest`` among them.
    """
    run = TrackedRun()
    try:
        run = open_run(connect(), profile, run_name(model, seed), fingerprint, params, tags)
    except Exception as error:
        _warn("open a run", error)
    try:
        yield run
    except BaseException as error:
        run.stop("FAILED" if isinstance(error, Exception) else "KILLED")
        raise
    run.flush()


def log_scores(profile: str, run: str) -> None:
    """Add the scores of a run, read from its file, to its MLflow run. Never raises."""
    layout = Layout(profile)
    try:
        fingerprint = read_json(layout.model(run) / "provenance.json")["fingerprint"]
        client = connect()
        found = find_run(client, profile, run, fingerprint)
        if found is None:
            raise InputError(f"{run} with fingerprint {fingerprint} has no run")
        log_final(client, found.info.run_id, score_metrics(read_json(layout.scores(run))))
    except Exception as error:
        _warn(f"log the scores of {run}", error)


def score_metrics(scores: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers of a scores file by their MLflow names, as ``<set>/bleu_nist_after``."""
    metrics = {}
    for name, result in scores["sets"].items():
        metrics[f"{name}/perplexity"] = float(result["perplexity"])
        for when in ("before", "after"):
            for kind in ("tokenised", "nist"):
                metrics[f"{name}/bleu_{kind}_{when}"] = float(result[when][kind]["value"])
    return metrics


def store_uri() -> str:
    """Return where MLflow keeps the runs."""
    return os.environ.get("MLFLOW_TRACKING_URI") or DEFAULT_URI


def connect() -> Any:
    """Return a client of a store that is ready, its database made if it was not there.

    Several processes may call it at once. MLflow takes seconds to import, so it is not before.
    """
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    from mlflow import MlflowClient

    with FileLock(LOCK, timeout=LOCK_SECONDS):
        client = MlflowClient(store_uri())
        client.search_experiments(max_results=1)
    return client


def open_run(
    client: Any,
    profile: str,
    run: str,
    fingerprint: str,
    params: Mapping[str, Any],
    tags: Mapping[str, Any],
    started: float | None = None,
) -> TrackedRun:
    """Continue the run with this fingerprint, or begin it below its table."""
    with FileLock(LOCK, timeout=LOCK_SECONDS):
        found = find_run(client, profile, run, fingerprint)
        if found is not None:
            run_id = found.info.run_id
            client.update_run(run_id, status="RUNNING")
            steps = {
                name: max(point.step for point in client.get_metric_history(run_id, name))
                for name in found.data.metrics
            }
            return TrackedRun(client, run_id, steps)
        model, seed = run.rsplit("-", 1)
        own = {"run": run, "model": model, "seed": seed, "fingerprint": fingerprint}
        tables = tables_of(model)
        if tables:
            parent = _table_run(client, profile, tables[0])
            own |= {"table": ", ".join(tables), "mlflow.parentRunId": parent}
        begun = client.create_run(
            _experiment(client, profile),
            start_time=None if started is None else int(started * 1000),
            tags={name: str(value) for name, value in (dict(tags) | own).items()},
            run_name=run,
        )
    _log_start(client, begun.info.run_id, profile, params, tags)
    return TrackedRun(client, begun.info.run_id)


def _log_start(
    client: Any, run_id: str, profile: str, params: Mapping[str, Any], tags: Mapping[str, Any]
) -> None:
    """Log what is known before the first batch: the parameters and the data set."""
    from mlflow.entities import Dataset, DatasetInput, InputTag, Param

    values = [Param(name, str(value)) for name, value in _flat(params).items()]
    for start in range(0, len(values), PARAMS_A_BATCH):
        client.log_batch(run_id, params=values[start : start + PARAMS_A_BATCH])
    if "dataset_digest" in tags:
        source = Layout(profile).prepared.as_posix()
        digest = str(tags["dataset_digest"])[:DIGEST_LIMIT]
        data = Dataset(profile, digest, source_type="local", source=source)
        client.log_inputs(run_id, [DatasetInput(data, [InputTag("mlflow.data.context", "train")])])


def _experiment(client: Any, profile: str) -> str:
    """Return the id of the profile's experiment, made if need be."""
    found = client.get_experiment_by_name(profile)
    return str(found.experiment_id if found else client.create_experiment(profile))


def _table_run(client: Any, profile: str, table: str) -> str:
    """Return the id of the run that stands for a table, made if need be."""
    experiment = _experiment(client, profile)
    found = client.search_runs([experiment], f"tags.kind = 'table' and tags.table = '{table}'")
    if found:
        return str(found[0].info.run_id)
    made = client.create_run(experiment, tags={"kind": "table", "table": table}, run_name=table)
    client.set_terminated(made.info.run_id, "FINISHED")
    return str(made.info.run_id)


def find_run(client: Any, profile: str, run: str, fingerprint: str) -> Any:
    """Return the MLflow run of a training, or None."""
    condition = f"tags.run = '{run}' and tags.fingerprint = '{fingerprint}'"
    experiment = client.get_experiment_by_name(profile)
    ids = [experiment.experiment_id] if experiment else []
    found = client.search_runs(ids, condition, max_results=1) if ids else []
    return found[0] if found else None


def log_final(client: Any, run_id: str, metrics: Mapping[str, float]) -> bool:
    """Log the numbers that MLflow has not with this value; return whether there was one."""
    from mlflow.entities import Metric

    known, now = client.get_run(run_id).data.metrics, int(time.time() * 1000)
    new = {name: value for name, value in metrics.items() if known.get(name) != value}
    if new:
        client.log_batch(run_id, metrics=[Metric(name, v, now, 0) for name, v in new.items()])
    return bool(new)


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Bring nested mappings to one level, names joined by dots."""
    flat: dict[str, Any] = {}
    for name, value in values.items():
        nested = isinstance(value, Mapping)
        flat |= _flat(value, f"{prefix}{name}.") if nested else {prefix + name: value}
    return flat


def _warn(what: str, error: Exception) -> None:
    cause = f"{type(error).__name__}: {error}".splitlines()[0]
    later = "the files keep it, `attnmt track` imports it later"
    logger.warning("MLflow could not %s (%s); %s", what, cause, later)
