"""A training in MLflow while it runs."""

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from attnmt.tracking.runs import Point, TrainingRun
from attnmt.tracking.store import connect

LONG = 60.0  # seconds; loading MLflow takes some two, which a shorter training need not spend

logger = logging.getLogger(__name__)


class LiveRun:
    """Logs one training. It does nothing before its time, nor after the first failure."""

    def __init__(
        self, config: Mapping[str, Any], facts: Mapping[str, Any], after: float = 0.0
    ) -> None:
        self._about, self._opens = (config, facts), time.monotonic() + after
        self._run: TrainingRun | None = None
        self._failed = False
        self._waiting: list[Point] = []

    def log(self, row: Mapping[str, float]) -> None:
        """Add a row of history.csv to the curves."""
        self._waiting.append((int(time.time() * 1000), row))
        self._send()

    def end(self, numbers: Mapping[str, Any], status: str = "FINISHED") -> None:
        """Log the numbers of the whole training, and close the run as :meth:`TrainingRun.end` does."""
        self._send(numbers, status)

    def _send(self, numbers: Mapping[str, Any] | None = None, status: str = "") -> None:
        if self._failed or time.monotonic() < self._opens:
            return
        try:
            if self._run is None:
                run = TrainingRun(connect(), *self._about)
                run.begin()
                self._run = run
            self._run.log(self._waiting)
            self._waiting.clear()
            if numbers is not None:
                self._run.end(numbers, status)
        except Exception as error:
            self._failed = True
            warn(error)


@contextmanager
def training_run(
    config: Mapping[str, Any], facts: Mapping[str, Any], after: float = LONG
) -> Iterator[LiveRun]:
    """Yield what logs a training. An error of MLflow is said once; only the training's are raised.

    A training that ends within ``after`` seconds is left to :mod:`attnmt.tracking.importing`.

    Args:
        config: the content of config.json.
        facts: those of provenance.json that are known before the training.
        after: seconds before the run is opened. Rows that were logged by then keep their times.
    """
    run = LiveRun(config, facts, after)
    try:
        yield run
    except BaseException as error:
        run.end({}, "FAILED" if isinstance(error, Exception) else "KILLED")
        raise


def warn(error: Exception) -> None:
    """Say that MLflow failed, and what helps."""
    cause = f"{type(error).__name__}: {error}".splitlines()[0]
    logger.warning("MLflow: %s; the files have everything, and `attnmt track` adds it later", cause)
