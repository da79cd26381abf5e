"""DVC and Snakemake run the same graph, one after the other, and agree on what is done."""

import json
import re
from pathlib import Path

import pytest
from project import MEMBERS, SYSTEMS, Project

MEMBER = f"train@{MEMBERS[0]}"
OTHER_MEMBER = {f"{SYSTEMS}systems.{MEMBERS[0]}.dropout": 0.1}
OTHER_ENCODING = {"families.course.encoding.length": 5}


@pytest.mark.parametrize("experiment", ["demo", "wmt14"])
def test_the_two_graphs_have_the_same_edges(project, tmp_path, experiment):
    copy = project.copy(tmp_path / "copy")
    dot = copy.run("snakemake", "--quiet", "--dag", "dot", "--config", f"experiment={experiment}")
    names = dict(re.findall(r'^\s*(\d+)\[label = "([^"\\]+)', dot, re.MULTILINE))
    pairs = re.findall(r"^\s*(\d+) -> (\d+)$", dot, re.MULTILINE)
    edges = {(names[before], names[after]) for before, after in pairs if names[after] != "all"}
    assert edges
    declared = copy.edges("" if experiment == "demo" else f"experiments/{experiment}/")
    assert edges == {edge for edge in declared if edge[0] != "code"}  # Snakemake does without it


def test_only_in_a_job_elsewhere_a_stage_that_asks_for_a_gpu_looks_for_it_first(project, tmp_path):
    """With --resources gpu=0 no stage asks for one."""
    copy = project.copy(tmp_path / "copy")
    elsewhere = ("--mode", "remote", "--nolock")  # as the plug-ins for clusters call Snakemake
    looking = []
    for options in ((), elsewhere, (*elsewhere, "--resources", "gpu=0")):
        shown = copy.run("snakemake", "-n", "--printshellcmds", *options)
        commands = re.findall(r"stages/(\w+)\.py", shown)
        looking.append(set(re.findall(r"promised_gpu && python stages/(\w+)\.py", shown)))
        assert {"tokens", "train", "translate", "report"} <= {*commands}
    assert looking == [set(), {"train", "translate"}, set()]


def test_after_snakemake_both_engines_find_nothing_to_do(built):
    assert "up to date" in built.run("dvc", "status", "dvc.yaml")
    assert built.repro() == set()
    assert built.plan() == set()


def test_both_engines_make_the_same_bytes(built, tmp_path):
    """All outputs agree except those that say when and how fast a stage ran. MLflow changes none."""
    other = built.clone(tmp_path / "other").hide_mlflow()
    (other.folder / "dvc.lock").unlink()
    assert other.repro() == {stage for edge in built.edges() for stage in edge}
    assert len(built.digests()) > 40
    assert other.digests() == built.digests()


def test_dvc_shows_scores_and_learning_curves(built):
    shown = built.run("dvc", "metrics", "show", "--json", "reports/demo/metrics.json")
    by_model = json.loads(shown)[""]["data"]["reports/demo/metrics.json"]["data"]
    scores = by_model[MEMBERS[0]]
    assert scores.keys() == {"dev", "test1", "test2"}
    # It has no attention, so it has no AER
    assert scores["test1"].keys() == {"ppl", "bleu", "bleu_unk"}
    assert scores["dev"].keys() == {"ppl"}
    assert "aer" in by_model["ensemble"]["test1"]
    # Around the JSON, DVC says that experiments without a run have nothing to show.
    shown = built.run("dvc", "plots", "show", "--json")
    plots, _ = json.JSONDecoder().raw_decode(shown[shown.index("{") :])
    curves = json.dumps(plots["data"]["Learning curves"])
    assert f"{MEMBERS[0]}/history.csv" in curves
    assert "dev_cost" in curves


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
    assert {Path(name).parts[0] for name in changed} <= {"dvc.lock", "reports", "code"}


@pytest.fixture(scope="module")
def clone(built, remote, tmp_path_factory) -> Project:
    """Return what a colleague has after git clone and dvc pull; no stage has run there."""
    other = built.clone(tmp_path_factory.mktemp("clone") / "clone")
    other.set_remote(remote)
    other.run("dvc", "pull", "dvc.yaml")
    return other


def test_snakemakes_timestamps_are_neither_in_git_nor_in_the_cache(clone):
    assert not list(clone.folder.rglob(".snakemake_timestamp"))


def test_after_clone_and_pull_snakemake_finds_nothing_to_do(clone):
    assert clone.plan() == set()


def test_snakemake_reruns_what_changed_and_what_follows(clone, tmp_path):
    copy = clone.copy(tmp_path / "copy").hide_mlflow()
    first = (copy.folder / "params.yaml").read_text()
    copy.change(OTHER_ENCODING)
    assert copy.plan() == copy.following("encode@course")
    (copy.folder / "params.yaml").write_text(first)
    copy.change(OTHER_MEMBER)
    assert copy.snakemake() == copy.following(MEMBER)
    copy.run("attnmt", "commit")
    assert copy.repro() == set()


def test_dvc_reruns_what_changed_and_what_follows(built, tmp_path):
    copy = built.copy(tmp_path / "copy").hide_mlflow()
    files = [copy.folder / name for name in ("params.yaml", "systems.yaml")]
    first = [file.read_text() for file in files]
    copy.change(OTHER_ENCODING | OTHER_MEMBER)
    changed = copy.following("encode@course", MEMBER)
    assert copy.repro() == changed | {"code"}
    assert copy.plan() == set()
    # Snakemake has seen only the first parameters; it must not take these outputs for theirs.
    for file, text in zip(files, first, strict=True):
        file.write_text(text)
    assert copy.plan() == changed
