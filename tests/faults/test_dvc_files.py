"""What attnmt plan and Snakemake say of damaged DVC files, and of orders that cannot be written."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from damage import damaged
from faults_project import run, tree
from project import TINY, Project, checkout

from attnmt.workflow import first_import

NO_META = "stages:\n  corpus:\n    cmd: 'true'\n"
BAD_LOCK = "schema: '2.0'\nstages:\n  corpus: 3\n"
FILES = {
    "a configuration that is cut": (".dvc/config", b"[core\n x", ".dvc/config: config file error"),
    "a dvc.yaml that is cut": ("dvc.yaml", b"stages: [", "'dvc.yaml', YAML file structure"),
    "a dvc.yaml that is a number": ("dvc.yaml", b"stages: 3\n", "dvc.yaml' validation failed"),
    "a dvc.yaml that is not text": ("dvc.yaml", b"\xff\xfe", "'dvc.yaml', is not valid utf-8"),
    "an empty dvc.yaml": ("dvc.yaml", b"", "dvc.yaml: has no stages"),
    "a stage without meta": ("dvc.yaml", NO_META.encode(), "corpus: meta: resources are missing"),
    "a wrong name": ("dvc.yaml", b"stages:\n  a:\n    cmd: ${nowhere}\n", "nowhere"),
    "a dvc.lock that is cut": ("dvc.lock", b"schema: [", "'dvc.lock', YAML file structure"),
    "a dvc.lock of nothing": ("dvc.lock", b"null\n", "dvc.lock' validation failed"),
    "a stage that is a number": ("dvc.lock", BAD_LOCK.encode(), "dvc.lock' validation failed"),
}


@pytest.fixture(scope="module")
def fresh(tmp_path_factory) -> Project:
    """Return the files that git would take, with parameters that are planned in seconds."""
    copy = checkout(tmp_path_factory.mktemp("project") / "fresh")
    copy.shorten_text()
    copy.use(TINY)
    copy.run("git", "init", "--quiet")
    copy.run("python", "stages/code_digests.py", "params.yaml")
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


@pytest.mark.parametrize("fault", ["a dvc.yaml that is cut", "a dvc.lock of nothing"])
def test_snakemake_names_a_damaged_file(fault, project):
    name, content, message = FILES[fault]
    with damaged(Path(name), lambda _: content):
        assert message in snakemake(project)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("experiment=typo", "no experiment 'typo'; the known ones are demo, captions,"),
        ("experiment=2015-01-01", "no experiment '2015-01-01'"),  # a date to Snakemake
        ("experimnt=wmt14", "--config: unknown key 'experimnt'; did you mean 'experiment'?"),
        ("cores=1", "--config: unknown key 'cores'; the known ones are experiment, conda"),
    ],
)
def test_snakemake_refuses_a_configuration_that_names_nothing(project, config, message):
    assert message in snakemake(project, "--config", config)


def test_snakemake_names_an_order_that_cannot_be_written(project):
    Path(".stages/demo/corpus.order.json").mkdir(parents=True)
    place = ".stages/demo/corpus.order.json"
    assert f"{place}: a file is to be written here, and a folder is in its" in snakemake(project)
    shutil.rmtree(".stages/demo")


def test_a_plan_that_cannot_be_printed_ends_with_a_message(project, monkeypatch, capfd):
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        status = run("attnmt", "plan")
        monkeypatch.undo()
    assert status == 2
    message = "error: standard output: No space left on device"
    assert capfd.readouterr().err.startswith(message)
