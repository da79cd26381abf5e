"""The run of a training in MLflow: begun or continued, and filled. Every method may raise an error."""

import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from attnmt.tracking.store import LOCK, experiment_id

METRICS_A_BATCH, PARAMS_A_BATCH = 1000, 100  # MLflow's limits
Point = tuple[int, Mapping[str, float]]  # milliseconds since 1970, and a row of history.csv


class TrainingRun:
    """A training in MLflow. One that resumes continues its run, and one that is repeated has another."""

    def __init__(self, client: Any, config: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
        """Find the run, or create it.

        Args:
            config: the content of config.json; nested parameters get dotted names.
            facts: those of provenance.json, which become tags.
        """
        self.client, self.config = client, config
        tags = {key: str(value) for key, value in facts.items()}
        known = " and ".join(f"tags.{key} = '{tags[key]}'" for key in ("fingerprint", "started"))
        with LOCK:
            place = experiment_id(client, config["experiment"])
            found = list(client.search_runs([place], known))
            if not found:
                begun = int(1000 * datetime.fromisoformat(tags["started"]).timestamp())
                found = [client.create_run(place, begun, tags, config["model"])]
        self.run = found[0]
        self.id = self.run.info.run_id

    def lacks(self, numbers: Mapping[str, Any]) -> bool:
        """Return whether the training has not ended in MLflow, or one of its numbers differs there."""
        known = self.run.data.metrics
        ended = self.run.info.status == "FINISHED"
        return not ended or any(known.get(name) != n for name, n in _numbers(numbers).items())

    def begin(self) -> None:
        """Log the parameters, and look how far the curves are."""
        from mlflow.entities import Param

        self.client.update_run(self.id, status="RUNNING")
        known = self.run.data.params
        params = [Param(k, str(v)) for k, v in _flat(self.config).items() if k not in known]
        for start in range(0, len(params), PARAMS_A_BATCH):
            self.client.log_batch(self.id, params=params[start : start + PARAMS_A_BATCH])
        curve = self.client.get_metric_history(self.id, "dev_cost")
        self.last = max((point.step for point in curve), default=-1)

    def log(self, points: Iterable[Point]) -> None:
        """Add points to the curves, but for those that MLflow had before the training resumed."""
        from mlflow.entities import Metric

        metrics = [
            Metric(name, float(value), when, int(row["step"]))
            for when, row in points
            if row["step"] > self.last
            for name, value in row.items()
            if name != "step"
        ]
        for start in range(0, len(metrics), METRICS_A_BATCH):
            self.client.log_batch(self.id, metrics=metrics[start : start + METRICS_A_BATCH])

    def end(self, numbers: Mapping[str, Any], status: str, when: int | None = None) -> None:
        """Log the numbers of the whole training, which may be nested, and close the run.

        Args:
            status: MLflow's: ``FINISHED``, ``FAILED`` or ``KILLED``.
            when: the end, in milliseconds since 1970; now if it is not given.
        """
        from mlflow.entities import Metric

        now = int(time.time() * 1000)
        metrics = [Metric(name, float(n), now, 0) for name, n in _numbers(numbers).items()]
        self.client.log_batch(self.id, metrics=metrics)
        self.client.set_terminated(self.id, status, when or now)


def _numbers(values: Mapping[str, Any]) -> dict[str, float]:
    return {name: n for name, n in _flat(values).items() if isinstance(n, int | float)}


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Bring nested mappings to one level, with dots between the names."""
    flat: dict[str, Any] = {}
    for name, value in values.items():
        nested = isinstance(value, Mapping)
        flat |= _flat(value, f"{prefix}{name}.") if nested else {prefix + name: value}
    return flat
