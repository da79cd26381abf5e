"""What attnmt plan and Snakemake say of damaged DVC files, and of what cannot be written."""

import subprocess
from pathlib import Path

import pytest
from damage import damaged
from faults_project import run, tree
from project import TINY, Project, checkout

from attnmt import first_import

FILES = {
    "a configuration that is cut": (".dvc/config", b"[core\n x", ".dvc/config"),
    "a dvc.yaml that is cut": ("dvc.yaml", b"stages: [", "dvc.yaml"),
    "an empty dvc.yaml": ("dvc.yaml", b"", "no stages"),
    "a wrong name": ("dvc.yaml", b"stages:\n  a:\n    cmd: ${nowhere}\n", "nowhere"),
    "a dvc.lock that is cut": ("dvc.lock", b"schema: [", "dvc.lock"),
    "a stage that is a number": ("dvc.lock", b"schema: '2.0'\nstages:\n  a: 3\n", "dvc.lock"),
}


@pytest.fixture(scope="module")
def fresh(tmp_path_factory) -> Project:
    """Return the files that git would take, with parameters that are planned in seconds."""
    copy = checkout(tmp_path_factory.mktemp("project") / "fresh")
    copy.shorten_text()
    copy.use(TINY)
    copy.run("git", "init", "--quiet")
    copy.run("python", "stages/depends.py", "params.yaml")
    return copy


@pytest.fixture
def project(fresh, tmp_path, monkeypatch) -> Project:
    """Return the project, which is the working folder."""
    monkeypatch.chdir(fresh.folder)
    # attnmt runs in this process, with the code from which this copy was made.
    monkeypatch.setattr(first_import, "SOURCE", fresh.folder / "src/attnmt")
    monkeypatch.setenv("DVC_NO_ANALYTICS", "1")
    monkeypatch.setenv("DVC_SITE_CACHE_DIR", str(tmp_path / "cache"))
    return fresh


def snakemake(project: Project, *arguments: str) -> str:
    """Return what Snakemake says, and check that it fails without a traceback."""
    command = ["snakemake", "-n", *arguments]
    result = subprocess.run(command, stdout=subprocess.PIPE, check=False, **project.shell)
    assert result.returncode == 1, result.stdout
    assert result.stdout.count("\nerror: ") == 1
    assert "Traceback" not in result.stdout
    assert "site-packages" not in result.stdout
    assert "/src/attnmt" not in result.stdout
    return result.stdout


@pytest.mark.parametrize("fault", FILES)
def test_attnmt_plan_names_a_damaged_file(fault, project, capfd):
    name, content, message = FILES[fault]
    with damaged(Path(name), lambda _: content):
        before = tree(project.folder)
        status = run("attnmt", "plan")
        after = tree(project.folder)
    error = capfd.readouterr().err
    assert status == 2
    assert error.startswith(f"error: {project.folder}")
    assert message in error
    assert error.count("\n") == 1
    changed = {name for name in after.keys() | before.keys() if after.get(name) != before.get(name)}
    assert not [name for name in changed if ".dvc/tmp" not in str(name)]


def test_snakemake_names_a_damaged_file(project):
    name, content, message = FILES["a dvc.lock that is cut"]
    with damaged(Path(name), lambda _: content):
        assert message in snakemake(project)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("experiment=2015-01-01", "no experiment '2015-01-01'"),  # a date to Snakemake
        ("experimnt=wmt14", "did you mean 'experiment'"),
    ],
)
def test_snakemake_refuses_a_configuration_that_names_nothing(project, config, message):
    assert message in snakemake(project, "--config", config)
