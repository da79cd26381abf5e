"""The project before and after a run of the whole pipeline, on a corpus of a few hundred pairs."""

from pathlib import Path

import pytest
from project import TINY, Project, checkout


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The files that git would take, with parameters that run in seconds; no stage has run."""
    copy = checkout(tmp_path_factory.mktemp("project") / "first")
    (copy.folder / "dvc.lock").unlink(missing_ok=True)
    copy.shorten_text()
    copy.use(TINY)
    copy.run("git", "init", "--quiet")
    copy.commit()
    return copy


@pytest.fixture(scope="session")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that DVC pushes to and pulls from."""
    return tmp_path_factory.mktemp("remote")


@pytest.fixture(scope="session")
def built(project: Project, remote: Path) -> Project:
    """The project after ``snakemake -j2`` and ``attnmt commit``, its cache pushed and all in git."""
    project.snakemake()
    project.run("attnmt", "commit")
    project.set_remote(remote)
    project.run("dvc", "push", "dvc.yaml")
    project.commit()
    return project
