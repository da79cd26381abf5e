"""The curves of a training in MLflow while the training runs."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from attnmt.tracking.runs import Point, RunKey, log_final, log_points, open_run
from attnmt.tracking.store import connect

BATCH_SECONDS = 5.0  # between two batches of curves
LONG = 60.0  # seconds; loading MLflow takes some two, which a shorter training need not spend

logger = logging.getLogger(__name__)


class TrackedRun:
    """One training in MLflow. It does nothing before its time, nor after the first failure."""

    def __init__(
        self, key: RunKey, params: Mapping[str, Any], tags: Mapping[str, Any], after: float
    ) -> None:
        """Track a run that is opened once ``after`` seconds have passed."""
        self.key, self.params, self.tags = key, params, tags
        self._opens = time.monotonic() + after
        self._client: Any = None
        self._run_id = ""
        self._known: Mapping[str, int] = {}  # the last step that MLflow has of each curve
        self._failed = False
        self._waiting: list[Point] = []
        self._sent = time.monotonic()
        self.flush()

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Add a point to each curve, unless MLflow had it before the training resumed.

        Args:
            step: the number of batches trained so far.
            values: the value of each curve, by the columns of history.csv.
        """
        now = int(time.time() * 1000)
        self._waiting += [Point(name, value, step, now) for name, value in values.items()]
        if time.monotonic() - self._sent >= BATCH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Send the points that are waiting."""
        self._safely(self._send)

    def finish(self, metrics: Mapping[str, Any], status: str = "FINISHED") -> None:
        """Send the waiting points and the numbers in ``metrics``, which may be nested; close the run.

        Args:
            metrics: the numbers of the whole training.
            status: MLflow's: ``FINISHED``, ``FAILED`` or ``KILLED``.
        """
        self._safely(self._close, status, metrics)

    def _safely(self, action: Callable[..., None], *arguments: Any) -> None:
        """Do something with the run, which is opened if it is time; an error is a warning."""
        if self._failed:
            self._waiting.clear()
        elif time.monotonic() >= self._opens:
            try:
                if self._client is None:
                    client = connect()
                    self._run_id, self._known = open_run(client, self.key, self.params, self.tags)
                    self._client = client
                action(*arguments)
            except Exception as error:
                self._failed = True
                warn("log the training", error)

    def _send(self) -> None:
        log_points(self._client, self._run_id, self._waiting, self._known)
        self._waiting.clear()
        self._sent = time.monotonic()

    def _close(self, status: str, metrics: Mapping[str, Any]) -> None:
        self._send()
        log_final(self._client, self._run_id, metrics)
        self._client.set_terminated(self._run_id, status)


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
    key = RunKey(experiment, model, fingerprint, started)
    run = TrackedRun(key, params, {**tags, "seed": seed}, after)
    try:
        yield run
    except BaseException as error:
        run.finish({}, "FAILED" if isinstance(error, Exception) else "KILLED")
        raise
    run.flush()


def warn(what: str, error: Exception) -> None:
    """Say that MLflow could not do something, and what helps."""
    cause = f"{type(error).__name__}: {error}".splitlines()[0]
    later = "the files keep it, and `attnmt track` imports it later"
    logger.warning("MLflow could not %s (%s); %s", what, cause, later)
