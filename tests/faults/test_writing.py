"""Outputs that cannot be written: a command ends with one message and no trace, or warns and goes on."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from faults_project import Tree, build, run, tree

MODEL = "base_reverse"
MODELS, REPORTS = f"models/demo/{MODEL}", "reports/demo"
# Stage, arguments after the parameter file, output.
FOLDERS = [
    ("corpus", (), "data/demo/raw"),
    ("tokens", (), "data/demo/tokens"),
    ("encode", ("words",), "data/demo/encoded/words"),
    ("dictionary", (), "data/demo/dictionary"),
    ("translate", (MODEL,), f"translations/demo/{MODEL}"),
    ("report", (), f"{REPORTS}/tables"),
]
FILES = [
    ("train", (MODEL,), f"{MODELS}/weights.safetensors"),
    ("evaluate", (MODEL,), f"scores/demo/{MODEL}.csv"),
    ("gather", (), f"{REPORTS}/scores.csv"),
    ("report", (), f"{REPORTS}/index.html"),
]


Fault = Callable[[Path], object]


def remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def file(path: Path) -> None:
    remove(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("somebody else's")


def folder(path: Path) -> None:
    remove(path)
    path.mkdir(parents=True)
    (path / "kept").write_text("somebody else's")


def link_to_a_full_device(path: Path) -> None:
    remove(path)
    path.symlink_to("/dev/full")


TRANSLATE = ("attnmt", "translate", "A house.", "--experiment", "demo", "-o")
# A command, the place of an output, what is in the way there, and a part of the message. test_atomic.py
# has all that may be in the way. Here each command finds it before it begins to work.
TAKEN: list[tuple[tuple[str, ...], str, Fault, str]] = [
    *(((stage, *arguments), place, file, "in its place") for stage, arguments, place in FOLDERS),
    *(((stage, *arguments), place, folder, "in its place") for stage, arguments, place in FILES),
    (("tokens",), "data/demo", file, "cannot be written"),
    (("evaluate", MODEL), "scores/demo", file, "cannot be written"),
    (("train", MODEL), f"checkpoints/demo/{MODEL}", file, "cannot be written"),
    (("train", MODEL), "checkpoints", file, "cannot be written"),
    ((*TRANSLATE, "out"), "out", folder, "in its place"),
    ((*TRANSLATE, "out"), "out", link_to_a_full_device, "in its place"),
    ((*TRANSLATE, "not/out"), "not", file, "cannot be written"),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """Return a project in which all stages have run, without MLflow to save time."""
    project = tmp_path_factory.mktemp("built")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project)
        patch.setenv("ATTNMT_ELSEWHERE", "yes")
        build(project)
    return project


@pytest.fixture
def project(built, tmp_path, monkeypatch) -> Iterator[Path]:
    """Return a copy of that project, which is the working folder."""
    copy = tmp_path / "project"
    shutil.copytree(built, copy, symlinks=True)
    monkeypatch.chdir(copy)
    monkeypatch.setenv("ATTNMT_ELSEWHERE", "yes")
    monkeypatch.delenv("ATTNMT_MIRROR", raising=False)
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    return copy


def refused(status: int, error: str, place: str, message: str, before: Tree, project: Path) -> None:
    """Check that a command was refused with one message, and that it left no trace."""
    assert status == 2, error
    errors = [line for line in error.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert error.endswith(f"{errors[0]}\n")
    assert place in errors[0]
    assert message in errors[0]
    assert "Traceback" not in error
    assert ".partial" not in error
    assert tree(project) == before


@pytest.mark.parametrize(("command", "place", "fault", "message"), TAKEN)
def test_an_output_whose_place_is_taken_is_refused(command, place, fault, message, project, capfd):
    fault(Path(place))
    before = tree(project)
    status = run(*command)
    refused(status, capfd.readouterr().err, place, message, before, project)


@pytest.mark.parametrize(("stage", "arguments", "output"), [*FOLDERS, *FILES[1:]])
def test_a_full_disk_is_named_and_leaves_no_half_written_output(
    stage, arguments, output, project, capfd, monkeypatch
):
    opened = Path.open

    def fail(path: Path, mode: str = "r", *arguments: object, **options: object) -> object:
        if "w" in mode and str(path).startswith(output):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return opened(path, mode, *arguments, **options)

    monkeypatch.setattr(Path, "open", fail)
    before = tree(project)
    status = run(stage, *arguments)
    after = tree(project) if stage == "report" else before  # the report's other outputs are written
    refused(status, capfd.readouterr().err, output, "free some space there", after, project)
    assert tree(project).keys() == before.keys()
