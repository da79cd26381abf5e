"""The project before and after a run of the whole pipeline, on a corpus of some hundred pairs."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from project import ROOT, TINY, Project


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The files that git would take, with parameters that run in seconds; nothing has run."""
    folder = tmp_path_factory.mktemp("project") / "first"
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in names.rstrip("\0").split("\0"):
        if os.path.lexists(ROOT / name):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    (folder / "dvc.lock").unlink(missing_ok=True)
    copy = Project(folder)
    copy.change(TINY)
    copy.run("git", "init", "--quiet")
    copy.commit()
    return copy


@pytest.fixture(scope="session")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that DVC pushes to and pulls from."""
    return tmp_path_factory.mktemp("remote")


@pytest.fixture(scope="session")
def built(project: Project, remote: Path) -> Project:
    """The project after ``snakemake -j2`` and ``dvc commit``; its cache pushed, all in git."""
    project.snakemake()
    project.run("dvc", "commit", "--force", "--quiet", "dvc.yaml")
    project.set_remote(remote)
    project.run("dvc", "push", "dvc.yaml")
    project.commit()
    return project
