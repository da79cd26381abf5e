"""What lies in git agrees: the digests with the code, and the report with the digests of dvc.lock."""

import hashlib
import json
from pathlib import Path
from statistics import mean, stdev

import pytest
from git_history import git, versions

from attnmt.commands.check_report import report_mismatches
from attnmt.config import Params, load_params, params_file
from attnmt.config.model import OwnRecipe
from attnmt.config.trainings import FAMILY
from attnmt.layout import Layout
from attnmt.scoring.numbers import read_numbers
from attnmt.workflow.archive import archived
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


def test_trainings_that_two_experiments_share_have_the_same_bytes(monkeypatch):
    """They were made on different machines: curve, translations and links."""
    monkeypatch.chdir(ROOT)
    experiments = [load_params(params_file(name)) for name in ("captions", "captions-rates")]
    kept = [archived(params) for params in experiments]
    named = [
        {
            (_learned(params, name), model.seed): name
            for name, model in params.models.items()
            if f"models/{params.experiment}/{name}/history.csv" in outputs
        }
        for params, outputs in zip(experiments, kept, strict=True)
    ]
    shared = named[0].keys() & named[1].keys()
    assert shared
    for learned in shared:
        ours, theirs = (
            {
                **outputs[f"translations/{params.experiment}/{names[learned]}"],
                "history": outputs[f"models/{params.experiment}/{names[learned]}/history.csv"][""],
            }
            for params, outputs, names in zip(experiments, kept, named, strict=True)
        )
        assert theirs.keys() <= ours.keys()  # captions has links on both sets
        assert [file for file in theirs if ours[file] != theirs[file]] == []


def _learned(params: Params, name: str) -> str:
    """Return what decides a training but its seed and text, as one key."""
    model = params.models[name]
    family = params.families[model.family]
    parts = (model.system, params.recipe(name), params.shape(name), family.encoding)
    return json.dumps([part.model_dump(mode="json") for part in parts])


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
        by_family = [one.entry for one in experiment.models.values() if one.recipe is None]
        entries = dict.fromkeys(by_family, OwnRecipe()) | entries
    for system, own in entries.items():
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


LINKED = {  # rows of docs/evidence.md: the experiment and the system
    ("local-p (general) + feed", "backwards"): ("captions", "local_p_general_feed"),
    ("local-m (general) + feed", "backwards"): ("captions", "local_m_general_feed"),
    ("global (general) + feed", "backwards"): ("captions", "global_general_feed"),
    ("global (dot) + feed", "backwards"): ("captions", "global_dot_feed"),
    ("global (concat) + feed", "backwards"): ("captions", "global_additive_feed"),
    ("global (location) + feed", "backwards"): ("captions", "global_location_feed"),
    ("local-p (general) + feed", "forward"): ("multi30k-alignment", "local_p_general_feed_forward"),
    ("local-p (general) + feed", "both"): ("captions-both", "local_p_general_feed_both"),
}


def test_the_evidence_has_the_aer_of_the_reports_where_no_link_is_moved():
    shown = list[tuple[str, ...]]()
    for line in (ROOT / "docs/evidence.md").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 8 and cells[2] in ("same", "next"):
            first, second, step, *aers = cells
            shown.append((*((first, second) if first else shown[-1][:2]), step, aers[2]))
    assert shown == [
        (*row, step, _mean_aer(*of_report, step))
        for row, of_report in LINKED.items()
        for step in ("same", "next")
    ]


def _mean_aer(experiment: str, system: str, step: str) -> str:
    """Return the mean over five seeds and the deviation between them, as the page writes it."""
    asked = ("training", system, "aer", step, "test_2016_flickr")
    aers = [
        line.value
        for line in read_numbers(experiment, ROOT).lines
        if (line.kind, line.system, line.metric, line.script, line.set) == asked
    ]
    assert len(aers) == 5
    return f"{mean(aers):.3f} ± {stdev(aers):.3f}"
