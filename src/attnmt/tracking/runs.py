"""The runs in MLflow: found by their tags, continued, filled. Every function may raise an error."""

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from filelock import FileLock

from attnmt.files.text_file import sha256, sha256_of_lines
from attnmt.layout import Layout
from attnmt.tracking.store import LOCK, LOCK_SECONDS, experiment_id, find_experiment, store_uri

METRICS_A_BATCH, PARAMS_A_BATCH = 1000, 100  # MLflow's limits
DIGEST_LIMIT = 36  # characters that MLflow keeps of a data set's digest
DIGEST_DIGITS = 16  # digits kept of a SHA-256; they tell files apart
REPORT = "Report"  # the run that carries the page, the tables and the figures

logger = logging.getLogger(__name__)


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


def find_run(client: Any, experiment: str, tags: Mapping[str, str]) -> Any:
    """Return the one run that has some tags, or None.

    A run that was deleted in MLflow is restored, so that no second one is made. If there are two, as
    somebody has restored one, a finished one is kept if there is one, and the other is deleted.
    """
    from mlflow.entities import ViewType

    known = find_experiment(client, experiment)
    if known is None:
        return None
    condition = " and ".join(f"tags.{name} = '{value}'" for name, value in tags.items())
    runs = list(client.search_runs([known.experiment_id], condition, ViewType.ALL))
    active = [run for run in runs if run.info.lifecycle_stage == "active"]
    if runs and not active:
        client.restore_run(runs[0].info.run_id)
        logger.warning("%s had been deleted in MLflow; it is restored", runs[0].info.run_name)
        return client.get_run(runs[0].info.run_id)
    active.sort(key=lambda run: str(run.info.status) != "FINISHED")
    for double in active[1:]:
        client.delete_run(double.info.run_id)
        logger.warning(
            "%s was in MLflow twice; run %s is kept, and %s is deleted",
            *(double.info.run_name, active[0].info.run_id, double.info.run_id),
        )
    return active[0] if active else None


def open_run(
    client: Any, key: RunKey, params: Mapping[str, Any], tags: Mapping[str, Any]
) -> tuple[str, dict[str, int]]:
    """Continue a run, or begin it with its parameters and its data. Nested parameters get dotted names.

    Returns:
        The run's id, and the last step that MLflow has of each of its curves.
    """
    with FileLock(LOCK, timeout=LOCK_SECONDS):
        run = find_run(client, key.experiment, key.tags)
        if run is None:
            begun = datetime.fromisoformat(key.started).timestamp() if key.started else time.time()
            all_tags = {name: str(value) for name, value in {**tags, **key.tags}.items()}
            place = experiment_id(client, key.experiment)
            run = client.create_run(place, int(1000 * begun), all_tags, key.run)
        else:
            client.update_run(run.info.run_id, status="RUNNING")
    run_id = str(run.info.run_id)
    _complete(client, run_id, key, params, tags)
    histories = {name: client.get_metric_history(run_id, name) for name in run.data.metrics}
    return run_id, {name: max(p.step for p in points) for name, points in histories.items()}


def _complete(
    client: Any, run_id: str, key: RunKey, params: Mapping[str, Any], tags: Mapping[str, Any]
) -> None:
    """Log the parameters and the data that a run lacks; it lacks some if its first call broke off."""
    from mlflow.entities import Dataset, DatasetInput, InputTag, Param

    known = client.get_run(run_id)
    values = [
        Param(name, str(v)) for name, v in flat(params).items() if name not in known.data.params
    ]
    for start in range(0, len(values), PARAMS_A_BATCH):
        client.log_batch(run_id, params=values[start : start + PARAMS_A_BATCH])
    if "dataset_digest" in tags and not known.inputs.dataset_inputs:
        source = Layout(key.experiment).encoded("").as_posix()
        digest = str(tags["dataset_digest"])[:DIGEST_LIMIT]
        data = Dataset(key.experiment, digest, source_type="local", source=source)
        client.log_inputs(run_id, [DatasetInput(data, [InputTag("mlflow.data.context", "train")])])


def log_points(
    client: Any, run_id: str, points: Sequence[Point], known: Mapping[str, int] | None = None
) -> None:
    """Add points to the curves of a run; ``known`` has the last step of each curve that is there."""
    from mlflow.entities import Metric

    last = known or {}
    new = [point for point in points if point.step > last.get(point.curve, -1)]
    metrics = [Metric(p.curve, float(p.value), p.when, p.step) for p in new]
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


def report_run(client: Any, experiment: str) -> str:
    """Return the id of the run that carries an experiment's report; create the run if there is none.

    MLflow lists runs by their start. The report's run starts with the experiment, so that it stands
    below the trainings.
    """
    with FileLock(LOCK, timeout=LOCK_SECONDS):
        run = find_run(client, experiment, {"kind": "report"})
        if run is not None:
            return str(run.info.run_id)
        known = client.get_experiment(experiment_id(client, experiment))
        begun, tags = known.creation_time, {"kind": "report"}
        run_id = client.create_run(known.experiment_id, begun, tags, REPORT).info.run_id
        client.set_terminated(run_id, "FINISHED", begun)
    return str(run_id)


def replace_artifacts(client: Any, run_id: str, folder: Path, files: Sequence[Path]) -> bool:
    """Make files of a folder the only artifacts of a run; return whether it had others."""
    from mlflow.store.artifact.artifact_repository_registry import get_artifact_repository

    lines = (f"{sha256(file)} {file.as_posix()}" for file in files)
    run, digest = client.get_run(run_id), sha256_of_lines(lines)[:DIGEST_DIGITS]
    if run.data.tags.get("digest") == digest:
        return False
    artifacts = get_artifact_repository(run.info.artifact_uri, tracking_uri=store_uri())
    client.set_tag(run_id, "digest", "")  # what breaks off below is not complete
    artifacts.delete_artifacts()
    for file in files:
        place = file.parent.relative_to(folder).as_posix()
        artifacts.log_artifact(str(file), None if place == "." else place)
    client.set_tag(run_id, "digest", digest)
    return True


def flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Bring nested mappings to one level, with dots between the names."""
    flattened: dict[str, Any] = {}
    for name, value in values.items():
        nested = isinstance(value, Mapping)
        flattened |= flat(value, f"{prefix}{name}.") if nested else {prefix + name: value}
    return flattened
