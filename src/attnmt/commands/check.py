"""``attnmt check``: does each report agree with dvc.lock, parameters, text, code and libraries?"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from attnmt.commands.listed import SHOWN, listed
from attnmt.commands.options import complete_experiment
from attnmt.config import Params, load_params, params_file
from attnmt.config.generated import experiments
from attnmt.errors import InputError
from attnmt.files.progress import Progress
from attnmt.files.text_file import json_text, sha256
from attnmt.files.yaml_file import YamlFile, hint
from attnmt.layout import Layout
from attnmt.packing.folder import DESCRIPTION, read_packed
from attnmt.scoring.numbers import read_numbers
from attnmt.training.trained import opened_weights, read_provenance
from attnmt.workflow.code import SCRIPT, STAGE, code_files, digest_of_run, files_of_run
from attnmt.workflow.kinds import by_kind
from attnmt.workflow.lock import content_files, dvc_digest, locked_outputs, read_lock
from attnmt.workflow.record import params_now

PINNED, WEIGHTS = Path("constraints.txt"), Path("weights")


class Trained(NamedTuple):
    """What a training says of itself, in its own folder or in scores.csv."""

    model: str
    code: str  # the digest of the code that it ran
    libraries: dict[str, str]  # their versions, as far as they are known
    constraints: str | None = None  # the SHA-256 of constraints.txt


def check(
    experiment: Annotated[
        str | None,
        typer.Option(
            "--experiment",
            "-e",
            help="Only this one; else all that have a report.",
            autocompletion=complete_experiment,
        ),
    ] = None,
) -> None:
    """Check that the reports come from the present parameters, text, code and libraries.

    It names tables, scores, verdicts and packed weights that were edited; scores that are not those of
    the archives; parameters and text that changed since the stages ran; trainings of other code; outputs
    that DVC was forced to accept (dvc commit --force), though other code made them; and libraries whose
    version is not that of constraints.txt.

    Examples: attnmt check; attnmt check --experiment study
    """
    if not PINNED.exists():
        raise InputError(f"{PINNED}: no such file; run in the project's folder")
    known = experiments()
    if experiment is not None and experiment not in known:
        raise InputError(f"--experiment: no experiment {experiment!r}{hint(experiment, known)}")
    reported = [name for name in known if Layout(name).numbers.exists()]
    names = [experiment] if experiment else reported
    mismatches = [*installed_mismatches(), *packed_mismatches(), *_all_mismatches(names)]
    if mismatches:
        raise InputError("\n".join(mismatches))
    what = "dvc.lock, the parameters, the text, the code and the pinned libraries"
    none = (
        "no experiment has a report yet; the libraries and the packed weights are as they should be"
    )
    typer.echo(f"{', '.join(names)}: what is reported agrees with {what}." if names else none)
    from attnmt.model.instructions import keep_to_avx2  # here, because it loads torch

    if why := keep_to_avx2():
        typer.echo(f"Trained again here, they would not have the same bytes: {why}.")


def installed_mismatches() -> list[str]:
    """Return the installed packages that are not of the pinned version."""
    mismatches = []
    for name, pinned in _pins().items():
        try:
            found = version(name).partition("+")[0]
        except PackageNotFoundError:  # of an extra that is not installed
            continue
        if found != pinned:
            mismatches.append(
                f"{name} {found} is installed, and {PINNED} has {pinned}; run make setup"
            )
    return mismatches


def packed_mismatches() -> list[str]:
    """Return the packed weights of the project that have changed since they were packed."""
    mismatches = []
    for description in sorted(WEIGHTS.glob(f"*/{DESCRIPTION}")):
        try:
            read_packed(description.parent)
        except InputError as error:
            mismatches.append(str(error))
    return mismatches


def _all_mismatches(experiments: Sequence[str]) -> list[str]:
    """Return what does not fit together in some experiments, and say meanwhile which one is checked."""
    mismatches = []
    with Progress("checking", len(experiments), "experiments") as work:
        for name in experiments:
            work.go_on(f"checking {name}", len(experiments))
            work.update(0)
            try:
                mismatches += [f"{name}: {mismatch}" for mismatch in experiment_mismatches(name)]
            except InputError as error:  # the others are checked all the same
                mismatches.append(f"{name}: {error}")
            work.update()
    return mismatches


def experiment_mismatches(experiment: str) -> list[str]:
    """Return what does not fit together in an experiment's report, lock, trainings and code.

    Raises:
        InputError: if the experiment has no report or is not committed, or a file is damaged.
    """
    from attnmt.commands.check_report import report_mismatches  # here, because it loads pandas

    params, locked = load_params(params_file(experiment)), read_lock(experiment)
    known, trained = _stages(params), _trained(params)
    stages = {name: stage for name, stage in locked.items() if name in known}
    mismatches = [*report_mismatches(params, stages), *_input_mismatches(stages)]
    mismatches += _code_mismatches(params, stages, trained)
    mismatches += [*_weight_mismatches(params, stages), *_library_mismatches(trained)]
    if left := locked.keys() - known:
        mismatches.append(f"dvc.lock: {listed(sorted(left))}: no longer a stage; run attnmt commit")
    return mismatches


def _stages(params: Params) -> set[str]:
    """Return the names of all stages of an experiment."""
    names = set[str]()
    for name, stage in YamlFile.read(Path("dvc.yaml")).values["stages"].items():
        loop = stage.get("foreach")
        entries = dict(params)[loop[2:-1]] if isinstance(loop, str) else loop
        names |= {name} if entries is None else {f"{name}@{entry}" for entry in entries}
    return names


def _input_mismatches(stages: dict[str, Any]) -> Iterator[str]:
    """Yield the parameters and the text that have changed since the stages of dvc.lock ran.

    Keys of one section of a file, such as all models of models.yaml, have a line together.
    """
    read = {
        (name, f"{file}:{key}"): value
        for name, stage in stages.items()
        for file, values in stage.get("params", {}).items()
        for key, value in values.items()
    }
    present = params_now({param for _, param in read})
    # by file and section, or by folder: what has changed, and a stage that read it
    changed: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for (name, param), value in read.items():
        if present[param] != value:
            file, _, key = param.partition(":")
            changed[f"{file}: ", key.partition(".")[0]].append((key, name))
    # a stage may read a folder of outputs
    made = {
        place.as_posix()
        for out in locked_outputs(stages)
        for place in (Path(out), *Path(out).parents)
    }
    for name, stage in stages.items():
        for dep in stage.get("deps", []) if name != STAGE else ():
            path = dep["path"]
            if path in made or path.startswith("code/"):  # _code_mismatches compares the code
                continue
            if dvc_digest(Path(path)) != dep["md5"]:
                changed["", Path(path).parent.as_posix()].append((path, name))
    for (file, _), pairs in changed.items():
        what, names = zip(*pairs, strict=True)
        have = "has" if len({*what}) == 1 else "have"
        since = f"{have} changed since {listed(names)} ran"
        yield f"{file}{listed(what)} {since}; run the experiment again"


def _trained(params: Params) -> list[Trained]:
    """Return what is known of the models' trainings, from scores.csv and from their folders."""
    numbers, trained = read_numbers(params.experiment), []
    for name in params.models:
        if line := numbers.training(name, "minutes"):
            torch = re.search(r"torch ([^ +]+)", line.signature or "")
            libraries = {"torch": torch[1]} if torch else {}
            trained.append(Trained(name, line.code or "", libraries))
        folder = Layout(params.experiment).model(name)
        if (folder / "provenance.json").exists():
            found = read_provenance(folder)
            libraries = {"torch": found.torch.partition("+")[0], "numpy": found.numpy}
            trained.append(Trained(name, found.code, libraries, found.constraints))
    return trained


def _code_mismatches(
    params: Params, stages: dict[str, Any], trained: list[Trained]
) -> Iterator[str]:
    """Yield the stages that ran with other code or earlier inputs, whatever dvc.lock says of them, and
    the digests of code that were edited.
    """
    prefix = Layout(params.experiment).code.as_posix()
    scripts = [
        path.resolve() for path in sorted(Path("stages").glob("*.py")) if path.stem != SCRIPT
    ]
    today = {
        f"{prefix}/{path.as_posix()}": hashlib.md5(json_text(code).encode()).hexdigest()
        for script in scripts
        for path, code in code_files(params, script).items()
    }
    stale = [
        (dep["path"], name)
        for name, stage in stages.items()
        for dep in stage.get("deps", [])
        if dep["path"].startswith(f"{prefix}/") and dep["md5"] != today.get(dep["path"])
    ]
    made = locked_outputs(stages)
    here = {file.as_posix(): dvc_digest(file) for file in content_files(Path(prefix)).values()}
    # Digests of today's code are no edit; the stages that other code ran are named below.
    if prefix in made and here != today and dvc_digest(Path(prefix)) != made[prefix]:
        yield f"{prefix}: not what dvc.lock has; edited, or made after the last attnmt commit"
    late = [
        name
        for name, stage in stages.items()
        for dep in stage.get("deps", [])
        if dep["path"] not in today and made.get(dep["path"], dep["md5"]) != dep["md5"]
    ]
    if late:
        yield f"dvc.lock: made of earlier outputs than those that it has: {listed(late)}"
    other = list(dict.fromkeys(name for _, name in stale))
    if other:
        what = listed(other) if len(other) <= SHOWN else by_kind(other)
        files = listed(file for file, _ in stale)
        yield f"dvc.lock: made by other code than today's ({files}): {what}"
    current = stages.keys() - {*other}
    train = Path("stages/train.py").resolve()
    forced = [
        one.model
        for one in trained
        if f"train@{one.model}" in current
        and one.code != digest_of_run(files_of_run(params, train, one.model).values())
    ]
    if forced:
        yield (
            f"dvc.lock says that today's code trained {listed(forced)}, and their own files name "
            f"other code: DVC was forced (dvc commit --force). Train them again"
        )


def _weight_mismatches(params: Params, stages: dict[str, Any]) -> Iterator[str]:
    """Yield the weights here that are not those of dvc.lock, or not of their own provenance.json."""
    locked, differ, of_another = locked_outputs(stages), list[str](), list[str]()
    for name in params.models:
        folder = Layout(params.experiment).model(name)
        path = folder / "weights.safetensors"
        if path.exists():
            if locked.get(path.as_posix()) != dvc_digest(path):
                differ.append(f"{path}")
            try:
                with opened_weights(path, "numpy") as (_, config):
                    same = config.fingerprint == read_provenance(folder).fingerprint
            except InputError as error:
                yield str(error)
            else:
                if not same:
                    of_another.append(f"{path}")
    if differ:
        yield f"{listed(differ)}: not what dvc.lock has; run attnmt commit, or train again"
    if of_another:
        yield f"{listed(of_another)}: of another training than provenance.json; train again"


def _library_mismatches(trained: list[Trained]) -> Iterator[str]:
    """Yield the libraries of other versions than the pinned ones with which models were trained."""
    pins, pinned, models = _pins(), sha256(PINNED), dict[str, list[str]]()
    for one in trained:
        for library, found in one.libraries.items():
            if found != pins.get(library, found):
                what = f"{library} {found}, and {PINNED} has {pins[library]}"
                models.setdefault(what, []).append(one.model)
        if one.constraints not in (None, pinned):
            what = f"another {PINNED} than today's ({one.constraints[:12]})"
            models.setdefault(what, []).append(one.model)
    for what, names in models.items():
        yield f"{listed(names)}: trained with {what}"


def _pins() -> dict[str, str]:
    lines = PINNED.read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if "==" in line and not line.startswith("#"))
