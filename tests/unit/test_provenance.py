"""What a training says of itself: its commit, and what is published of it."""

import os
import shutil
import subprocess
from pathlib import Path

import made_records
import pytest
import torch
from made_scores import write_training
from small_experiment import make_experiment

from attnmt.errors import InputError
from attnmt.files.text_file import read_json, write_json
from attnmt.layout import Layout
from attnmt.training.machine import surroundings
from attnmt.training.provenance import publish, published, read_provenance

FILES = ("src/code.py", "stages/train.py", "systems.yaml", "params.yaml", "reports/scores.csv")


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Return a project of a few files, all of them committed."""
    monkeypatch.chdir(tmp_path)
    for name in FILES:
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("1")
    me = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    for command in (["init", "-q"], ["add", "."], [*me, "commit", "-qm", "test"]):
        subprocess.run(["git", *command], check=True)
    return tmp_path


def commit():
    return surroundings(torch.device("cpu"), "systems.yaml", "params.yaml")["git_commit"]


@pytest.mark.parametrize("changed", [None, *FILES, "src/untracked.py"])
def test_what_decides_a_training_and_is_not_committed_counts(project, caplog, changed):
    if changed:
        Path(changed).write_text("2")
    head = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    decides = changed not in (None, "reports/scores.csv")
    assert commit() == head.stdout.strip() + "-dirty" * decides
    assert (f"{changed}" in caplog.text) == decides


@pytest.mark.parametrize("fault", ["no git", "no repository", "damaged"])
def test_where_git_does_not_answer_the_commit_is_unknown_and_that_is_said(
    project, monkeypatch, caplog, fault
):
    if fault == "no git":
        monkeypatch.setenv("PATH", "")
    elif fault == "no repository":
        shutil.rmtree(".git")
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", os.fspath(project.parent))
    else:  # HEAD can still be told, but not what has changed
        Path(".git/index").write_text("damaged")
    assert commit() == "unknown"
    assert "git" in caplog.text


def test_a_training_is_published_if_it_is_that_of_the_present_model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    params, layout = make_experiment(tmp_path), Layout("demo")
    for name in params.trainings:
        write_training(params, name)
        about = made_records.provenance(name, fingerprint="f" * 16)
        write_json(layout.provenance(name), about)
    publish(params)
    assert [one.model for one in published("demo")] == [*params.trainings]
    here = layout.provenance("plain")
    here.unlink()
    assert read_provenance("demo", "plain").device == "a processor"  # as in a clone
    config = layout.model("plain") / "config.json"
    write_json(config, read_json(config) | {"fingerprint": "another"})
    assert read_provenance("demo", "plain") is None
    with pytest.raises(InputError, match=f"{here}: missing"):
        publish(params)
    write_json(here, {"model": "plain"})
    with pytest.raises(InputError, match=f"{here}: fingerprint: .*missing"):
        read_provenance("demo", "plain")
