"""Every experiment is the same graph: dvc.yaml declares the same stages, whatever the parameters."""

import re
from contextlib import chdir
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from dvc.repo import Repo, lock_repo
from project import ROOT

from attnmt.config import load_params
from attnmt.workflow.graph import Stage, read_stages

EXPERIMENTS = ["demo", *sorted(file.parent.name for file in ROOT.glob("experiments/*/dvc.yaml"))]
DECLARED: dict[str, Any] = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]


def params_file(experiment: str) -> str:
    return "params.yaml" if experiment == "demo" else f"experiments/{experiment}/params.yaml"


@cache
def stages(experiment: str) -> list[Stage]:
    with chdir(ROOT):
        return read_stages(experiment)


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_experiments_share_one_declaration(experiment):
    """So all have the same stages. `make format` writes them: DVC reads no link at a revision."""
    file = ROOT / Path(params_file(experiment)).with_name("dvc.yaml")
    assert not file.is_symlink()
    assert file.read_bytes() == (ROOT / "dvc.yaml").read_bytes()


def test_the_declaration_names_nothing_of_one_experiment():
    params = load_params(ROOT / "params.yaml", ROOT)
    own = {params.experiment, *params.families, *params.trainings}
    assert own.isdisjoint(re.findall(r"[\w-]+", (ROOT / "dvc.yaml").read_text()))


@pytest.mark.parametrize("name", [name for name in DECLARED if name != "depends"])
def test_every_stage_depends_on_the_code_that_it_runs(name):
    stage = DECLARED[name].get("do", DECLARED[name])
    script = re.fullmatch(r"python (stages/\w+\.py) \$\{params_file\}( \$\{\w+\})?", stage["cmd"])
    key = f"/{script[2].strip()}" if script[2] else ""
    read = [path for path in stage["deps"] if path.startswith("depends/")]
    assert {*read} == {f"depends/${{experiment}}/{name}{key}.json"}
    assert (ROOT / script[1]).exists()


def test_only_the_report_is_kept_in_git():
    for stage in stages("demo"):
        roots = {Path(output).parts[0] for output in stage.outputs}
        kind = stage.name.partition("@")[0]
        assert ("reports" in roots) == (kind in ("gather", "report"))


def test_stages_are_read_while_dvc_holds_its_lock():
    with chdir(ROOT), Repo() as repo, lock_repo(repo):
        assert read_stages("captions-short")
