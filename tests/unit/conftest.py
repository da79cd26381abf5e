"""Small projects at several stages, and the command attnmt in an empty folder."""

import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryFile

import pytest
from small_experiment import make_experiment
from small_project import Command, Project

from attnmt import cli
from attnmt.config import Params


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Return an empty small project."""
    return Project(tmp_path)


@pytest.fixture
def corpus(project: Project) -> Project:
    """Return a small project with a valid file for each side of each set."""
    for name, lines in {"train": 3, "dev": 2, "test": 2}.items():
        project.add(name, b"a house .\n" * lines, "ein Haus ü .\n".encode() * lines)
    return project


@pytest.fixture
def raw(project: Project) -> Project:
    """Return a small project with valid raw files."""
    for name in ("train", "dev", "test"):
        project.write_raw(
            **{f"{name}_en": "A house, a dog.\n", f"{name}_de": "Ein Haus, ein Hund.\n"}
        )
    return project


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, bytes], Path]:
    """Return a function that writes a file and returns its path."""

    def write_file(name: str, content: bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write_file


@pytest.fixture
def attnmt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Return a function that runs ``attnmt`` in an empty folder, perhaps with ``stdin``.

    It returns the status, standard output and standard error.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATTNMT_MIRROR", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    def run(*arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["attnmt", *arguments])
        with TemporaryFile("w+") as stream:
            stream.buffer.write(stdin)
            stream.seek(0)
            monkeypatch.setattr(sys, "stdin", stream)
            with pytest.raises(SystemExit) as ended:
                cli.main()
        captured = capsys.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    return run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the small experiment."""
    return tmp_path_factory.mktemp("experiment")


@pytest.fixture(scope="module")
def params(folder: Path) -> Params:
    """Return the parameters of the small experiment, whose models are trained."""
    return make_experiment(folder)
