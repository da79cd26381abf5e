"""What tracking.py says to MLflow: the store, and the runs in it. Every function may raise.

The store is ``sqlite:///mlflow.db`` unless MLFLOW_TRACKING_URI names another.
"""

import os
import time
from collections.abc import Mapping
from typing import Any

from filelock import FileLock

from attnmt.layout import Layout
from attnmt.reporting.paper import tables_of

DEFAULT_URI = "sqlite:///mlflow.db"
LOCK = "mlflow.db.lock"  # several processes that meet a fresh database crash in its migration
LOCK_SECONDS = 60.0
PARAMS_A_BATCH = 100  # MLflow's limit
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
) -> tuple[str, dict[str, int]]:
    """Continue the run with this fingerprint, or begin it below its table.

    Args:
        run: the name of a model or an ensemble.
        fingerprint: of configuration and data.
        params: nested mappings become dotted names.
        tags: as they are.
        started: seconds since 1970; None is now.

    Returns:
        The run's id, and the last step that MLflow has of each of its curves.
    """
    with FileLock(LOCK, timeout=LOCK_SECONDS):
        found = find_run(client, profile, run, fingerprint)
        if found is not None:
            run_id = found.info.run_id
            client.update_run(run_id, status="RUNNING")
            steps = {
                name: max(point.step for point in client.get_metric_history(run_id, name))
                for name in found.data.metrics
            }
            return run_id, steps
        own = {"run": run, "fingerprint": fingerprint}
        tables = tables_of(run)
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
    return begun.info.run_id, {}


def _log_start(
    client: Any, run_id: str, profile: str, params: Mapping[str, Any], tags: Mapping[str, Any]
) -> None:
    """Log what is known before the first batch: the parameters and the data set."""
    from mlflow.entities import Dataset, DatasetInput, InputTag, Param

    values = [Param(name, str(value)) for name, value in flat(params).items()]
    for start in range(0, len(values), PARAMS_A_BATCH):
        client.log_batch(run_id, params=values[start : start + PARAMS_A_BATCH])
    if "dataset_digest" in tags:
        source = Layout(profile).encoded("").as_posix()
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
    """Return the MLflow run of a training or an ensemble, or None."""
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


def flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Bring nested mappings to one level, names joined by dots."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        nested = isinstance(value, Mapping)
        found |= flat(value, f"{prefix}{name}.") if nested else {prefix + name: value}
    return found
