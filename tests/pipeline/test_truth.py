"""Both engines know whether outputs were made by the present code, parameters and inputs."""

import os
import re
import time

import pytest
import yaml
from project import BEST, GRU, MEMBERS, MODELS, Project

MEMBER = MEMBERS[0]
# What is edited, and the stages that it makes stale. tests/unit/test_dependencies.py has each room.
EDITS = (
    (
        "src/attnmt/model/windows/local_p.py",
        ("2 * sigma**2", "2.0 * sigma**2"),
        {f"train@{BEST}", f"translate@{BEST}", "ensemble@ensemble"},
    ),
    (
        "src/attnmt/config/text.py",  # a default
        ("length: PositiveInt | None = None", "length: PositiveInt | None = 500"),
        {"encode@luong", "encode@luong_bpe", "gather", "report"}
        | {f"evaluate@{one}" for one in MEMBERS}
        | {"evaluate_ensemble@ensemble"},
    ),
    ("src/attnmt/reporting/page_parts/style.css", ("{", "{color: inherit; "), {"report"}),
    # A comment, a docstring, and code that no stage runs
    ("src/attnmt/text/tokenizer.py", ("import ", "# a comment\nimport "), set()),
    ("stages/dictionary.py", ('"""', '"""Do: '), set()),
    ("src/attnmt/commands/commit.py", ("import typer\n", "import typer\n\nCHANGED = 1\n"), set()),
)


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
    project.run("dvc", "repro", "--quiet", "depends")
    status = project.run("dvc", "status", "dvc.yaml")
    return set(re.findall(r"^(\S+):$", status, re.MULTILINE))


def test_edits_make_the_same_stages_stale_in_both_engines_and_are_not_committed(copy):
    stale = set()
    for file, change, stages in EDITS:
        edit(copy, file, *change)
        stale |= stages
    assert copy.plan() == copy.following(*stale)
    assert stale_in_dvc(copy) == stale
    with pytest.raises(AssertionError, match=rf"train@{MEMBER}"):
        copy.run("attnmt", "commit")


def test_a_training_by_hand_after_a_change_starts_again_and_is_done_for_both_engines(copy):
    train = ("python", "stages/train.py", "params.yaml", MEMBER)
    provenance = copy.folder / f"runs/demo/{MEMBER}.json"
    copy.run(*train)
    first = yaml.safe_load(provenance.read_text())
    edit(copy, "src/attnmt/model/encoders/recurrent.py", "e = shape", "e = 0 + shape")
    copy.commit()
    log, second = copy.run(*train), yaml.safe_load(provenance.read_text())
    assert "training from the beginning" in log
    assert "resuming" not in log
    assert first["code"] != second["code"]
    assert second["commits"] == copy.run("git", "rev-parse", "HEAD").strip()
    trainings = {f"train@{one}" for one in MODELS}
    assert copy.plan() == copy.following(*trainings) - {f"train@{MEMBER}"}
    with pytest.raises(AssertionError, match="out of date"):
        copy.run("attnmt", "commit")  # it commits that stage, but not those that follow
    assert stale_in_dvc(copy) & trainings == trainings - {f"train@{MEMBER}"}


def test_the_outputs_of_a_removed_model_are_set_aside_until_it_is_there_again(copy):
    copy.use({"systems": ["base_reverse", BEST]})
    assert {"gather", "report"} <= copy.snakemake()
    assert not (copy.folder / "scores/demo/gru_self.csv").exists()
    assert (copy.folder / "set-aside/scores/demo/gru_self.csv").exists()
    copy.run("attnmt", "commit")
    assert "up to date" in copy.run("dvc", "status", "dvc.yaml")
    copy.use({"systems": ["base_reverse", BEST, GRU]})
    assert copy.plan() == {"gather", "report"}
    assert (copy.folder / "scores/demo/gru_self.csv").exists()


def test_what_follows_does_not_run_again_if_what_it_reads_came_out_the_same(copy):
    edit(copy, "src/attnmt/corpora/plain.py", "LINKS\n", "LINKS\n\nCHANGED = 1\n")
    provenance = [copy.folder / f"runs/demo/{one}.json" for one in MODELS]
    before = [path.read_bytes() for path in provenance]
    assert copy.snakemake() > {"corpus", *(f"train@{one}" for one in MODELS)}
    assert [path.read_bytes() for path in provenance] == before
    assert copy.plan() == set()


def test_dvc_does_not_go_on_with_the_trainings_of_other_parameters(copy):
    copy.change({"seeds": {MEMBER: 2}})
    with pytest.raises(AssertionError, match=r"trainings\.yaml"):
        copy.run("dvc", "repro")


def test_content_decides_where_a_clock_was_ahead(copy):
    later = time.time() + 3600
    for path in copy.folder.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            os.utime(path, (later, later))
    copy.change({"evaluation.bootstrap_samples": 120})
    planned = copy.plan()
    assert {f"evaluate@{one}" for one in MODELS} < planned
    assert copy.snakemake() == planned
    assert copy.plan() == set()


def test_dvc_reads_every_experiment_at_a_revision(copy):
    copy.change({"dictionary.min_count": 5})
    assert "dictionary.min_count" in copy.run("dvc", "params", "diff", "HEAD")
    assert "dictionary.min_count" in copy.run("dvc", "exp", "show", "--csv")
