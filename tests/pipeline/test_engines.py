"""DVC and Snakemake run the same graph, one after the other, and agree on what is done."""

import json
import re
from pathlib import Path

import pytest
from project import MEMBERS, SYSTEMS, Project

from attnmt.scoring.score_table import read_score_table

MEMBER = f"train@{MEMBERS[0]}"
OTHER_MEMBER = {f"{SYSTEMS}systems.{MEMBERS[0]}.dropout": 0.1}
OTHER_ENCODING = {"families.gru.encoding.length": 5}


def test_the_two_graphs_have_the_same_edges(project):
    dot = project.run("snakemake", "--quiet", "--dag", "dot")
    names = dict(re.findall(r'^\s*(\d+)\[label = "([^"\\]+)', dot, re.MULTILINE))
    pairs = re.findall(r"^\s*(\d+) -> (\d+)$", dot, re.MULTILINE)
    edges = {(names[before], names[after]) for before, after in pairs if names[after] != "all"}
    assert edges
    assert edges == {
        edge for edge in project.edges() if edge[0] != "depends"
    }  # Snakemake does without it


@pytest.mark.parametrize("gpu", [True, False])
def test_in_a_job_elsewhere_a_stage_that_asks_for_a_gpu_looks_for_it_first(project, gpu):
    """As the plug-ins for clusters call Snakemake. With --resources gpu=0 no stage asks for one."""
    options = ("--mode", "remote", "--nolock", *(() if gpu else ("--resources", "gpu=0")))
    shown = project.run("snakemake", "-n", "--printshellcmds", *options)
    looking = set(re.findall(r"promised_gpu && python stages/(\w+)\.py", shown))
    assert looking == ({"train", "translate"} if gpu else set())


def test_after_snakemake_both_engines_find_nothing_to_do(built):
    assert "up to date" in built.run("dvc", "status", "dvc.yaml")
    assert built.repro() == set()
    assert built.plan() == set()


def test_both_engines_make_the_same_bytes(built, tmp_path):
    """So where the demo is made from a fresh clone, git finds nothing to commit."""
    other = built.clone(tmp_path / "other")
    assert other.repro() == {stage for edge in built.edges() for stage in edge}
    assert other.results() == built.results()
    assert other.run("git", "status", "--porcelain") == ""


def test_dvc_shows_scores_and_learning_curves(built):
    shown = json.loads(built.run("dvc", "metrics", "show", "--json"))[""]["data"]
    scores = shown[f"scores/demo/{MEMBERS[0]}.json"]["data"]
    # It has no attention, so it has no AER
    assert scores["test1"].keys() == {"ppl", "bleu", "bleu_unk"}
    numbers = read_score_table("demo", built.folder)
    aer = numbers.training("ensemble", "aer_chosen", "test1").value
    assert shown["scores/demo/ensemble.json"]["data"]["test1"]["aer"] == aer
    shown = built.run("dvc", "plots", "show", "--json")
    assert f"{MEMBERS[0]}/history.csv" in shown
    assert "dev_cost" in shown


def test_an_experiment_of_dvc_has_scores_and_leaves_nothing_that_git_cannot_undo(built, tmp_path):
    copy = built.copy(tmp_path / "copy").hide_mlflow()
    copy.commit()
    copy.run("dvc", "exp", "run", "-S", "decoding.beam=1", f"evaluate@{MEMBERS[0]}")
    shown = copy.run("dvc", "exp", "show", "--csv")
    assert f"scores/demo/{MEMBERS[0]}.json:test1.bleu" in shown.splitlines()[0]
    copy.run("git", "checkout", "params.yaml", "dvc.lock")
    assert copy.run("git", "status", "--porcelain") == ""


def test_every_training_and_the_report_are_in_mlflow(first_built):
    """The trainings are too short to be tracked live: the report stage imports them."""
    assert "MLflow has everything already." in first_built.run("attnmt", "track").splitlines()
    logs = [path.read_text() for path in (first_built.folder / "logs/demo").glob("*.log")]
    assert not [log for log in logs if "MLflow could not" in log]


def test_every_file_that_the_page_links_to_is_there(built):
    page = built.folder / "reports/demo/index.html"
    links = set(re.findall(r'href="((?:tables|figures)/[^"]+)"', page.read_text()))
    assert {"tables/table1.csv", "tables/table_cost.csv", "figures/figure5.svg"} <= links
    assert [link for link in links if not (page.parent / link).is_file()] == []


def test_a_run_leaves_nothing_for_git_but_reports_and_the_lock(built):
    assert built.run("git", "status", "--porcelain") == ""
    changed = built.run("git", "diff", "--name-only", "HEAD~1").split()
    assert "dvc.lock" in changed
    assert {Path(name).parts[0] for name in changed} <= {"dvc.lock", "reports"}


@pytest.fixture(scope="module")
def clone(built, remote, tmp_path_factory) -> Project:
    """Return what a colleague has after git clone and dvc pull; no stage has run there."""
    other = built.clone(tmp_path_factory.mktemp("clone") / "clone")
    other.set_remote(remote)
    other.run("dvc", "pull", "dvc.yaml")
    return other


def test_after_clone_and_pull_snakemake_finds_nothing_to_do(clone):
    assert not list(clone.folder.rglob(".snakemake_timestamp"))
    assert clone.plan() == set()


def test_snakemake_reruns_what_changed_and_what_follows(clone, tmp_path):
    copy = clone.copy(tmp_path / "copy").hide_mlflow()
    first = (copy.folder / "params.yaml").read_text()
    copy.change(OTHER_ENCODING)
    assert copy.plan() == copy.following("encode@gru")
    (copy.folder / "params.yaml").write_text(first)
    copy.change(OTHER_MEMBER)
    assert copy.snakemake() == copy.following(MEMBER)
    copy.run("attnmt", "commit")
    assert copy.repro() == set()


def test_dvc_reruns_what_changed_and_what_follows(built, tmp_path):
    copy = built.copy(tmp_path / "copy").hide_mlflow()
    file = copy.folder / "systems.yaml"
    first = file.read_text()
    copy.change(OTHER_MEMBER)
    changed = copy.following(MEMBER)
    assert copy.repro() == changed | {"depends"}
    assert copy.plan() == set()
    # Snakemake has seen only the first parameters; it must not take these outputs for theirs.
    file.write_text(first)
    assert copy.plan() == changed
