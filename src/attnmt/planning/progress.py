"""What is shown while Snakemake runs: what will run and for how long, then a line for each stage.

``follow`` hides Snakemake's own lines about jobs, because there are ten for each stage. They are still
in ``.snakemake/log``. Errors, warnings and the logs of failed stages are shown as Snakemake shows them.
A terminal and a file get the same plain lines.
"""

import logging
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, TextIO

from snakemake_interface_logger_plugins.common import LogEvent

from attnmt.layout import Layout
from attnmt.planning.recorded import Recorded, time_text, wall_time
from attnmt.workflow.graph import TRAIN, Stage

SLOWEST = 3  # how many kinds of stages the last line names
NOTHING = "Nothing to be done"
HIDDEN_EVENTS = {
    LogEvent.RUN_INFO,
    LogEvent.RESOURCES_INFO,
    LogEvent.JOB_INFO,
    LogEvent.JOB_STARTED,
    LogEvent.JOB_FINISHED,
    LogEvent.PROGRESS,
}
HIDDEN_LINES = (
    NOTHING,
    "Assuming unrestricted shared filesystem",
    "Building DAG of jobs",
    "Conda environments: ignored",
    "Elapsed time",
    "Select jobs to execute",
    "Using shell",
)


def follow(experiment: str, stages: Sequence[Stage], limits: Mapping[str, Any]) -> None:
    """From now on, show Snakemake's messages as this module words them.

    Args:
        stages: all stages of the experiment.
        limits: how much may be in use at a time, by Snakemake's names: ``_cores``, ``_nodes`` (jobs on
            a cluster) and resources. A value of None means no limit.
    """
    log = logging.getLogger("snakemake.logging")
    for handler in [one for one in log.handlers if one.name == "DefaultStreamHandler"]:
        handler.addFilter(is_shown)
        log.addHandler(Progress(experiment, stages, limits))


def is_shown(record: logging.LogRecord) -> bool:
    """Return whether a message is shown in Snakemake's own words."""
    if getattr(record, "event", None) in HIDDEN_EVENTS:
        return False
    return not str(record.msg).startswith(HIDDEN_LINES)


def at_once(stage: Stage, limits: Mapping[str, Any]) -> int:
    """Return how many stages like this one may run at a time."""
    needs: dict[str, int] = {"_cores": stage.threads, "_nodes": 1, **stage.resources}
    counted = {name: limit for name, limit in limits.items() if isinstance(limit, int)}
    counts = [limit // needs[name] for name, limit in counted.items() if needs.get(name)]
    return max(1, min(counts, default=1))  # a stage is never given more cores than there are


class Progress(logging.Handler):
    """Writes the lines of one run, as Snakemake reports its jobs."""

    def __init__(
        self,
        experiment: str,
        stages: Sequence[Stage],
        limits: Mapping[str, Any],
        stream: TextIO | None = None,
    ) -> None:
        super().__init__(logging.INFO)
        self.layout = Layout(experiment)
        self.stages = [stage.name for stage in stages]
        self.at_once = min(
            (at_once(stage, limits) for stage in stages if stage.name.startswith(TRAIN)), default=1
        )
        self.recorded = Recorded.read(experiment)
        self.stream = stream or sys.stderr
        self.to_run: list[str] = []
        self.names: dict[int, str] = {}  # the stages that have begun, by Snakemake's number
        self.begun: dict[str, float] = {}
        self.took: dict[str, float] = {}  # seconds of the stages that are done
        self.started = time.monotonic()

    def emit(self, record: logging.LogRecord) -> None:
        """Write what a message of Snakemake means to a person, if anything."""
        event = getattr(record, "event", None)
        fields = vars(record)
        if event == LogEvent.RUN_INFO:
            self.to_run = [name for name in self.stages if name in fields["stats"]]
            self._say(self._plan())
        elif event == LogEvent.JOB_INFO:
            self._begin(fields["jobid"], fields["rule_name"])
        elif event == LogEvent.JOB_FINISHED:
            self._end(self.names[fields["job_id"]])
        elif str(record.msg).startswith(NOTHING):
            name, count = self.layout.experiment, len(self.stages)
            self._say(f"{name}: nothing to run, all {count} stages are done.")

    def _say(self, text: str) -> None:
        self.stream.write(f"{text}\n")
        self.stream.flush()

    def _plan(self) -> str:
        """Say what will run, about how long it takes, and where its logs are."""
        kinds = Counter(name.partition("@")[0] for name in self.to_run)
        counts = ", ".join(f"{kind} ({n})" if n > 1 else kind for kind, n in kinds.items())
        name = self.layout.experiment
        return (
            f"{name}: {len(self.to_run)} of {len(self.stages)} stages to run: {counts}.\n"
            f"{self._estimate()}\n"
            f"The log of a stage is logs/{name}/<stage>.log."
        )

    def _estimate(self) -> str:
        """Say how long the trainings take, if that is known. Nothing records the other stages."""
        models = self._models(self.to_run)
        if not models:
            return "Nothing is to be trained."
        known, reports = self.recorded.seconds, self.layout.reports
        if not known.keys() >= set(models):
            return (
                f"How long it takes is not known yet: {reports} lacks the times of its trainings."
            )
        times = [known[model] for model in models]
        together = min(self.at_once, len(times))
        return (
            f"The trainings alone take about {time_text(wall_time(times, together))}, {together} at "
            f"a time: they took {time_text(sum(times))} in all when {reports} was made "
            f"({'; '.join(self.recorded.machines)})."
        )

    def _begin(self, number: int, name: str) -> None:
        self.names[number] = name
        self.begun[name] = time.monotonic()
        if name.startswith(TRAIN):
            self._line("", f"{name} begins")

    def _end(self, name: str) -> None:
        if name not in self.to_run:  # the Snakefile's rule `all`
            return
        now = time.monotonic()
        self.took[name] = now - self.begun[name]
        left = self._left(now) if name.startswith(TRAIN) else ""
        count = f"{len(self.took)} of {len(self.to_run)}"
        self._line(count, f"{name} is done after {time_text(self.took[name])}{left}")
        if len(self.took) == len(self.to_run):
            self._say(self._summary(now - self.started))

    def _line(self, count: str, text: str) -> None:
        clock = timedelta(seconds=int(time.monotonic() - self.started))
        width = len(f"{len(self.to_run)} of {len(self.to_run)}")
        self._say(f"{clock}  {count:>{width}}  {text}")

    def _left(self, now: float) -> str:
        """Say how many trainings are left, and how long they take at the pace of those that are done."""
        models, known = self._models(self.to_run), self.recorded.seconds
        done = self._models(list(self.took))
        left = [model for model in models if model not in done]
        if not left:
            return ""
        if not known.keys() >= set(models):
            return f"; trainings left: {len(left)}"
        recorded = sum(known[model] for model in done)
        pace = sum(self.took[TRAIN + model] for model in done) / recorded if recorded else 1.0
        times = [
            max(0.0, pace * known[model] - (now - self.begun.get(TRAIN + model, now)))
            for model in left
        ]
        return f"; trainings left: {len(left)}, about {time_text(wall_time(times, self.at_once))}"

    def _summary(self, seconds: float) -> str:
        """Say how long the run took, and which kinds of stages took the most of it."""
        kinds: dict[str, float] = {}
        for name, took in self.took.items():
            kind = name.partition("@")[0]
            kinds[kind] = kinds.get(kind, 0.0) + took
        slowest = sorted(kinds, key=lambda kind: -kinds[kind])[:SLOWEST]
        times = ", ".join(f"{kind} {time_text(kinds[kind])}" for kind in slowest)
        name = self.layout.experiment
        return f"{name}: done in {time_text(seconds)}. By kind, the longest added up: {times}."

    @staticmethod
    def _models(names: Sequence[str]) -> list[str]:
        """Return the models that these stages train."""
        return [name.removeprefix(TRAIN) for name in names if name.startswith(TRAIN)]
