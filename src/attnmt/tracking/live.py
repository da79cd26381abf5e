"""The curves of a training in MLflow while the training runs."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from attnmt.tracking.store import RunKey, connect, flat, log_final, open_run

BATCH_SECONDS = 5.0  # between two batches of curves
METRICS_A_BATCH = 1000  # MLflow's limit
LONG = 60.0  # seconds; loading MLflow takes some two, which a shorter training need not spend

logger = logging.getLogger(__name__)


Opened = tuple[Any, str, Mapping[str, int]]  # a client, a run's id, the last step of each curve


class TrackedRun:
    """One training in MLflow. It does nothing after the first failure, nor before it is opened."""

    def __init__(self, open_now: Callable[[], Opened], after: float = 0.0) -> None:
        """Track the run that ``open_now`` opens, once ``after`` seconds have passed."""
        self._open_now: Callable[[], Opened] | None = open_now
        self._opens = time.monotonic() + after
        self._client: Any = None
        self._run_id = ""
        self._known: Mapping[str, int] = {}
        self._waiting: list[tuple[str, float, int, int]] = []  # name, value, milliseconds, step
        self._sent = time.monotonic()
        self._open_if_due()

    def log(self, step: int, values: Mapping[str, float], when: int | None = None) -> None:
        """Add a point to each curve, unless MLflow had it before the training resumed.

        Args:
            step: the number of batches trained so far.
            values: the value of each curve, by the columns of history.csv.
            when: milliseconds since 1970; None is now.
        """
        when = int(time.time() * 1000) if when is None else when
        self._waiting += [(name, value, when, step) for name, value in values.items()]
        if time.monotonic() - self._sent >= BATCH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Send the points that are waiting."""
        self._safely(self._send)

    def finish(self, metrics: Mapping[str, Any], when: int | None = None) -> None:
        """Send the waiting points and the numbers in ``metrics``, which may be nested; close the run."""
        self._safely(lambda: self._close("FINISHED", metrics, when))

    def stop(self, status: str) -> None:
        """Send the waiting points and close the run as ``FAILED`` or ``KILLED``."""
        self._safely(lambda: self._close(status, {}, None))

    def _close(self, status: str, metrics: Mapping[str, Any], when: int | None) -> None:
        self._send()
        numbers = {k: v for k, v in flat(metrics).items() if isinstance(v, int | float)}
        log_final(self._client, self._run_id, numbers)
        self._client.set_terminated(self._run_id, status, when)

    def _send(self) -> None:
        from mlflow.entities import Metric

        unknown = [point for point in self._waiting if point[3] > self._known.get(point[0], -1)]
        for start in range(0, len(unknown), METRICS_A_BATCH):
            batch = unknown[start : start + METRICS_A_BATCH]
            points = [Metric(name, float(v), when, step) for name, v, when, step in batch]
            self._client.log_batch(self._run_id, metrics=points)
        self._waiting.clear()
        self._sent = time.monotonic()

    def _open_if_due(self) -> None:
        """Open the run if it is time."""
        if self._open_now is None or time.monotonic() < self._opens:
            return
        open_now, self._open_now = self._open_now, None
        try:
            self._client, self._run_id, self._known = open_now()
        except Exception as error:
            warn("open a run", error)

    def _safely(self, action: Callable[[], None]) -> None:
        self._open_if_due()
        if self._client is None:
            if self._open_now is None:  # it failed
                self._waiting.clear()
            return
        try:
            action()
        except Exception as error:
            self._client = None
            warn("log the training", error)


@contextmanager
def training_run(
    *,
    experiment: str,
    model: str,
    seed: int,
    fingerprint: str,
    started: str,
    params: Mapping[str, Any],
    tags: Mapping[str, Any],
    after: float = 0.0,
) -> Iterator[TrackedRun]:
    """Yield the MLflow run of a training; a training that resumes continues its run.

    An error of MLflow is a warning; only errors of the training are raised. A training that ends within
    ``after`` seconds is left to :mod:`attnmt.tracking.importing`.

    Args:
        model: the model's name, which is also the run's.
        fingerprint: the fingerprint of configuration and data.
        started: when the training first started; trainings with the same fingerprint differ in it.
        params: the content of config.json; nested parameters get dotted names.
        tags: the facts of provenance.json, ``commits`` and ``dataset_digest`` among them.
        after: seconds before the run is opened. Points that were logged by then keep their times.
    """

    def open_now() -> Opened:
        client, key = connect(), RunKey(experiment, model, fingerprint, started)
        return client, *open_run(client, key, params, {**tags, "seed": seed})

    run = TrackedRun(open_now, after)
    try:
        yield run
    except BaseException as error:
        run.stop("FAILED" if isinstance(error, Exception) else "KILLED")
        raise
    run.flush()


def warn(what: str, error: Exception) -> None:
    """Say that MLflow could not do something, and what helps."""
    cause = f"{type(error).__name__}: {error}".splitlines()[0]
    later = "the files keep it, and `attnmt track` imports it later"
    logger.warning("MLflow could not %s (%s); %s", what, cause, later)
