"""What one sees of a run: lines made of Snakemake's messages, and a small run of Snakemake itself."""

import io
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from attnmt.errors import InputError
from attnmt.planning.times import Times
from attnmt.workflow import snakemake_log
from attnmt.workflow.engine_stop import SIGNALS, EngineStop
from attnmt.workflow.graph import Stage
from attnmt.workflow.snakemake_log import Progress, about_lock, at_once, is_shown

NAMES = ["code", "corpus", "train@base", "train@gru", "evaluate@base", "evaluate@gru", "report"]
SECONDS = {"base": 120.0, "gru": 240.0}
CORES = {"_cores": 2, "_nodes": None}
SNAKEFILE = """
from attnmt.workflow.engine_stop import EngineStop
from attnmt.workflow.graph import Stage
from attnmt.workflow.snakemake_log import follow

def stage(name):
    return Stage(name, "", {}, [], [], "", 1, {}, 0)

STOP = EngineStop("demo")
follow("demo", [stage("corpus"), stage("report")], {"_cores": 2}, STOP)

onstart:
    STOP.run_begins()

onerror:
    STOP.end()

rule all:
    input: "report.txt"

rule corpus:
    output: "corpus.txt"
    log: "corpus.log"
    shell: "touch {output}"

rule report:
    input: "corpus.txt"
    output: "report.txt"
    log: "report.log"
    shell: "trap : TERM; {{ (echo why; COMMAND); touch {output}; }} > {log} 2>&1"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working folder, which is empty."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def stage(name: str, threads: int = 1, **resources: int) -> Stage:
    return Stage(name, "", {}, [], [], "", threads, resources, 0)


class Run:
    """Snakemake's messages about a run with a clock of its own, and the lines made of them."""

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        *to_run: str,
        known: bool = True,
        trained: dict[str, float] | None = None,
    ) -> None:
        def times(_: object, models: list[str]) -> Times | None:
            seconds = {model: SECONDS[model] for model in models}
            return Times(seconds, "at this speed", trained or {}) if known else None

        monkeypatch.setattr(snakemake_log, "training_times", times)
        for name in ("load_params", "params_file"):
            monkeypatch.setattr(snakemake_log, name, lambda *_: None)
        self.now = 0.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        self.out = io.StringIO()
        self.progress = Progress("demo", [stage(name) for name in NAMES], CORES, self.out)
        self.ids = {name: number for number, name in enumerate([*to_run, "all"])}
        self.tell(LogEvent.RUN_INFO, stats=dict.fromkeys([*to_run, "all"], 1) | {"total": 9})

    def tell(self, event: LogEvent | None, text: str = "", **fields: Any) -> None:
        record = logging.makeLogRecord({"msg": text, "event": event, "levelno": logging.INFO})
        vars(record).update(fields)
        self.progress.handle(record)

    def begin(self, name: str) -> None:
        self.tell(LogEvent.JOB_INFO, jobid=self.ids[name], rule_name=name)

    def end(self, name: str, seconds: float) -> None:
        """Have a stage end so many seconds after the last that ended."""
        self.now += seconds
        self.tell(LogEvent.JOB_FINISHED, job_id=self.ids[name])

    @property
    def lines(self) -> list[str]:
        return self.out.getvalue().splitlines()


def test_it_says_what_will_run_and_for_how_long(monkeypatch):
    assert Run(monkeypatch, *NAMES[1:]).lines == [
        "demo: 6 of 7 stages to run: corpus, train (2), evaluate (2), report.",
        "The trainings alone take about 4.0 min, 2 at a time: 6.0 min in all, at this speed.",
        "The log of a stage is logs/demo/<stage>.log.",
    ]
    first, second, _ = Run(monkeypatch, "train@base", "evaluate@base", "report").lines
    assert first == "demo: 3 of 7 stages to run: train, evaluate, report."
    assert second.startswith("The trainings alone take about 2.0 min, 1 at a time")
    assert Run(monkeypatch, "report").lines[1] == "Nothing is to be trained."


def test_where_times_are_not_known_the_trainings_that_are_done_tell_them(monkeypatch):
    run = Run(monkeypatch, *NAMES[1:], known=False)
    assert "attnmt plan --experiment demo --measure" in run.lines[1]
    run.begin("train@base")
    run.end("train@base", 60)
    assert run.lines[-1].endswith("train@base is done after 60 s; trainings left: 1, about 60 s")
    run = Run(monkeypatch, *NAMES[1:], known=False)
    run.begin("train@base")
    run.now += 20
    run.begin("train@gru")
    run.end("train@base", 40)
    assert run.lines[-1].endswith("trainings left: 1, about 20 s")


def test_a_speed_that_cannot_be_read_does_not_stop_the_log(monkeypatch):
    def fails(*_: object) -> None:
        raise InputError("speed.json: not JSON")

    run = Run(monkeypatch, *NAMES[1:])
    monkeypatch.setattr(snakemake_log, "training_times", fails)
    run.tell(LogEvent.RUN_INFO, stats=dict.fromkeys(NAMES, 1))
    assert run.lines[-2] == "How long it takes is not known: speed.json: not JSON"


def test_a_stage_that_is_done_has_a_line(monkeypatch):
    run = Run(monkeypatch, "corpus", "train@base", "train@gru", "report")
    for name, seconds in (("corpus", 5), ("train@base", 240), ("train@gru", 480), ("report", 7)):
        run.begin(name)
        run.end(name, seconds)
    run.begin("all")
    run.end("all", 0)
    assert run.lines[3:] == [
        "0:00:05  1 of 4  corpus is done after 5 s",
        "0:00:05          train@base begins",
        # It took twice as long as its record says, so the other one may, too.
        "0:04:05  2 of 4  train@base is done after 4.0 min; trainings left: 1, about 8.0 min",
        "0:04:05          train@gru begins",
        "0:12:05  3 of 4  train@gru is done after 8.0 min",
        "0:12:12  4 of 4  report is done after 7 s",
        "demo: done in 12 min.",
    ]


def test_a_run_with_a_report_ends_with_what_comes_next(monkeypatch):
    monkeypatch.setattr(snakemake_log, "next_steps", lambda _: "Next:")
    ends = []
    for experiment, last in (("own", "report"), ("own", "evaluate@base"), ("demo", "report")):
        run = Run(monkeypatch, last)
        run.progress.experiment = experiment
        run.begin(last)
        run.end(last, 1)
        ends.append(run.lines[-1] == "Next:")
    assert ends == [True, False, False]


def test_a_training_that_goes_on_from_a_checkpoint_sets_no_pace(monkeypatch):
    run = Run(monkeypatch, "train@base", "train@gru", trained={"base": 0.9})
    assert run.lines[1].endswith(
        "at this speed. These times are from the start. 1 of them can go on from a checkpoint, which "
        "saves about 1.8 min, unless their settings or code have changed."
    )
    run.begin("train@base")
    run.end("train@base", 12)
    assert run.lines[-1].endswith("trainings left: 1, about 4.0 min")


def test_a_training_that_runs_is_partly_done(monkeypatch):
    run = Run(monkeypatch, "train@base", "train@gru")
    run.begin("train@base")
    run.begin("train@gru")
    run.end("train@base", 120)
    assert run.lines[-1].endswith("trainings left: 1, about 2.0 min")


def test_if_nothing_is_to_run_it_says_so():
    out = io.StringIO()
    progress = Progress("demo", [stage(name) for name in NAMES], CORES, out)
    text = "Nothing to be done (all requested files are present and up to date)."
    progress.handle(logging.makeLogRecord({"msg": text, "levelno": logging.INFO}))
    assert out.getvalue() == "demo: nothing to run, all 7 stages are done.\n"


def test_threads_jobs_and_resources_limit_what_runs_at_a_time():
    training = stage("train@base", threads=2, gpu=1)
    assert at_once(training, {"_cores": 8, "_nodes": None}) == 4
    assert at_once(training, {"_cores": 8, "gpu": 1}) == 1
    assert at_once(training, {"_cores": None, "_nodes": 100, "mem_mb": "16G"}) == 100
    assert at_once(training, {"_cores": 1}) == 1
    # On a cluster without GPUs no stage asks for one.
    assert at_once(training, {"_cores": 16, "gpu": 0}) == 8


@pytest.mark.parametrize(
    ("cwd", "words"),
    [("here", "is a Snakemake that runs here"), (None, "is a Snakemake that another user runs")],
)
def test_a_lock_is_not_called_left_over_while_a_snakemake_may_hold_it(monkeypatch, cwd, words):
    """The system does not tell where a process of another user runs."""
    info = {"cmdline": ["/usr/bin/snakemake"], "cwd": str(Path.cwd()) if cwd else None}
    other = SimpleNamespace(pid=-7, info=info)
    monkeypatch.setattr(psutil, "process_iter", lambda _: [other])
    assert f"process -7 {words}" in about_lock("demo")
    info["cwd"] = "/elsewhere"
    assert "no Snakemake runs here" in about_lock("demo")


def test_errors_and_what_a_user_asked_for_are_shown():
    def shown(text: str | None, event: LogEvent | None = None) -> bool:
        return is_shown(logging.makeLogRecord({"msg": text, "event": event}))

    assert shown("Error in rule corpus", LogEvent.JOB_ERROR)
    assert shown("Terminating processes on user request, this might take some time.")
    assert not shown("Select jobs to execute...")
    assert not shown(None, LogEvent.PROGRESS)


ENGINE = [str(Path(sys.executable).with_name("snakemake")), "-j1", "--quiet", "host"]
ENGINE.append("--show-failed-logs")


def snakemake(command: str) -> tuple[int, str]:
    """Run Snakemake with a command for its last stage; return the status and what is shown."""
    Path("Snakefile").write_text(SNAKEFILE.replace("COMMAND", command))
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    run = subprocess.run(ENGINE, text=True, check=False, **both)
    return run.returncode, run.stdout


def test_snakemake_shows_these_lines_and_no_others(folder):
    status, shown = snakemake("true")
    plan, _, _, first, second, end, log = shown.splitlines()
    assert status == 0
    assert plan == "demo: 2 of 2 stages to run: corpus, report."
    assert "1 of 2  corpus is done after" in first
    assert "2 of 2  report is done after" in second
    assert end.startswith("demo: done in ")
    (file,) = (folder / ".snakemake/log").glob("*.log")
    assert log == f"Complete log(s): {file}"
    assert "Select jobs to execute..." in file.read_text()
    assert snakemake("true") == (0, "demo: nothing to run, all 2 stages are done.\n")


def test_snakemake_shows_the_log_of_a_stage_that_fails():
    status, shown = snakemake("false")
    assert status == 1
    assert "Error in rule report:" in shown
    assert "\nwhy\n" in shown


def heed_signals() -> None:
    """Take back what a shell in the background, or nohup, has told this process to ignore."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.slow
@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize(
    ("number", "to_all"),
    [(signal.SIGINT, True), *((number, False) for number in SIGNALS)],
)
def test_an_engine_that_is_told_to_end_ends_soon_and_says_how_to_go_on(
    monkeypatch, number, to_all, again
):
    """Ctrl-C reaches the stages, too; a signal to the engine alone does not. It may come again."""
    Path("Snakefile").write_text(SNAKEFILE.replace("COMMAND", "echo $BASHPID > pid; exec sleep 99"))
    monkeypatch.delenv("MAKELEVEL", raising=False)
    with Path("shown").open("w") as shown:
        own = {"start_new_session": True, "preexec_fn": heed_signals}
        engine = subprocess.Popen(ENGINE, stdout=shown, stderr=shown, **own)
    while not Path("pid").exists() or not Path("pid").read_text().strip():
        assert engine.poll() is None, Path("shown").read_text()
        time.sleep(0.1)
    send = os.killpg if to_all else os.kill
    send(engine.pid, number)
    if again:
        while "stopping" not in Path("shown").read_text():
            time.sleep(0.01)
        send(engine.pid, number)
    assert engine.wait(timeout=30) == 128 + number
    with pytest.raises(ProcessLookupError):
        os.kill(int(Path("pid").read_text()), 0)
    shown = Path("shown").read_text()
    name = "Ctrl-C" if number == signal.SIGINT else number.name
    said_again = f"demo: {name}: it is stopping already.\n"
    assert "Traceback" not in shown
    if not to_all:  # after which the engine may have ended before the second signal comes
        assert (said_again in shown) == again
    *_, stopping, last = shown.replace(said_again, "").splitlines()
    assert stopping.startswith(f"demo: {name}: stopping.")
    assert "Nothing is lost" in last
    assert last.endswith("To go on, type snakemake -j1 --quiet host --show-failed-logs again.")
    assert snakemake("true")[0] == 0  # no lock was left


def test_a_signal_at_the_very_end_does_not_change_the_status(monkeypatch):
    handlers = dict[int, Any]()
    monkeypatch.setattr(signal, "signal", handlers.__setitem__)
    stop = EngineStop("demo")
    stop.signal = signal.SIGTERM
    with pytest.raises(SystemExit) as ended:
        stop.end()
    assert ended.value.code == 143
    assert handlers == dict.fromkeys(SIGNALS, signal.SIG_IGN)


@pytest.mark.slow
def test_a_lock_is_named_by_the_run_that_holds_it_or_as_that_of_a_killed_one():
    command = "echo $BASHPID > pid; exec sleep 99"
    Path("Snakefile").write_text(SNAKEFILE.replace("COMMAND", command))
    hidden = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(ENGINE, start_new_session=True, **hidden) as engine:
        while not Path("pid").exists():
            time.sleep(0.1)
        of_process = (
            f"process {engine.pid} is a Snakemake that runs here; wait for it, or end it.\n"
        )
        assert snakemake(command) == (1, f"demo: the folder is locked: {of_process}")
        os.killpg(engine.pid, signal.SIGKILL)
    with subprocess.Popen(["tail", "-f", "snakemake", "Snakefile"], **hidden) as other:
        status, shown = snakemake("true")
        other.kill()
    assert status == 1
    assert (
        "no Snakemake runs here on this machine. If none runs on another one either, a run was killed: "
        "type snakemake --unlock, then" in shown
    )
    subprocess.run([ENGINE[0], "--unlock"], check=True, capture_output=True)
    assert snakemake("true")[0] == 0


def test_an_engine_that_is_told_to_end_before_it_runs_says_so():
    slow = "Path('begun').touch()\nimport time; time.sleep(99)\nrule all:"
    Path("Snakefile").write_text(SNAKEFILE.replace("rule all:", slow))
    with subprocess.Popen(
        ENGINE, stderr=subprocess.PIPE, text=True, preexec_fn=heed_signals
    ) as engine:
        while not Path("begun").exists():
            assert engine.poll() is None
            time.sleep(0.1)
        engine.send_signal(signal.SIGINT)
        assert engine.wait(timeout=30) == 130
        assert engine.stderr is not None
        assert engine.stderr.read().endswith("demo: Ctrl-C: stopped before any stage began.\n")
