"""The workflow on a real SLURM, with a training preempted, against a run on this machine: equal bytes.

Only `make test-slurm` runs this: pytest collects no file of this name unless told to. It runs the small
project of the pipeline tests, or the demo. What `make demo` has made here is not made again.
"""

import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from typing import Any

import cluster
import pytest
import yaml
from project import ROOT, TINY, Project, checkout

from attnmt.workflow.graph import read_stages

PREEMPTED = "local_p_general_feed"
TIMED = "base_reverse"  # longer than its wall time
# Added to tracking/runs.py, which decides no output: after some batches, both wait for a signal once.
BATCHES = 3
WAITS = f"""

_init = LiveRun.__init__


def waiting_init(run, config, about, *after):
    import itertools, select, signal, socket
    from pathlib import Path
    from attnmt.training.stop import Stop

    asked, batches, waiting = Stop.asked.fget, itertools.count(), Path("waits", config["model"])

    def wait_and_ask(stop):  # the loop asks before every batch
        if next(batches) == {BATCHES} and waiting.name in {PREEMPTED, TIMED} and not waiting.exists():
            signals, writer = socket.socketpair()
            writer.setblocking(False)
            signal.set_wakeup_fd(writer.fileno())
            waiting.parent.mkdir(exist_ok=True)
            waiting.touch()
            select.select([signals], [], [], 600)
        return asked(stop)

    Stop.asked = property(wait_and_ask)
    _init(run, config, about, *after)


LiveRun.__init__ = waiting_init
"""
RUNTIME = 2  # minutes of TIMED, of which a busy machine needs half a one to start a job
SHORT = (f"runtime={RUNTIME}", "slurm_extra='--signal=TERM@10'")  # 10 seconds before its end
SNAKEMAKE = (
    *("snakemake", "--profile", "profiles/slurm"),
    *("--set-resources", *(f"train@{TIMED}:{setting}" for setting in SHORT)),
    *("--slurm-status-command", "squeue"),  # without accounting, sacct gets no answer
    *("--seconds-between-status-checks", "2", "--slurm-init-seconds-before-status-checks", "2"),
)


@dataclass(frozen=True)
class Runs:
    """The project after a run on this machine, and after one on the cluster."""

    local: Project
    remote: Project


@pytest.fixture(scope="session")
def slurm(tmp_path_factory) -> Iterator[None]:
    """Run a cluster while the tests run; name the partition as a person would."""
    if obstacle := cluster.obstacle():
        pytest.exit(f"No SLURM here: {obstacle}.", returncode=1)
    with (
        cluster.one_node(tmp_path_factory.mktemp("slurm")),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("SBATCH_PARTITION", "low")
        # Ends the daemons, as Ctrl-C does
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        yield


@pytest.fixture(scope="module", params=["tiny", "demo"])
def runs(request, slurm, tmp_path_factory) -> Runs:
    """Run the workflow here, then on the cluster, where a training is preempted."""
    folder = tmp_path_factory.mktemp(request.param)
    local = checkout(folder / "local")
    if request.param == "tiny":
        local.shorten_text()
        local.use(TINY)
    local.change({"machine.checkpoint_minutes": 1000})  # only signals and evaluations save
    # The cluster's GPUs are pretended, so a job would look for one in vain.
    (local.folder / "src/attnmt/training/promised_gpu.py").write_text("")
    local.run("git", "init", "--quiet")
    local.commit()
    remote = local.clone(folder / "remote")
    with (remote.folder / "src/attnmt/tracking/runs.py").open("a") as module:
        module.write(WAITS)
    (remote.folder / "dvc.lock").unlink()
    shutil.rmtree(remote.folder / "reports/demo")
    if request.param == "demo":
        local.set_remote(ROOT / ".dvc/cache")  # laid out like a remote
        local.run("dvc", "pull", "--allow-missing", "dvc.yaml")
    local.hide_mlflow().snakemake()
    local.run("attnmt", "commit")
    log = remote.folder / "snakemake.log"
    with log.open("w") as stream:
        snakemake = remote.start(*SNAKEMAKE, output=stream)
        try:
            _preempt_a_training(remote, snakemake)
            assert snakemake.wait() == 0, log.read_text()
        finally:
            snakemake.kill()
    return Runs(local, remote)


def _preempt_a_training(project: Project, snakemake: subprocess.Popen[str]) -> None:
    """Once it waits, and the other's wall time is over, have a more important job take both GPUs."""
    waits = project.folder / "waits" / PREEMPTED
    while not (
        waits.exists() and any(job["JobState"] == "FAILED" for job in _jobs(project, TIMED))
    ):
        assert snakemake.poll() is None, "the workflow ended before the training"
        time.sleep(0.5)
    take = ("sbatch", "--partition=high", "--gpus=2", "--output=/dev/null", "--wait")
    cluster.slurm(*take, "--wrap=true")


def test_a_job_asks_for_the_resources_in_dvc_yaml(runs):
    """Every stage asks for exactly its GPU, memory, minutes and threads."""
    requested = {job["Comment"]: _asked(job) for job in cluster.jobs(runs.remote.folder)}
    with chdir(runs.remote.folder):
        stages = read_stages("demo")
    declared = {
        f"rule_{stage.name}": stage.resources | {"threads": stage.threads}
        for stage in stages
        if stage.name != "depends"  # Snakemake does without it
    }
    declared[f"rule_train@{TIMED}"]["runtime"] = RUNTIME
    assert requested == declared


def _asked(job: dict[str, str]) -> dict[str, int]:
    days, _, clock = job["TimeLimit"].rpartition("-")
    hours, minutes, _ = map(int, clock.split(":"))
    gpu = job.get("TresPerJob", "").removeprefix("gres:gpu:")
    return ({"gpu": int(gpu)} if gpu else {}) | {
        "mem_mb": int(job["MinMemoryNode"].removesuffix("M")),
        "runtime": (int(days or 0) * 24 + hours) * 60 + minutes,
        "threads": int(job["CPUs/Task"]),
    }


def test_a_preempted_training_goes_on_from_its_checkpoint(runs):
    (job,) = _jobs(runs.remote, PREEMPTED)
    assert job["Restarts"] == "1"
    assert _resumed_after(runs.remote, PREEMPTED) == BATCHES


def test_a_training_longer_than_its_wall_time_is_sent_again(runs):
    *cut, last = _jobs(runs.remote, TIMED)
    # The jobs ended by themselves: SLURM would have written TIMEOUT.
    assert {job["JobState"] for job in cut} == {"FAILED"}
    assert last["JobState"] == "COMPLETED"
    assert _resumed_after(runs.remote, TIMED) >= BATCHES


def _jobs(project: Project, model: str) -> list[dict[str, str]]:
    """Return all jobs of a training, also those that are over."""
    jobs = cluster.jobs(project.folder)
    return [job for job in jobs if job.get("Comment") == f"rule_train@{model}"]


def _resumed_after(project: Project, model: str) -> int:
    """Return the batch after which the last job of a training went on."""
    log = (project.folder / f"logs/demo/train@{model}.log").read_text()
    (batch,) = re.findall(r"^resuming after batch (\d+)$", log, re.MULTILINE)
    return int(batch)


def test_the_cluster_makes_the_bytes_of_a_run_on_this_machine(runs):
    runs.remote.run("attnmt", "commit")
    here, there = (_locked(one) for one in (runs.local, runs.remote))
    assert len(there) > 20
    assert there == {stage: here.get(stage) for stage in there}


def _locked(project: Project) -> dict[str, Any]:
    """Return the digests of the inputs and outputs of all stages but ``depends``, by stage."""
    stages = yaml.safe_load((project.folder / "dvc.lock").read_text())["stages"]
    return {name: stage for name, stage in stages.items() if name != "depends"}


def test_results_come_back_through_dvc(runs, tmp_path):
    """After `dvc pull`, nothing is left to do. MLflow is filled from the files of the cluster."""
    runs.remote.run("attnmt", "commit")
    runs.remote.commit()
    runs.remote.set_remote(tmp_path / "cache")
    runs.remote.run("dvc", "push", "dvc.yaml")
    desk = runs.remote.clone(tmp_path / "desk")
    desk.set_remote(tmp_path / "cache")
    desk.run("dvc", "pull", "dvc.yaml")
    assert desk.plan() == set()
    assert not (runs.remote.folder / "mlflow.db").exists()
    trained = {path.parent.name for path in desk.folder.glob("models/demo/*/metrics.json")}
    assert trained < set(runs.remote.run("attnmt", "track").split())
