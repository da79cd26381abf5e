"""Trainings that are cut off by schedulers and power cuts; test_checkpoint.py has full disks.

In another test a training has ended, but its engine was told to end just then and deleted the outputs.
The checkpoints of a finished training stay until DVC has its outputs.

``TRAININGS=25 pytest tests/pipeline/test_kill.py`` cuts off 25.
"""

import json
import logging
import multiprocessing
import os
import random
import re
import runpy
import shutil
import signal
import sys
import time
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple

import pytest
import torch
from project import MEMBERS, Project

from attnmt import first_import  # noqa: F401  # imported in a fork, it would start pytest again
from attnmt.training import trainer as run  # noqa: F401  # so that no training has to import torch again

TRAININGS = range(int(os.environ.get("TRAININGS", "1")))
OUTPUTS = ("weights.safetensors", "config.json", "history.csv", "metrics.json")
NAME = MEMBERS[-1]
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGUSR1)
CUTS = 3  # a training is cut off at most this often


class Undisturbed(NamedTuple):
    """A project whose training has ended and lost its outputs, these outputs, and its duration."""

    project: Project
    outputs: dict[str, bytes]
    seconds: float


@pytest.fixture(scope="module")
def undisturbed(project, tmp_path_factory) -> Undisturbed:
    """Run a training that saves after every batch and evaluates after every twentieth."""
    project = project.copy(tmp_path_factory.mktemp("killed") / "project").hide_mlflow()
    settings = {"epochs": 7, "halve_after": 6, "evaluate_every": 20, "learning_rate": 0.1}
    project.change({f"families.luong.training.{key}": value for key, value in settings.items()})
    project.change({"machine.checkpoint_minutes": 0})
    for stage in (["corpus"], ["tokens"], ["encode", "luong"]):
        project.run("python", f"stages/{stage[0]}.py", "params.yaml", *stage[1:])
    started = time.monotonic()
    finish(project)
    seconds = time.monotonic() - started
    return Undisturbed(project, outputs(project), seconds)


def finish(project: Project) -> None:
    """Train to the end."""
    process = start(project)
    process.join()
    assert process.exitcode == 0, log_of(project)


def start(project: Project) -> BaseProcess:
    """Start the train stage in a fork of this process."""
    process = multiprocessing.get_context("fork").Process(
        target=train_stage, args=(project.folder,)
    )
    process.start()
    return process


def train_stage(folder: Path) -> None:
    """Act as ``python stages/train.py params.yaml <NAME>`` in a project's folder, with a log."""
    os.chdir(folder)
    with Path("train.log").open("w") as log:
        for stream in (1, 2):
            os.dup2(log.fileno(), stream)
    sys.argv = ["stages/train.py", "params.yaml", NAME]
    sys.modules["mlflow"] = None
    sys.stdout, sys.stderr = os.fdopen(1, "w", buffering=1), os.fdopen(2, "w", buffering=1)
    logging.getLogger().handlers.clear()  # pytest's
    torch.set_num_threads(1)
    runpy.run_path("stages/train.py", run_name="__main__")


def log_of(project: Project) -> str:
    return (project.folder / "train.log").read_text()


def outputs(project: Project) -> dict[str, bytes]:
    """Return the outputs that must repeat to the byte, and delete them."""
    folder = project.folder / f"models/demo/{NAME}"
    contents = {name: (folder / name).read_bytes() for name in OUTPUTS}
    for name in OUTPUTS:
        (folder / name).unlink()
    return contents


def checkpoints_of(project: Project) -> set[str]:
    """Return the names of all files among the checkpoints."""
    return {path.name for path in project.folder.glob("checkpoints/**/*") if path.is_file()}


def kept(written: dict[str, bytes]) -> set[str]:
    """Return the files with which the training that wrote these outputs can end again."""
    best = json.loads(written["metrics.json"])["best_step"]
    return {"lock", "origin.json", "last.safetensors", f"best-{best}.safetensors"}


def send_a_signal(process: BaseProcess, project: Project) -> str:
    """Send one of ``SIGNALS``; all but SIGKILL leave a checkpoint, and the exit status says so."""
    number = random.choice(SIGNALS)
    os.kill(process.pid or 0, number)
    process.join()
    log = log_of(project)
    if process.exitcode == 75:
        line = rf"stopped by {number.name} after batch \d+, which the checkpoint holds"
        assert re.search(line, log), log
    else:  # the training was about to begin or to end
        assert process.exitcode in (-number, 128 + number, 0), log
    return number.name


@pytest.mark.parametrize("training", TRAININGS)
def test_signals_at_random_points_change_no_byte(undisturbed, training, tmp_path):
    project, expected, seconds = undisturbed
    project = project.copy(tmp_path / "cut")
    shutil.rmtree(project.folder / "checkpoints")
    cuts: list[str] = []
    while True:
        process = start(project)
        process.join(random.uniform(0.02, 0.6) * seconds if len(cuts) < CUTS else None)
        if process.exitcode is None:
            how, log = send_a_signal(process, project), log_of(project)
            batch = re.findall(r"(?:after|from) batch (\d+)", log)
            cuts.append(f"{how} {batch[-1] if batch else ''}")
        if process.exitcode == 0:
            assert checkpoints_of(project) == kept(expected)
            assert outputs(project) == expected
            if cuts:
                break
            shutil.rmtree(project.folder / "checkpoints")
        else:
            assert cuts, log_of(project)
    print(f"{len(cuts)} cuts: {', '.join(cuts)}")


def test_lost_outputs_are_made_from_checkpoints_which_stay_until_dvc_has_the_model(
    undisturbed, tmp_path
):
    project, expected, _ = undisturbed
    project = project.copy(tmp_path / "lost")
    provenance = project.folder / f"runs/demo/{NAME}.json"
    seconds = json.loads(provenance.read_text())["seconds"]
    finish(project)
    steps = json.loads(expected["metrics.json"])["steps"]
    assert f"resuming after batch {steps}\n" in log_of(project)
    assert json.loads(provenance.read_text())["seconds"] == seconds
    written = {
        name: (project.folder / "models/demo" / NAME / name).read_bytes() for name in OUTPUTS
    }
    assert written == expected

    (training,) = project.folder.glob(f"checkpoints/demo/{NAME}/*")
    other = project.folder / "checkpoints/demo" / MEMBERS[0] / "of a training that goes on"
    shutil.copytree(training, other)
    first = (project.folder / "params.yaml").read_bytes()
    project.change({"families.luong.training.epochs": 15})
    commit_what_is_done(project)
    assert checkpoints_of(project) == kept(expected), "DVC lacks a model of these parameters"
    (project.folder / "params.yaml").write_bytes(first)
    commit_what_is_done(project)  # DVC has the model by now
    assert list(project.folder.glob("checkpoints/demo/*")) == [other.parent]
    assert {path.name for path in other.iterdir()} == kept(expected)


def commit_what_is_done(project: Project) -> None:
    """Run ``attnmt commit`` where most stages have never run."""
    with pytest.raises(AssertionError, match="these stages are out of date"):
        project.run("attnmt", "commit")
