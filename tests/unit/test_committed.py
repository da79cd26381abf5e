"""What lies in git agrees: the digests with the code, and the report with the digests of dvc.lock."""

import hashlib
import json
from pathlib import Path

import pytest
from git_history import git, versions

from attnmt.commands.check_report import report_mismatches
from attnmt.config import load_params, params_file
from attnmt.config.model import OwnRecipe
from attnmt.config.trainings import FAMILY
from attnmt.layout import Layout
from attnmt.scoring.numbers import read_numbers
from attnmt.workflow.code import SCRIPT, code_files, digest_of_run
from attnmt.workflow.lock import read_lock

ROOT = Path(__file__).parents[2]
RATES = ("", "_half", "_quarter")
ADAM = ("_adam", "_adam_slow", "_adam_fast")
OF_ITS_KIND = {  # whose rates the systems take that were not tried themselves
    "none": ["base_reverse_dropout"],
    "global": ["global_location_feed", "global_general_feed"],
    "local_m": ["local_p_general_feed"],
    "local_p": ["local_p_general_feed"],
}
REPORTED = sorted(path.parent.name for path in (ROOT / "reports").glob("*/scores.csv"))


def test_the_digests_of_the_demo_are_those_of_the_code():
    """`make format` writes them; their diff says which stages a commit touches."""
    params, folder = load_params(ROOT / "params.yaml", ROOT), Layout("demo", ROOT).code
    scripts = [path for path in (ROOT / "stages").glob("*.py") if path.stem != SCRIPT]
    expected = {
        path.as_posix(): code
        for script in scripts
        for path, code in code_files(params, script).items()
    }
    found = {
        path.relative_to(folder).as_posix(): json.loads(path.read_text())
        for path in folder.rglob("*.json")
    }
    assert found == expected


@pytest.mark.parametrize("experiment", REPORTED)
def test_a_report_comes_from_the_code_that_its_lock_names(experiment):
    """dvc.lock says which digests of code made the trainings, and scores.csv says it of each training.

    `dvc commit --force` changes only the first.
    """
    locked = {
        name.removeprefix("train@"): {
            Path(dep["path"]): dep["md5"]
            for dep in stage["deps"]
            if dep["path"].startswith("code/")
        }
        for name, stage in read_lock(experiment, ROOT).items()
        if name.startswith("train@")
    }
    files = {file for deps in locked.values() for file in deps}
    known = {
        hashlib.md5(one).hexdigest(): json.loads(one) for file in files for one in versions(file)
    }
    lost = {md5 for deps in locked.values() for md5 in deps.values()} - known.keys()
    if lost and git("rev-parse", "--is-shallow-repository") != b"false\n":
        pytest.skip("the history of the code is not here")
    for line in read_numbers(experiment, ROOT).lines:
        if line.kind == "training" and line.seed is not None:
            assert line.code == digest_of_run(known[md5] for md5 in locked[line.model].values())


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
    [
        ("study", "own", RATES),
        ("study", "adam", ADAM),
        ("multi30k", "own", RATES),
        ("captions", "family", RATES),
    ],
)
def test_a_systems_recipe_has_the_lowest_cost_of_the_development_set(name, recipe, candidates):
    experiment, rates = (
        load_params(ROOT / f"experiments/{one}/params.yaml", ROOT)
        for one in (name, f"{name}-rates")
    )
    numbers = read_numbers(f"{name}-rates", ROOT)
    entries = experiment.recipes[recipe]
    if recipe == FAMILY:  # it names only those whose recipe it changes
        entries = dict.fromkeys(experiment.systems_under(None), OwnRecipe()) | entries
    for system, own in entries.items():
        if system in experiment.ensembles:
            continue
        model = experiment.models[system]
        of_its_kind = (
            [] if name == "study" else OF_ITS_KIND[model.attention]
        )  # it tries every system
        tried = next(one for one in [system, *of_its_kind] if one in rates.models)
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
