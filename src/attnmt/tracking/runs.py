"""The run of a training in MLflow: :func:`fill` writes what MLflow lacks of it, live and afterwards."""

import logging
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Self

from attnmt.tracking.store import LOCK, connect, experiment_id

LONG = 60.0  # seconds; loading MLflow takes some two, which a shorter training need not spend
AT_ONCE = 100  # parameters or metrics; MLflow's limit
Point = tuple[int, Mapping[str, float]]  # milliseconds since 1970, and a row of history.csv

log = logging.getLogger(__name__)


def fill(
    client: Any,
    config: Mapping[str, Any],
    about: Mapping[str, Any],
    points: Sequence[Point],
    numbers: Mapping[str, Any],
    status: str,
    ended: int | None = None,
) -> bool:
    """Write what MLflow lacks of a training; return whether it lacked anything.

    The run is the one with this fingerprint and start, or a new one. A step that its curves have is not
    written again. Errors of MLflow are raised.

    Args:
        config: the content of config.json; nested parameters get dotted names.
        about: what the training says of itself, which becomes tags.
        points: of the curves, in the order of their steps.
        numbers: of the whole training; they may be nested.
        status: MLflow's: ``RUNNING``, ``FINISHED``, ``FAILED`` or ``KILLED``.
        ended: in milliseconds since 1970; now if it is not given.
    """
    from mlflow.entities import Metric, Param

    tags, now = {key: str(value) for key, value in about.items()}, int(1000 * time.time())
    same = " and ".join(f"tags.{key} = '{tags[key]}'" for key in ("fingerprint", "started"))
    with LOCK:  # another tracking would begin the same run, or write the same points
        place = experiment_id(client, config["experiment"])
        if not (found := client.search_runs([place], same)):
            begun = int(1000 * datetime.fromisoformat(tags["started"]).timestamp())
            found = [client.create_run(place, begun, tags, config["model"])]
        run, known = found[0].info, found[0].data
        curve = client.get_metric_history(run.run_id, "dev_cost")
        last = max((point.step for point in curve), default=-1)
        params = [Param(k, str(v)) for k, v in _flat(config).items() if k not in known.params]
        metrics = [
            Metric(name, float(value), when, int(row["step"]))
            for when, row in points
            if row["step"] > last
            for name, value in row.items()
            if name != "step"
        ]
        end = max([0, last, *(metric.step for metric in metrics)])
        metrics += [
            Metric(name, float(number), now, end)
            for name, number in _flat(numbers).items()
            if isinstance(number, int | float) and known.metrics.get(name) != number
        ]
        for at in range(0, max(len(params), len(metrics)), AT_ONCE):
            part = slice(at, at + AT_ONCE)
            client.log_batch(run.run_id, metrics=metrics[part], params=params[part])
        if status != run.status and status == "RUNNING":
            client.update_run(run.run_id, status)
        elif status != run.status:
            client.set_terminated(run.run_id, status, ended or now)
    return bool(params or metrics or run.status != status)


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Bring nested mappings to one level, with dots between the names."""
    flat: dict[str, Any] = {}
    for name, value in values.items():
        nested = isinstance(value, Mapping)
        flat |= _flat(value, f"{prefix}{name}.") if nested else {prefix + name: value}
    return flat


class LiveRun:
    """Logs a training while it runs. The first failure of MLflow is said, and the training goes on."""

    def __init__(
        self, config: Mapping[str, Any], about: Mapping[str, Any], after: float = LONG
    ) -> None:
        """Wait ``after`` seconds before MLflow is opened; rows that come by then keep their times.

        A training that has ended by then is left to :mod:`attnmt.tracking.importing`.
        """
        self._about, self._opens = (config, about), time.monotonic() + after
        self._client: Any = None
        self._points: list[Point] = []

    def __enter__(self) -> Self:
        """Return the run; an error that ends the training also ends the run."""
        return self

    def __exit__(self, _: object, error: BaseException | None, at: object) -> None:
        """Note how the training ended, if it did not reach its end."""
        if error:
            self.end({}, "FAILED" if isinstance(error, Exception) else "KILLED")

    def log(self, row: Mapping[str, float]) -> None:
        """Add a row of history.csv to the curves."""
        self._points.append((int(1000 * time.time()), row))
        self.end({}, "RUNNING")

    def end(self, numbers: Mapping[str, Any], status: str = "FINISHED") -> None:
        """Log the numbers of the whole training, and its status."""
        if time.monotonic() < self._opens:
            return
        try:
            self._client = self._client or connect()
            fill(self._client, *self._about, self._points, numbers, status)
            self._points.clear()
        except Exception as error:
            self._opens = float("inf")
            warn(error)


def warn(error: Exception) -> None:
    """Say that MLflow failed, and what helps."""
    cause = f"{type(error).__name__}: {error}".splitlines()[0]
    log.warning("MLflow: %s; the files have everything, and `attnmt track` adds it later", cause)
