"""DVC and Snakemake run the same graph, one after the other, and agree on what is done."""

import json
import re
import shutil
from pathlib import Path

import pytest
from project import BEST, GRU, MEMBERS, SYSTEMS, Project

from attnmt.scoring.score_table import read_score_table

MEMBER = f"train@{MEMBERS[0]}"


def test_the_two_graphs_have_the_same_edges(project):
    dot = project.run("snakemake", "--quiet", "--dag", "dot")
    names = dict(re.findall(r'^\s*(\d+)\[label = "([^"\\]+)', dot, re.MULTILINE))
    pairs = re.findall(r"^\s*(\d+) -> (\d+)$", dot, re.MULTILINE)
    edges = {(names[before], names[after]) for before, after in pairs if names[after] != "all"}
    assert edges
    # Snakemake does without the stage depends.
    assert edges == {edge for edge in project.edges() if edge[0] != "depends"}


@pytest.mark.parametrize(
    ("options", "stages"),
    [
        (
            ["--mode", "remote", "--nolock"],
            {"train", "translate"},
        ),  # as the plug-ins for clusters do
        (["--resources", "gpu=1"], {"train", "translate"}),
        (["--resources", "gpu=0"], set()),
    ],
)
def test_where_a_gpu_is_promised_a_stage_that_asks_for_one_looks_for_it(project, options, stages):
    shown = project.run("snakemake", "-n", "--printshellcmds", *options)
    assert {*re.findall(r"promised_gpu && python stages/(\w+)\.py", shown)} == stages


def test_after_snakemake_both_engines_find_nothing_to_do(built):
    assert built.repro() == set()
    assert built.plan() == set()


def test_both_engines_make_the_same_bytes(built, tmp_path):
    """So where the demo is made from a fresh clone, git finds nothing to commit."""
    other = built.clone(tmp_path / "other")
    # Git has the results of gather and report, and what they are made of is the same again.
    made = {stage for edge in built.edges() for stage in edge} - {"gather", "report"}
    assert other.repro() == made
    assert other.results() == built.results()
    assert other.run("git", "status", "--porcelain") == ""


def test_the_report_is_made_without_a_model_from_what_models_have_made(built, tmp_path):
    packer, other = built.copy(tmp_path / "packer"), built.clone(tmp_path / "other")
    script, archives = "experiments/outputs.py", Path("experiments/demo/outputs")
    packer.run("python", script, "pack", "demo", "1")
    (packer.folder / archives).rename(other.folder / archives)
    shutil.rmtree(other.folder / "reports/demo")
    other.run("python", script, "report", "demo")
    assert other.run("git", "status", "--porcelain", "reports") == ""
    assert not list(other.folder.glob("models/**/*.safetensors"))


def test_dvc_shows_scores_and_learning_curves(built):
    shown = json.loads(built.run("dvc", "metrics", "show", "--json"))[""]["data"]
    scores = shown[f"scores/demo/{MEMBERS[0]}.json"]["data"]
    # It has no attention, so it has no AER
    assert scores["test1"].keys() == {"ppl", "bleu", "bleu_unk"}
    numbers = read_score_table("demo", built.folder)
    aer = numbers.training("ensemble", "aer", "test1").value
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


def test_the_page_links_to_files_and_git_gets_only_reports_and_the_lock(built):
    page = built.folder / "reports/demo/index.html"
    links = set(re.findall(r'href="((?:tables|figures)/[^"]+)"', page.read_text()))
    assert {"tables/table1.csv", "tables/table_cost.csv", "figures/figure5.svg"} <= links
    assert [link for link in links if not (page.parent / link).is_file()] == []
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
    assert clone.plan() == set()


def test_snakemake_reruns_what_changed_and_what_follows(clone):
    """One system has other parameters and another is gone: its outputs are set aside."""
    changed = {"systems": ["base_reverse", BEST], f"{SYSTEMS}systems.{MEMBERS[0]}.dropout": 0.1}
    clone.hide_mlflow().use(changed)
    assert clone.snakemake() == clone.following(MEMBER)
    assert not (clone.folder / f"scores/demo/{GRU}.csv").exists()
    assert (clone.folder / f"set-aside/scores/demo/{GRU}.csv").exists()
    clone.run("attnmt", "commit")
    assert clone.repro() == set()
