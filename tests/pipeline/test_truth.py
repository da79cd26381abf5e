"""Both engines know whether outputs were made by the present code, parameters and inputs."""

import os
import re
import subprocess

import pytest
import yaml
from project import BEST, MEMBERS, SYSTEMS, Project

TRANSLATOR = "src/attnmt/model/translator.py"
CHANGED = "shape.init\n", "shape.init + 0\n"  # how weights are drawn, which only a training does
ATTENTION = "src/attnmt/model/attention"
MEMBER, SECOND = MEMBERS[0], f"{BEST}_2"
NEW_SCORE = "class Location(Score):", "class Own(Score):\n    pass\n\n\nclass Location(Score):"
# What is edited, and the stages that it makes stale. tests/unit/test_stale.py has a line of each room.
EDITS = {
    "a window": (
        f"{ATTENTION}/windows.py",
        ("or self.D / 2\n", "or self.D / 2.0\n"),
        {f"{kind}@{one}" for kind in ("train", "translate") for one in (BEST, SECOND)}
        | {"ensemble@ensemble", "gather"},
    ),
    "a new score": (f"{ATTENTION}/scores.py", NEW_SCORE, set()),
    "a default": (
        "src/attnmt/config/text.py",
        ("length: PositiveInt | None = None", "length: PositiveInt | None = 500"),
        {"encode@luong", "encode@luong_bpe", "gather", "report"},
    ),
    "a style sheet": (
        "src/attnmt/reporting/page_parts/style.css",
        ("{", "{color: inherit; "),
        {"report"},
    ),
    "what carries": ("src/attnmt/files/atomic.py", ("import os\n", "import os\n\nX = 1\n"), set()),
}


@pytest.fixture
def copy(built, tmp_path) -> Project:
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


@pytest.mark.parametrize(("file", "change", "stale"), EDITS.values(), ids=EDITS)
def test_an_edit_makes_the_same_stages_stale_in_both_engines(copy, file, change, stale):
    edit(copy, file, *change)
    assert copy.plan() == copy.following(*stale)
    assert stale_in_dvc(copy) == stale


def test_a_comment_a_docstring_or_code_that_no_stage_runs_makes_nothing_stale(copy):
    edit(copy, TRANSLATOR, "import torch\n", "import torch  # a comment\n")
    edit(copy, TRANSLATOR, '"""', '"""More words. ')
    edit(copy, "stages/train.py", '"""Train', '"""Do train')
    edit(copy, "src/attnmt/commands/plan.py", "import typer\n", "import typer\n\nCHANGED = 1\n")
    assert copy.plan() == set()
    assert stale_in_dvc(copy) == set()


def test_what_other_code_made_is_neither_committed_nor_believed_if_it_is(copy):
    edit(copy, TRANSLATOR, *CHANGED)
    lock = copy.folder / "dvc.lock"
    before = yaml.safe_load(lock.read_text())["stages"]
    with pytest.raises(AssertionError, match=rf"these stages are out of date: .*train@{MEMBER}"):
        copy.run("attnmt", "commit")
    after = yaml.safe_load(lock.read_text())["stages"]
    assert {name for name in after if after[name] != before[name]} <= {"code"}
    copy.run("dvc", "commit", "--force", "--quiet", "dvc.yaml")
    assert f"train@{MEMBER}" in copy.plan()
    with pytest.raises(AssertionError, match=rf"these stages are out of date: .*train@{MEMBER}"):
        copy.run("attnmt", "commit")


def test_a_stage_run_by_hand_is_done_for_both_engines(copy):
    copy.change({f"{SYSTEMS}systems.{MEMBER}.dropout": 0.1})
    copy.run("python", "stages/train.py", "params.yaml", MEMBER)
    following = copy.following(f"train@{MEMBER}") - {f"train@{MEMBER}"}
    assert copy.plan() == following
    with pytest.raises(AssertionError, match="these stages are out of date"):
        copy.run("attnmt", "commit")  # it commits that stage, but not those that follow
    assert f"train@{MEMBER}" not in stale_in_dvc(copy)


def test_the_outputs_of_a_removed_model_are_set_aside(copy):
    copy.use({"systems": ["base_reverse", BEST]})
    assert {"gather", "report"} <= copy.snakemake()
    assert not (copy.folder / "scores/demo/gru_self.csv").exists()
    assert (copy.folder / "set-aside/scores/demo/gru_self.csv").exists()
    copy.run("attnmt", "commit")
    assert "up to date" in copy.run("dvc", "status", "dvc.yaml")


def test_a_training_by_hand_after_a_change_starts_again_and_names_its_commit(copy):
    train = ("python", "stages/train.py", "params.yaml", MEMBER)
    model = copy.folder / "models/demo" / MEMBER
    first = [copy.run(*train), yaml.safe_load((model / "provenance.json").read_text())]
    edit(copy, TRANSLATOR, *CHANGED)
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
    edit(copy, TRANSLATOR, "init + 0", "init + 0 + 0")
    refused = subprocess.run(train, stdout=subprocess.PIPE, check=False, **copy.shell)
    assert refused.returncode == 2
    assert "other code wrote these checkpoints" in refused.stdout
    assert "Traceback" not in refused.stdout


def test_dvc_reads_every_experiment_at_a_revision(copy):
    copy.change({"dictionary.min_count": 5})
    assert "dictionary.min_count" in copy.run("dvc", "params", "diff", "HEAD")
    shown = copy.run("dvc", "exp", "show", "--csv")
    assert "params.yaml:dictionary.min_count" in shown or "dictionary.min_count" in shown
