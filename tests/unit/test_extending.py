"""docs/extending.md: each of its recipes, applied as it stands to a copy of the project, works."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from extending_page import blocks, parts_known
from project import TINY, Project, checkout

from attnmt.config import Params, load_params
from attnmt.files.text_file import read_json, read_lines
from attnmt.reporting.tables import make_tables
from attnmt.scoring.numbers import Line, Numbers
from attnmt.scoring.published import published_lines

SCORE, ENCODER = "global_low_rank_feed", "both_ways"  # the systems with parts of one's own
OPTIMIZERS = {"base_adam": "adam", "base_nesterov": "Nesterov"}
OWN = ["narrow", "base_decay", "near_dot", "base_warm"]
ON = {"epochs": 3, "plateau": 2}
SYSTEMS = [
    "base",
    "base_reverse",
    "base_reverse_dropout",
    "more_dropout",
    SCORE,
    ENCODER,
    *OPTIMIZERS,
    *OWN,
]


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Project:
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
    small |= {"families.luong.training.evaluate_every": 4}
    small |= {"systems.yaml:systems.base_warm.warmup_steps": 10}
    copy.shorten_text()
    copy.change(small | {"systems": SYSTEMS, "seeds": seeds})
    copy.run("python", "-m", "attnmt.config.generated")
    copy.run("git", "init", "--quiet")
    return copy


@pytest.fixture
def params(project, monkeypatch) -> Iterator[Params]:
    """Return the parameters of the extended demo, in whose folder the test runs."""
    monkeypatch.chdir(project.folder)
    with parts_known():
        yield load_params(Path("params.yaml"))


def test_both_engines_know_what_was_added_and_dvc_runs_it(project):
    trained = [f"train@{system}" for system in (SCORE, ENCODER, *OPTIMIZERS, *OWN)]
    added = {*trained, "frequent", "train@more_dropout", "train@base_reverse_2"}
    assert added | {"ensemble@small_ensemble"} <= project.plan()
    project.run("dvc", "repro", *trained, "frequent")
    for system, part in ((SCORE, {"score": "LowRank"}), (ENCODER, {"encoder": "BothWays"})):
        config = read_json(project.folder / f"models/demo/{system}/config.json")
        assert part.items() <= config["system"].items()
    for system, optimizer in OPTIMIZERS.items():
        config = read_json(project.folder / f"models/demo/{system}/config.json")
        assert config["training"]["optimizer"] == optimizer
    configs = [read_json(project.folder / f"models/demo/{name}/config.json") for name in OWN]
    system, training = configs[0]["system"], configs[3]["training"]
    assert (system["window_D"], system["numbers"]) == (2, {"local_p": {"sigma": 0.667}})
    assert configs[0]["shape"]["size"] == 48
    assert configs[1]["training"]["numbers"] == {"adam": {"weight_decay": 0.01}}
    assert configs[2]["system"]["numbers"] == {"Near": {"words": 2}}
    assert (training["warmup_steps"], training["average_last"]) == (10, 3)
    metrics = read_json(project.folder / "models/demo/base_warm/metrics.json")
    assert metrics["averaged_steps"] == [8, 12, 13]
    rows = [line.split("\t") for line in read_lines(project.folder / "data/demo/frequent/de.tsv")]
    counts = [int(count) for _, count in rows]
    assert rows[0][0] in (".", ",")
    assert counts == sorted(counts, reverse=True)
    code = read_json(project.folder / "code/demo/frequent.json")
    assert "stages/frequent.py" in code


def test_the_feature_of_the_page_changes_the_rate_and_resumes(project):
    systems = project.folder / "systems.yaml"
    text = systems.read_text()
    project.change({f"systems.yaml:systems.base.{key}": value for key, value in ON.items()})
    project.run("python", "stages/train.py", "params.yaml", "base")
    systems.write_text(text)
    model = project.folder / "models/demo/base"
    assert read_json(model / "config.json")["training"]["plateau"] == 2
    assert len(read_lines(model / "history.csv")) > 4


def made_line(**changes: object) -> Line:
    """Return BLEU of more_dropout on test1."""
    keys = {"kind": "system", "system": "more_dropout", "set": "test1", "lines": 500, "value": 50.0}
    keys |= {"metric": "bleu", "script": "tokenized", "replacement": "before"}
    return Line.model_validate(keys | {"direction": "forward", "family": "luong"} | changes)


def test_the_row_stands_below_the_one_that_it_names(params):
    gain = {"kind": "gain", "over": "base_reverse", "over_replacement": "before", "value": 8.0}
    lines = [made_line(), made_line(system="base_reverse", value=42.0), made_line(**gain)]
    numbers = Numbers([*published_lines(params), *lines])
    tables = {table.name: table for table in make_tables(params, numbers)}
    table = tables["table1"]
    rows = list(table.frame.index)
    assert rows.index("more_dropout") == rows.index("dropout") + 1
    texts = {heading: table.text("more_dropout", heading) for heading in table.headings}
    assert (texts["system"], texts["paper BLEU"]) == ("Base + reverse + more dropout", "")
    assert (texts["BLEU"], texts["gain"], texts["gain over"]) == ("50.0", "+8.0", "Base + reverse")


def test_the_report_makes_the_table_of_ones_own(params):
    lines = [made_line(), made_line(metric="chrf", script=None, value=70.0)]
    lines.append(made_line(system="base_reverse", value=42.0))
    tables = {table.name: table for table in make_tables(params, Numbers(lines))}
    texts = [tables["table_chrf"].text("more_dropout", heading) for heading in ("BLEU", "chrF2")]
    assert texts == ["50.0", "70.0"]


def test_the_added_text_is_read(project):
    raw, encoded = project.folder / "data/mine/raw", project.folder / "data/mine/encoded/luong"
    assert read_lines(raw / "test.de") == ["Der alte Garten."]
    assert read_lines(encoded / "train.en.tok")[1] == "A new garden ."
    assert (project.folder / "experiments/mine/dvc.yaml").exists()


def test_the_added_seed_is_a_model_of_the_same_system(params):
    assert params.seeds_of("base_reverse") == ["base_reverse", "base_reverse_2"]
    models = yaml.safe_load(Path("models.yaml").read_text())["models"]
    assert models["base_reverse_2"] == {
        "system": "base_reverse",
        "family": "luong",
        "seed": 2,
        "code": "base_reverse",
    }
