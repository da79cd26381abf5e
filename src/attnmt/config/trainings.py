"""What an experiment trains and what translates: its systems and ensembles, each with its seeds."""

from collections.abc import Collection

from pydantic import ValidationError

from attnmt.config.experiment import Experiment, under
from attnmt.config.model import Ensemble, Entry, Family, Model, OwnRecipe, TrainedEnsemble, Training
from attnmt.config.strict import Name
from attnmt.config.systems import EVERY_OTHER, Systems
from attnmt.files.yaml_file import Location, YamlFile, explained, hint

SYSTEMS = "systems.yaml"  # in the project's folder


def trained_models(
    file: YamlFile, experiment: Experiment, systems_file: YamlFile, systems: Systems
) -> dict[Name, Model]:
    """Return what an experiment trains: its systems in the order of ``systems.yaml``, with their seeds.

    The trainings by other recipes follow, recipe by recipe.

    Args:
        file: the parameter file that holds ``experiment``.
        systems_file: the file that holds ``systems``.

    Raises:
        InputError: if the experiment names a system that does not exist, or one for whose family it
            has no settings; or if it gives seeds or a recipe of a system that it does not train; or if
            the name of a training is taken.
    """
    known = [*systems.systems, *systems.ensembles]
    for i, name in enumerate(experiment.systems or ()):
        if name not in known:
            why = f"{SYSTEMS} has no system {name!r}{hint(name, known)}"
            raise file.error(["systems", i], why)
    named = experiment.systems or [name for name in known if name not in systems.on_request]
    chosen = [name for name in systems.systems if name in named]
    plan: list[tuple[str | None, str, OwnRecipe]] = [(None, name, OwnRecipe()) for name in chosen]
    for other, entries in experiment.recipes.items():
        for name in entries:
            if name not in chosen:
                why = f"no system {name!r} is trained{hint(name, chosen)}"
                raise file.error(["recipes", other, name], why)
        plan += [(other, name, entries[name]) for name in chosen if name in entries]
    trained = [
        under(recipe, name) for recipe, name, own in plan if not recipe or own != OwnRecipe()
    ]
    counted = [*trained, EVERY_OTHER]
    for name in experiment.seeds if isinstance(experiment.seeds, dict) else ():
        if name not in counted:
            raise file.error(["seeds", name], f"no system {name!r} is trained{hint(name, counted)}")
    models = dict[Name, Model]()
    for recipe, system, own in plan:
        _check_family(systems_file, experiment, system, systems.systems[system])
        changes = {key: value for key, value in dict(own).items() if value is not None}
        if recipe is not None and not changes:
            continue  # the training by the family's recipe serves for both
        entry = systems.systems[system].model_copy(update=changes)
        for seed in range(1, experiment.seeds_of_system(system, recipe) + 1):
            name = _name(file, under(recipe, system), seed, recipe, {*models, *known})
            models[name] = Model(**dict(entry), entry=system, recipe=recipe, seed=seed)
        family = experiment.families[entry.family]
        place: Location = ["recipes", str(recipe), system]
        if recipe is not None and _recipe(file, place, family, entry) == family.recipe(
            systems.systems[system]
        ):
            why = "this is the family's recipe; write {}, and the system is trained once"
            raise file.error(place, why)
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
    for ensemble, entry in known.items():
        missing = [member for member in entry.members if member not in models]
        if ensemble in named and missing:
            raise file.error(
                ["systems", named.index(ensemble)],
                f"{ensemble!r} has the member {missing[0]!r}, which is not trained; add it to systems, "
                f"or raise its seeds",
            )
        if missing or (ensemble in systems.on_request and ensemble not in named):
            continue
        one = any(member not in systems.systems for member in entry.members)
        recipes = () if ensemble in systems.on_request else experiment.recipes
        for recipe in (None, *recipes):
            members = _members(experiment, entry, recipe)
            if not members:
                continue
            seeds = 1 if one else min(experiment.seeds_of_system(m, r) for r, m in members)
            for seed in range(1, seeds + 1):
                taken = {*ensembles, *models, *systems.systems, *known}
                name = _name(file, under(recipe, ensemble), seed, recipe, taken)
                own = entry.model_copy(
                    update={"members": [seed_name(under(r, m), seed) for r, m in members]}
                )
                ensembles[name] = TrainedEnsemble(
                    **dict(own), entry=ensemble, recipe=recipe, seed=seed
                )
    return ensembles


def _members(
    experiment: Experiment, ensemble: Ensemble, recipe: str | None
) -> list[tuple[str | None, str]]:
    """Return the recipe and the system of each member under another recipe.

    The list is empty if a member has no such recipe, or if all have the same recipe in both.
    """
    if recipe is None:
        return [(None, member) for member in ensemble.members]
    entries = experiment.recipes[recipe]
    if set(ensemble.members) - entries.keys():
        return []
    members = [(None if entries[m] == OwnRecipe() else recipe, m) for m in ensemble.members]
    return members if any(other for other, _ in members) else []


def seed_name(name: str, seed: int) -> str:
    """Return the name of a seed: base, base_2, base_3."""
    return name if seed == 1 else f"{name}_{seed}"


def _name(file: YamlFile, name: str, seed: int, recipe: str | None, taken: Collection[str]) -> str:
    """Return the name of a seed.

    Raises:
        InputError: if it is taken.
    """
    own = seed_name(name, seed)
    if own in taken and own != name:
        why = f"{own!r} is seed {seed} of {name!r}, but {SYSTEMS} has this name; change one"
        raise file.error(["seeds"], why)
    if own in taken and recipe is not None:
        why = f"{own!r} is a name already; give the recipe another name"
        raise file.error(["recipes", recipe], why)
    return own


def _check_family(file: YamlFile, experiment: Experiment, name: str, system: Entry) -> None:
    """Refuse a system whose family is missing or does not suit it."""
    if system.family not in experiment.families:
        why = f"experiment {experiment.experiment} has no family {system.family!r}"
        why += hint(system.family, experiment.families)
        raise file.error(["systems", name, "family"], why)
    family = experiment.families[system.family]
    if family.shape.cell == "gru" and system.attention == "none":
        why = "a gru family needs attention: its cell reads a context"
        raise file.error(["systems", name], why)
    if family.shape.cell == "gru" and system.input_feeding:
        why = "the context enters a gru's cell, so there is nothing to feed"
        raise file.error(["systems", name, "input_feeding"], why)
    recipe = _recipe(file, ["systems", name], family, system)
    for part in system.numbers:
        if part not in (*system.system.parts, recipe.optimizer):
            why = f"it is trained by {recipe.optimizer!r}"
            raise file.error(["systems", name, "numbers", part], why)


def _recipe(file: YamlFile, place: Location, family: Family, entry: Entry) -> Training:
    """Return a recipe, or refuse one whose settings do not agree; ``place`` is where it is changed."""
    try:
        return family.recipe(entry)
    except ValidationError as error:
        location, message = explained(error.errors()[0], Training)
        raise file.error([*place, *location], message) from None
