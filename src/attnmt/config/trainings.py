"""What an experiment trains and what translates: its systems and ensembles, each with its seeds."""

from collections.abc import Collection

from pydantic import ValidationError

from attnmt.config.experiment import Experiment
from attnmt.config.model import (
    Ensemble,
    Entry,
    Family,
    Overrides,
    Run,
    TrainedEnsemble,
    Training,
)
from attnmt.config.strict import Name
from attnmt.config.systems import EVERY_OTHER, Systems
from attnmt.files.yaml_file import Location, YamlFile, explained, suggestion

SYSTEMS = "systems.yaml"  # in the project's folder
FAMILY = "family"  # a recipe that changes the family's own for some systems


def trained_systems(
    file: YamlFile, experiment: Experiment, systems_file: YamlFile, systems: Systems
) -> dict[Name, Training]:
    """Return what an experiment trains: its systems in the order of ``systems.yaml``, with their seeds.

    The trainings by other recipes follow, recipe by recipe. The recipe ``family`` has none: it changes
    the family's own for the systems that it names.

    Args:
        file: the parameter file that holds ``experiment``.
        systems_file: the file that holds ``systems``.

    Raises:
        InputError: if the experiment names a system that does not exist, or one for whose family it
            has no settings; or if it gives seeds or a recipe of a system that it does not train; or if
            the recipe ``family`` changes nothing; or if the name of a training is taken.
    """
    known = [*systems.systems, *systems.ensembles]
    for i, name in enumerate(experiment.systems or ()):
        if name not in known:
            why = f"{SYSTEMS} has no system {name!r}{suggestion(name, known)}"
            raise file.error(["systems", i], why)
    named = experiment.systems or [name for name in known if name not in systems.on_request]
    chosen = [name for name in systems.systems if name in named]
    for name in chosen:
        _check_family(systems_file, experiment, name, systems.systems[name])
    for given, listed in experiment.recipes.items():
        for name, own in listed.items():
            if name not in chosen:
                raise _untrained(file, ["recipes", given, name], chosen)
            if given == FAMILY and own == Overrides():
                raise file.error(["recipes", given, name], "it changes nothing; leave it out")
    models = dict[Name, Training]()
    by_family = dict(systems.systems)  # as their families train them here
    first = dict.fromkeys(chosen, Overrides()) | experiment.recipes.get(FAMILY, {})
    for recipe, entries in ({None: first} | _other_recipes(experiment)).items():
        for name in (name for name in chosen if name in entries):
            changes = entries[name].model_dump(exclude_none=True)
            if recipe is not None and not changes:
                continue  # the training by the family's recipe serves for both
            entry = by_family[name].model_copy(update=changes)
            if recipe is None:
                by_family[name] = entry
            for seed in range(1, experiment.seeds_of_run(Run(entry=name, recipe=recipe)) + 1):
                model = Training(**dict(entry), entry=name, recipe=recipe, seed=seed)
                _refuse_taken(file, model, {*models, *known})
                models[model.run_name] = model
    trained = [*(model.system_name for model in models.values()), EVERY_OTHER]
    for name in experiment.seeds:
        if name not in trained:
            raise _untrained(file, ["seeds", name], trained)
    return models


def trained_ensembles(
    file: YamlFile, experiment: Experiment, systems: Systems, models: Collection[Name]
) -> dict[Name, TrainedEnsemble]:
    """Return an experiment's ensembles, one for each seed that all members have.

    An ensemble whose list of members names seeds, as in ``base_2``, is one ensemble. If all members are
    also trained by another recipe, those trainings form an ensemble, too, unless the ensemble is trained
    only on request.

    Args:
        file: the parameter file that holds ``experiment``.
        models: the names of what the experiment trains.

    Raises:
        InputError: if the experiment names an ensemble that lacks a member, or if the name of an
            ensemble is taken.
    """
    named, known = experiment.systems or [], systems.ensembles
    ensembles = dict[Name, TrainedEnsemble]()
    for name, entry in known.items():
        missing = [member for member in entry.members if member not in models]
        if name in named and missing:
            raise file.error(
                ["systems", named.index(name)],
                f"{name!r} has the member {missing[0]!r}, which is not trained; add it to systems, "
                f"or raise its seeds",
            )
        on_request = name in systems.on_request
        if missing or (on_request and name not in named):
            continue
        one = any(member not in systems.systems for member in entry.members)
        for recipe in (None, *(() if on_request else _other_recipes(experiment))):
            members = _members(experiment, entry, recipe)
            if not members:
                continue
            seeds = 1 if one else min(map(experiment.seeds_of_run, members))
            for seed in range(1, seeds + 1):
                runs = [member.model_copy(update={"seed": seed}) for member in members]
                given = dict(entry) | {"members": [run.run_name for run in runs]}
                ensemble = TrainedEnsemble(**given, entry=name, recipe=recipe, seed=seed)
                _refuse_taken(file, ensemble, {*ensembles, *models, *systems.systems, *known})
                ensembles[ensemble.run_name] = ensemble
    return ensembles


def _other_recipes(experiment: Experiment) -> dict[Name, dict[Name, Overrides]]:
    """Return the recipes by which systems are trained beside their family's."""
    return {name: entries for name, entries in experiment.recipes.items() if name != FAMILY}


def _members(experiment: Experiment, ensemble: Ensemble, recipe: str | None) -> list[Run]:
    """Return the first seed of each member under a recipe.

    The list is empty if a member has no such recipe, or if all have the same recipe in both.
    """
    if recipe is None:
        return [Run(entry=member) for member in ensemble.members]
    entries = experiment.recipes[recipe]
    if set(ensemble.members) - entries.keys():
        return []
    same = [member for member in ensemble.members if entries[member] == Overrides()]
    runs = [Run(entry=m, recipe=None if m in same else recipe) for m in ensemble.members]
    return [] if len(same) == len(runs) else runs


def _untrained(file: YamlFile, place: Location, trained: Collection[str]) -> Exception:
    name = str(place[-1])
    return file.error(place, f"no system {name!r} is trained{suggestion(name, trained)}")


def _refuse_taken(file: YamlFile, run: Run, taken: Collection[str]) -> None:
    """Refuse a run whose name is that of something else."""
    if run.run_name in taken and run.run_name != run.entry:
        place: Location = ["seeds"] if run.seed > 1 else ["recipes", str(run.recipe)]
        why = f"{run.run_name!r} would be seed {run.seed} of {run.system_name!r}, but is a name already"
        raise file.error(place, f"{why}; change one of the two")


def _check_family(file: YamlFile, experiment: Experiment, name: str, system: Entry) -> None:
    """Refuse a system whose family is missing or does not suit it."""
    if system.family not in experiment.families:
        why = f"experiment {experiment.experiment} has no family {system.family!r}"
        why += suggestion(system.family, experiment.families)
        why += "; give it one in its params.yaml"
        if experiment.systems is None:  # it trains all systems but those on request
            why += (
                f", or list {name!r} under on_request, and only experiments that name it train it"
            )
        raise file.error(["systems", name, "family"], why)
    family = experiment.families[system.family]
    if family.shape.cell == "gru" and system.attention == "none":
        why = "a gru family needs attention: its cell reads a context"
        raise file.error(["systems", name], why)
    if family.shape.cell == "gru" and system.input_feeding:
        why = "the context enters a gru's cell, so there is nothing to feed"
        raise file.error(["systems", name, "input_feeding"], why)
    if family.shape_of(system) != family.shape:
        _check_size(file, name, family, system)


def _check_size(file: YamlFile, name: str, family: Family, system: Entry) -> None:
    """Refuse a system whose own size is more than any machine holds."""
    try:
        Family.model_validate(dict(family) | {"shape": family.shape_of(system)})
    except ValidationError as error:
        (_, key), message = explained(error.errors()[0], Family)
        place = ["systems", name] + ([str(key)] if getattr(system, str(key), None) else [])
        raise file.error([*place], message) from None
