"""The project before and after a run of the whole pipeline, on a corpus of a few hundred pairs."""

import os
from pathlib import Path

import pytest
from filelock import FileLock
from project import TINY, Project, checkout


@pytest.fixture(scope="session")
def shared(tmp_path_factory) -> Path:
    """The temporary folder of this run of pytest, which all its processes share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def project(tmp_path_factory) -> Project:
    """The files that git would take, with parameters that run in seconds; no stage has run."""
    return _fresh(tmp_path_factory.mktemp("project") / "first")


def _fresh(folder: Path) -> Project:
    copy = checkout(folder)
    (copy.folder / "dvc.lock").unlink(missing_ok=True)
    copy.shorten_text()
    copy.use(TINY)
    copy.run("git", "init", "--quiet")
    copy.commit()
    return copy


@pytest.fixture(scope="session")
def remote(shared) -> Path:
    """The folder that DVC pushes to and pulls from."""
    return shared / "remote"


@pytest.fixture(scope="session")
def first_built(shared, remote) -> Project:
    """The project after ``snakemake -j2`` and ``attnmt commit``, its cache pushed and all in git.

    It is built once for all processes, so no test may run a command in it that writes.
    """
    folder = shared / "built/first"
    with FileLock(shared / "built.lock"):
        if not (shared / "built/done").exists():
            project = _fresh(folder)
            project.snakemake()
            project.run("attnmt", "commit")
            project.set_remote(remote)
            project.run("dvc", "push", "dvc.yaml")
            project.commit()
            (shared / "built/done").touch()
    return Project(folder)


@pytest.fixture(scope="session")
def built(first_built, tmp_path_factory) -> Project:
    """A copy of the built project, for this process alone."""
    return first_built.copy(tmp_path_factory.mktemp("built") / "copy")
