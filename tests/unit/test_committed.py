"""What lies in git agrees: the digests with the code, and the report with the digests of dvc.lock."""

import hashlib
import json
from pathlib import Path

import pytest
from git_history import git, versions

from attnmt.commands.check_report import report_mismatches
from attnmt.config import load_params, params_file
from attnmt.layout import Layout
from attnmt.scoring.numbers import read_numbers
from attnmt.workflow.code import SCRIPT, code_of, digest_of
from attnmt.workflow.lock import read_lock

ROOT = Path(__file__).parents[2]
RATES = ("", "_half", "_quarter")
ADAM = ("_adam", "_adam_slow", "_adam_fast")
OF_ITS_KIND = {  # whose rates Multi30k's systems take
    "none": "base_reverse_dropout",
    "global": "global_location_feed",
    "local_m": "local_p_general_feed",
    "local_p": "local_p_general_feed",
}
REPORTED = sorted(path.parent.name for path in (ROOT / "reports").glob("*/scores.csv"))


@pytest.mark.parametrize("script", sorted((ROOT / "stages").glob("*.py")), ids=lambda p: p.stem)
def test_the_digests_of_the_demo_are_those_of_the_code(script):
    """`make format` writes them; their diff says which stages a commit touches."""
    path = Layout("demo", ROOT).code / f"{script.stem}.json"
    if script.stem != SCRIPT:
        assert json.loads(path.read_text()) == code_of(script)


@pytest.mark.parametrize("experiment", REPORTED)
def test_a_report_comes_from_the_code_that_its_lock_names(experiment):
    """dvc.lock says which digests of code made the trainings, and scores.csv says it of each training.

    `dvc commit --force` changes only the first.
    """
    file = Layout(experiment).code / "train.json"
    locked = {
        dep["md5"]
        for name, stage in read_lock(experiment, ROOT).items()
        for dep in stage.get("deps", [])
        if name.startswith("train@") and dep["path"] == file.as_posix()
    }
    known = {hashlib.md5(one).hexdigest(): digest_of(json.loads(one)) for one in versions(file)}
    if locked - known.keys() and git("rev-parse", "--is-shallow-repository") != b"false\n":
        pytest.skip("the history of the code is not here")
    lines = read_numbers(experiment, ROOT).lines
    said = {line.code for line in lines if line.kind == "training" and line.seed is not None}
    assert len(said) == 1
    assert said == {known.get(digest, "no commit has it") for digest in locked}


@pytest.mark.parametrize("experiment", REPORTED)
def test_the_files_of_a_report_are_those_of_its_lock(experiment, monkeypatch):
    stages = read_lock(experiment, ROOT)
    if "gather" not in stages:
        pytest.skip(f"{experiment} has not run since the stage gather writes its scores")
    monkeypatch.chdir(ROOT)
    assert list(report_mismatches(load_params(params_file(experiment)), stages)) == []


def test_dvc_leaves_out_every_experiment_but_the_demo():
    """Until one has run here, ``dvc status`` would report all its outputs as deleted."""
    files = git("ls-files", "experiments/*/dvc.yaml").decode().split()
    ignored = (ROOT / ".dvcignore").read_text().splitlines()
    assert [file for file in files if f"/{file}" not in ignored] == []


@pytest.mark.parametrize(
    ("name", "recipe", "candidates"),
    [("study", "own", RATES), ("study", "adam", ADAM), ("multi30k", "own", RATES)],
)
def test_a_systems_recipe_has_the_lowest_cost_of_the_development_set(name, recipe, candidates):
    experiment, rates = (
        load_params(ROOT / f"experiments/{one}/params.yaml", ROOT)
        for one in (name, f"{name}-rates")
    )
    numbers = read_numbers(f"{name}-rates", ROOT)
    for system, own in experiment.recipes[recipe].items():
        model = experiment.models[system]
        tried = system if name == "study" else OF_ITS_KIND[model.attention]
        costs = {
            rates.recipe(tried + suffix): numbers.training(
                tried + suffix, "ppl", rates.sets.dev
            ).value
            for suffix in candidates
        }
        chosen = experiment.families[model.family].recipe(
            model.model_copy(update=own.model_dump(exclude_none=True))
        )
        assert min(costs, key=costs.get) == chosen, system
