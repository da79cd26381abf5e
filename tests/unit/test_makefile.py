"""The environment that the Makefile sets up."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = ("Makefile", "pyproject.toml", "constraints.txt")


def steps(folder: Path, *target: str) -> list[str]:
    """Return what make would do before it draws the graph, apart from any make that runs this test."""
    command = ["make", "-n", *(target or ("graph",))]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    shown = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    ).stdout
    return [line for line in shown.splitlines() if not line.startswith("dvc dag")]


def with_files(folder: Path) -> Path:
    for name in FILES:
        shutil.copy2(ROOT / name, folder)
    return folder


@pytest.fixture(scope="module")
def first(tmp_path_factory) -> Path:
    """Return a project's folder with an environment."""
    folder = with_files(tmp_path_factory.mktemp("makefile"))
    environment = [sys.executable, "-m", "venv", "--without-pip", ".venv"]
    subprocess.run(environment, cwd=folder, check=True)
    (folder / ".venv/installed").touch()
    return folder


def test_an_environment_is_made_once(first):
    assert steps(first) == []


def test_the_environment_of_a_copied_or_moved_folder_is_made_again(first, tmp_path):
    shutil.copytree(first, tmp_path / "copy", symlinks=True)
    removed, created, *_ = steps(tmp_path / "copy")
    assert removed == "rm -rf .venv"
    assert created.endswith("-m venv .venv")
    assert "rm -rf .venv" in steps((tmp_path / "copy").rename(tmp_path / "moved"))


def test_a_python_that_is_too_old_is_refused_before_an_environment_is_made(tmp_path):
    with_files(tmp_path)
    (tmp_path / "python3.9").write_text('#!/bin/sh\ncase "$2" in *"< (3, 11)"*) exit 1; esac\n')
    (tmp_path / "python3.9").chmod(0o755)
    shown = subprocess.run(
        ["make", "setup", "PYTHON=./python3.9"], cwd=tmp_path, capture_output=True, text=True
    )
    assert shown.returncode == 2
    assert "3.11" in shown.stderr
    assert not (tmp_path / ".venv").exists()
