"""docs/extending.md: each of its recipes, applied as it stands to a copy of the project, works."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from extending_page import blocks, parts_known
from made_scores import made_tests, write_all, write_scores
from project import TINY, Project, checkout

from attnmt.config import Params, load_params
from attnmt.files.text_file import read_json, read_lines
from attnmt.reporting.compare import make_tables
from attnmt.scoring.seed_runs import Study

SCORE, ENCODER = "global_low_rank_feed", "both_ways"  # the systems with parts of one's own
OPTIMIZERS = {"base_adam": "adam", "base_nesterov": "Nesterov"}
SYSTEMS = [
    "base",
    "base_reverse",
    "base_reverse_dropout",
    "more_dropout",
    SCORE,
    ENCODER,
    *OPTIMIZERS,
]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return a copy of the project to which all recipes are applied, its demo made small."""
    copy = checkout(tmp_path_factory.mktemp("extended") / "project")
    (copy.folder / "dvc.lock").unlink(missing_ok=True)
    for block in blocks():
        if block.file is not None:
            block.apply(copy.folder)
        else:
            copy.run("bash", "-euc", block.text)
    seeds = yaml.safe_load((copy.folder / "params.yaml").read_text())["seeds"]  # the recipe's
    small = {key: value for key, value in TINY.items() if not key.startswith("systems.yaml:")}
    copy.shorten_text()
    copy.change(small | {"systems": SYSTEMS, "seeds": seeds})
    copy.run("python", "-m", "attnmt.config.generated")
    copy.run("git", "init", "--quiet")
    return copy


@pytest.fixture
def params(project: Project, monkeypatch: pytest.MonkeyPatch) -> Iterator[Params]:
    """Return the parameters of the extended demo, in whose folder the test runs."""
    monkeypatch.chdir(project.folder)
    with parts_known():
        yield load_params(Path("params.yaml"))


def test_both_engines_know_what_was_added_and_dvc_runs_it(project: Project) -> None:
    trained = [f"train@{system}" for system in (SCORE, ENCODER, *OPTIMIZERS)]
    added = {*trained, "frequent", "train@more_dropout", "train@base_reverse_2"}
    assert added | {"ensemble@small_ensemble"} <= project.plan()
    project.run("dvc", "repro", *trained, "frequent")
    for system, part in ((SCORE, {"score": "LowRank"}), (ENCODER, {"encoder": "BothWays"})):
        config = read_json(project.folder / f"models/demo/{system}/config.json")
        assert part.items() <= config["system"].items()
    for system, optimizer in OPTIMIZERS.items():
        config = read_json(project.folder / f"models/demo/{system}/config.json")
        assert config["training"]["optimizer"] == optimizer
    rows = [line.split("\t") for line in read_lines(project.folder / "data/demo/frequent/de.tsv")]
    counts = [int(count) for _, count in rows]
    assert rows[0][0] in (".", ",")
    assert counts == sorted(counts, reverse=True)
    code = read_json(project.folder / "code/demo/frequent.json")
    assert "stages/frequent.py" in code


def test_the_row_stands_below_the_one_that_it_names(
    params: Params, monkeypatch: pytest.MonkeyPatch
) -> None:
    tested = made_tests(monkeypatch)
    once = {name: model for name, model in params.models.items() if model.seed == 1}
    params = params.model_copy(update={"models": once})
    write_all(params)
    write_scores(params, "more_dropout", 50.0)
    (table,) = (table for table in make_tables(Study(params)) if table.name == "table1")
    (row,) = (row for row in table.rows if row["model"] == "more_dropout")
    assert (row["system"], row["paper_bleu"]) == ("Base + reverse + more dropout", None)
    assert (row["p"], row["gain_over"]) == (0.01, "Base + reverse")
    assert (("more_dropout", False), ("base_reverse", False)) in tested


def test_the_added_text_is_read(project: Project) -> None:
    raw, encoded = project.folder / "data/mine/raw", project.folder / "data/mine/encoded/luong"
    assert read_lines(raw / "test.de") == ["Der alte Garten."]
    assert read_lines(encoded / "train.en.tok")[1] == "A new garden ."
    assert (project.folder / "experiments/mine/dvc.yaml").exists()


def test_the_added_seed_is_a_model_of_the_same_system(params: Params) -> None:
    assert params.seeds_of("base_reverse") == ["base_reverse", "base_reverse_2"]
    models = yaml.safe_load(Path("models.yaml").read_text())["models"]
    assert models["base_reverse_2"] == {"system": "base_reverse", "family": "luong", "seed": 2}
