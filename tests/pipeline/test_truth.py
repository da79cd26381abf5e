"""Both engines know whether outputs were made by the present code, parameters and inputs."""

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from project import BEST, MEMBERS, ROOT, SYSTEMS, Project

from attnmt.workflow.code import code_of

SCRIPTS = sorted({path.stem for path in (ROOT / "stages").glob("*.py")} - {"code_digests"})
ATTENTION = "src/attnmt/model/attention/layer.py"
MEMBER = MEMBERS[0]


@pytest.fixture
def copy(built: Project, tmp_path: Path) -> Project:
    return built.copy(tmp_path / "copy").hide_mlflow()


def edit(project: Project, file: str, old: str, new: str) -> None:
    path = project.folder / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    os.utime(path, (0, 0))  # as rsync -a or touch -d would leave it


def stale_in_dvc(project: Project) -> set[str]:
    """Return the stages that DVC finds changed, once the digests of the code are up to date."""
    project.run("dvc", "repro", "--quiet", "code")
    status = project.run("dvc", "status", "dvc.yaml")
    return set(re.findall(r"^(\S+):$", status, re.MULTILINE))


def stages_of(project: Project, scripts: set[str]) -> set[str]:
    """Return the stages that run one of the scripts."""
    edges = project.edges()
    names = {name for edge in edges for name in edge}
    kinds = scripts | ({"ensemble"} if scripts & {"translate", "evaluate"} else set())
    return {name for name in names if name.partition("@")[0] in kinds}


CHANGES = {  # file, old text, new text
    "the attention": (ATTENTION, "import torch\n", "import torch\n\nCHANGED = 1\n"),
    "the error rate": ("src/attnmt/scoring/aer.py", "\ndef ", "\nCHANGED = 1\n\n\ndef "),
    "a template": ("src/attnmt/reporting/page_parts/style.css", "{", "{ color: red;"),
    "a stage": ("stages/encode.py", "if __name__", "CHANGED = 1\n\nif __name__"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_changed_line_makes_its_stages_stale_in_both_engines(copy: Project, what: str) -> None:
    file, old, new = CHANGES[what]
    name = file.removeprefix("src/").removesuffix(".py")
    name = name.replace("/", ".") if file.endswith(".py") and "src" in file else f"{name}"
    name = file if file.startswith("stages/") else name
    scripts = {s for s in SCRIPTS if name in code_of(ROOT / f"stages/{s}.py")}
    edit(copy, file, old, new)
    assert scripts
    expected = stages_of(copy, scripts)
    plan = copy.plan()
    assert expected <= plan
    assert plan == copy.following(*expected)
    assert stale_in_dvc(copy) == expected


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (ATTENTION, "import torch\n", "import torch  # a comment\n"),
        (ATTENTION, '"""', '"""More words. '),
        ("stages/train.py", '"""Train', '"""Do train'),
        ("src/attnmt/commands/plan.py", "import typer\n", "import typer\n\nCHANGED = 1\n"),
    ],
)
def test_a_comment_a_docstring_or_code_that_no_stage_runs_makes_nothing_stale(
    copy: Project, file: str, old: str, new: str
) -> None:
    edit(copy, file, old, new)
    assert copy.plan() == set()
    assert stale_in_dvc(copy) == set()


def test_nothing_is_committed_that_other_code_made(copy: Project) -> None:
    edit(copy, ATTENTION, "import torch\n", "import torch\n\nCHANGED = 1\n")
    before = (copy.folder / "dvc.lock").read_text()
    with pytest.raises(AssertionError, match=rf"these stages are out of date: .*train@{MEMBER}"):
        copy.run("attnmt", "commit")
    after = yaml.safe_load((copy.folder / "dvc.lock").read_text())["stages"]
    unchanged = yaml.safe_load(before)["stages"]
    assert {name for name in after if after[name] != unchanged[name]} <= {"code"}


def test_a_lock_committed_by_force_over_old_outputs_is_not_believed(copy: Project) -> None:
    edit(copy, ATTENTION, "import torch\n", "import torch\n\nCHANGED = 1\n")
    copy.run("dvc", "commit", "--force", "--quiet", "dvc.yaml")  # before anything saw the change
    assert f"train@{MEMBER}" in copy.plan()
    copy.run("dvc", "commit", "--force", "--quiet", "dvc.yaml")  # and after
    assert f"train@{MEMBER}" in copy.plan()
    with pytest.raises(AssertionError, match=rf"these stages are out of date: .*train@{MEMBER}"):
        copy.run("attnmt", "commit")


def test_a_stage_run_by_hand_is_done_for_both_engines(copy: Project) -> None:
    copy.change({f"{SYSTEMS}systems.{MEMBER}.dropout": 0.1})
    copy.run("python", "stages/train.py", "params.yaml", MEMBER)
    following = copy.following(f"train@{MEMBER}") - {f"train@{MEMBER}"}
    assert copy.plan() == following
    with pytest.raises(AssertionError, match="these stages are out of date"):
        copy.run("attnmt", "commit")  # it commits that stage, but not those that follow
    assert f"train@{MEMBER}" not in stale_in_dvc(copy)


def test_the_outputs_of_a_removed_model_are_set_aside(copy: Project, remote: Path) -> None:
    copy.use({"systems": ["base_reverse", BEST]})
    assert {"tables", "report"} <= copy.snakemake()
    assert not (copy.folder / "scores/demo/gru_self.json").exists()
    assert (copy.folder / "set-aside/scores/demo/gru_self.json").exists()
    copy.run("attnmt", "commit")
    assert copy.repro() == set()
    copy.run("dvc", "push", "dvc.yaml")
    copy.commit()
    clone = copy.clone(copy.folder.parent / "clone")
    clone.set_remote(remote)
    clone.run("dvc", "pull", "dvc.yaml")
    assert "up to date" in clone.run("dvc", "status", "dvc.yaml")


def test_a_training_by_hand_after_a_change_starts_again_and_names_its_commit(copy: Project) -> None:
    train = ("python", "stages/train.py", "params.yaml", MEMBER)
    model = copy.folder / "models/demo" / MEMBER
    first = [copy.run(*train), yaml.safe_load((model / "provenance.json").read_text())]
    edit(copy, ATTENTION, "import torch\n", "import torch\n\nCHANGED = 1\n")
    copy.commit()
    second = [copy.run(*train), yaml.safe_load((model / "provenance.json").read_text())]
    assert "training from the beginning" in second[0]
    assert "resuming" not in second[0]
    assert first[1]["code"] != second[1]["code"]
    head = copy.run("git", "rev-parse", "HEAD").strip()
    assert second[1]["commits"] == [head]
    third = [copy.run(*train), yaml.safe_load((model / "provenance.json").read_text())]
    assert "resuming" in third[0]
    assert third[1]["started"] == second[1]["started"]
    copy.change({"machine.other_code": "refuse"})
    edit(copy, ATTENTION, "CHANGED = 1", "CHANGED = 2")
    refused = subprocess.run(
        train, cwd=copy.folder, env=copy.environment, capture_output=True, text=True, check=False
    )
    assert refused.returncode == 2
    assert "other code wrote these checkpoints" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_dvc_reads_every_experiment_at_a_revision(copy: Project) -> None:
    copy.change({"dictionary.min_count": 5})
    assert "dictionary.min_count" in copy.run("dvc", "params", "diff", "HEAD")
    shown = copy.run("dvc", "exp", "show", "--csv")
    assert "params.yaml:dictionary.min_count" in shown or "dictionary.min_count" in shown
