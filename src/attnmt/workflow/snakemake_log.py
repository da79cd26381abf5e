"""What is shown while Snakemake runs: what will run and for how long, then a line for each stage.

``follow`` hides Snakemake's own lines about jobs, because there are ten for each stage. They are still
in ``.snakemake/log``. Errors, warnings and the logs of failed stages are shown as Snakemake shows them.
A terminal and a file get the same plain lines.
"""

import logging
import re
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, TextIO

import psutil
from snakemake_interface_logger_plugins.common import LogEvent

from attnmt.config import DEMO, load_params, params_file
from attnmt.errors import InputError
from attnmt.planning.times import Times, time_text, training_times, wall_time
from attnmt.reporting.own_text import next_steps
from attnmt.workflow.engine_stop import EngineStop
from attnmt.workflow.graph import TRAIN, Stage
from attnmt.workflow.kinds import by_kind

REPORT = "report"  # the last stage
NOTHING = "Nothing to be done"
LOCKED = "LockException"
METADATA = re.compile(r"\d+ jobs have (missing|outdated) provenance/metadata")
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
    LOCKED,
    "Select jobs to execute",
    "Using shell",
)


def hide_metadata() -> None:
    """Leave out what Snakemake says about its own records, which do not decide here what is done."""
    for handler in logging.getLogger("snakemake.logging").handlers:
        handler.addFilter(lambda record: not METADATA.match(str(record.msg)))


def follow(
    experiment: str, stages: Sequence[Stage], limits: Mapping[str, Any], stop: EngineStop
) -> None:
    """From now on, show Snakemake's messages as this module words them.

    Args:
        stages: all stages of the experiment.
        limits: how much may be in use at a time, by Snakemake's names: ``_cores``, ``_nodes`` (jobs on
            a cluster) and resources. A value of None means no limit.
        stop: what ends the run. Then nothing is shown, because a stage that is stopped looks like a
            fault.
    """
    hide_metadata()
    log = logging.getLogger("snakemake.logging")
    for handler in [one for one in log.handlers if one.name == "DefaultStreamHandler"]:
        handler.addFilter(lambda record: not stop.signal and is_shown(record))
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
    # Of a resource whose limit is 0, Snakemake lets no stage ask for any.
    counts = [limit // needs[name] for name, limit in counted.items() if limit and needs.get(name)]
    return max(1, min(counts, default=1))  # a stage is never given more cores than there are


def about_lock(experiment: str) -> str:
    """Say who has locked this folder, and what to do; a run that is killed leaves its lock."""
    own, here = psutil.Process(), str(Path.cwd())
    us = {own.pid, *(process.pid for process in own.parents())}
    for process in psutil.process_iter(["cmdline", "cwd"]):
        program, *arguments = [Path(word).name for word in process.info["cmdline"] or [""]]
        script = arguments[:1] if arguments[:1] != ["-m"] else arguments[1:2]
        runs = script if program.startswith("python") else [program]
        # Where a process of another user runs is not told.
        found, cwd = process.pid not in us and runs == ["snakemake"], process.info["cwd"]
        if found and cwd in (here, None):
            is_here = "runs here; wait for it, or end it"
            may_be = "another user runs, perhaps here; ask, and wait for it"
            return f": process {process.pid} is a Snakemake that {is_here if cwd else may_be}."
    of = "" if experiment == DEMO else f" --config experiment={experiment}"
    return (
        f", but no Snakemake runs here on this machine. If none runs on another one either, a run was "
        f"killed: type snakemake --unlock{of}, then the same command again. What is done stays, and "
        f"trainings go on from their checkpoints."
    )


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
        self.experiment, self.stages = experiment, [stage.name for stage in stages]
        trainings = [at_once(stage, limits) for stage in stages if stage.name.startswith(TRAIN)]
        self.at_once = min(trainings, default=1)
        self.stream = stream or sys.stderr
        self.to_run: list[str] = []
        self.times: Times | None = None  # of the trainings to run, as far as is known
        self.names: dict[int, str] = {}  # the stages that have begun, by Snakemake's number
        self.begun: dict[str, float] = {}
        self.took: dict[str, float] = {}  # seconds of the stages that are done
        self.started = time.monotonic()

    def emit(self, record: logging.LogRecord) -> None:
        """Write what a message of Snakemake means to a person, if anything."""
        event, fields = getattr(record, "event", None), vars(record)
        if event == LogEvent.RUN_INFO:
            self.to_run = [name for name in self.stages if name in fields["stats"]]
            self._plan()
        elif event == LogEvent.JOB_INFO:
            self._begin(fields["jobid"], fields["rule_name"])
        elif event == LogEvent.JOB_FINISHED and self.names[fields["job_id"]] in self.to_run:
            self._end(self.names[fields["job_id"]])  # not so the Snakefile's rule `all`
        elif str(record.msg).startswith(LOCKED):
            self._say(f"{self.experiment}: the folder is locked{about_lock(self.experiment)}")
        elif str(record.msg).startswith(NOTHING):
            self._say(f"{self.experiment}: nothing to run, all {len(self.stages)} stages are done.")

    def _say(self, text: str) -> None:
        self.stream.write(f"{text}\n")
        self.stream.flush()

    def _plan(self) -> None:
        """Say what will run, about how long it takes, and where its logs are."""
        count = f"{len(self.to_run)} of {len(self.stages)}"
        self._say(f"{self.experiment}: {count} stages to run: {by_kind(self.to_run)}.")
        self._say(self._estimate(_models(self.to_run)))
        self._say(f"The log of a stage is logs/{self.experiment}/<stage>.log.")

    def _estimate(self, models: list[str]) -> str:
        """Say how long the trainings take, if that is known. Nothing records the other stages."""
        if not models:
            return "Nothing is to be trained."
        try:
            self.times = training_times(load_params(params_file(self.experiment)), models)
        except InputError as error:  # of an old record, which must not end the run
            return f"How long it takes is not known: {error}"
        if self.times is None:
            plan = f"attnmt plan --experiment {self.experiment} --measure"
            return f"How long it takes is not known; {plan} estimates it."
        seconds, together = [*self.times.seconds.values()], min(self.at_once, len(models))
        return (
            f"The trainings alone take about {time_text(wall_time(seconds, together))}, {together} at "
            f"a time: {time_text(sum(seconds))} in all, {self.times.source}.{self.times.saved}"
        )

    def _begin(self, number: int, name: str) -> None:
        self.names[number] = name
        self.begun[name] = time.monotonic()
        if name.startswith(TRAIN):
            self._line("", f"{name} begins")

    def _end(self, name: str) -> None:
        now = time.monotonic()
        self.took[name] = now - self.begun[name]
        left = self._left(now) if name.startswith(TRAIN) else ""
        count = f"{len(self.took)} of {len(self.to_run)}"
        self._line(count, f"{name} is done after {time_text(self.took[name])}{left}")
        if len(self.took) == len(self.to_run):
            self._say(f"{self.experiment}: done in {time_text(now - self.started)}.")
            if (
                REPORT in self.took and self.experiment != DEMO
            ):  # `make demo` shows the report itself
                self._say(next_steps(load_params(params_file(self.experiment))))

    def _line(self, count: str, text: str) -> None:
        clock = timedelta(seconds=int(time.monotonic() - self.started))
        width = len(f"{len(self.to_run)} of {len(self.to_run)}")
        self._say(f"{clock}  {count:>{width}}  {text}")

    def _left(self, now: float) -> str:
        """Say how many trainings are left, and how long they take at the pace of those that are done."""
        done = _models(self.took)
        left = [model for model in _models(self.to_run) if model not in done]
        if not left:
            return ""
        # Where no times are known, all are taken to be alike.
        times = self.times or Times(dict.fromkeys([*done, *left], 1.0), source="")
        # Those that may have gone on from a checkpoint set no pace.
        whole = [model for model in done if model not in times.trained]
        expected = sum(times.seconds[model] for model in whole)
        pace = sum(self.took[TRAIN + model] for model in whole) / expected if expected else 1.0
        seconds = [
            max(0.0, pace * times.seconds[model] - (now - self.begun.get(TRAIN + model, now)))
            for model in left
        ]
        return f"; trainings left: {len(left)}, about {time_text(wall_time(seconds, self.at_once))}"


def _models(stages: Iterable[str]) -> list[str]:
    """Return the models that these stages train."""
    return [name.removeprefix(TRAIN) for name in stages if name.startswith(TRAIN)]
