"""What an experiment trains and what translates: its systems and ensembles, each with its seeds."""

from collections.abc import Collection

from attnmt.config.experiment import Experiment
from attnmt.config.model import Model, TrainedEnsemble
from attnmt.config.strict import Name
from attnmt.config.systems import EVERY_OTHER, Systems
from attnmt.files.yaml_file import YamlFile, hint

SYSTEMS = "systems.yaml"  # in the project's folder


def trained_models(
    file: YamlFile, experiment: Experiment, systems_file: YamlFile, systems: Systems
) -> dict[Name, Model]:
    """Return what an experiment trains: its systems in the order of ``systems.yaml``, with their seeds.

    Args:
        file: the parameter file that holds ``experiment``.
        systems_file: the file that holds ``systems``.

    Raises:
        InputError: if the experiment names a system that does not exist, or one for whose family it
            has no settings; or if it gives seeds of a system that it does not train; or if the name of
            a seed is taken.
    """
    known = [*systems.systems, *systems.ensembles]
    for i, name in enumerate(experiment.systems or ()):
        if name not in known:
            why = f"{SYSTEMS} has no system {name!r}{hint(name, known)}"
            raise file.error(["systems", i], why)
    named = experiment.systems or [name for name in known if name not in systems.on_request]
    chosen = [name for name in systems.systems if name in named]
    counted = [*chosen, EVERY_OTHER]
    for name in experiment.seeds if isinstance(experiment.seeds, dict) else ():
        if name not in counted:
            raise file.error(["seeds", name], f"no system {name!r} is trained{hint(name, counted)}")
    models = dict[Name, Model]()
    for system in chosen:
        _check_family(systems_file, experiment, system, systems)
        for seed in range(1, experiment.seeds_of_system(system) + 1):
            name = _name(file, system, seed, {*models, *known})
            models[name] = Model(**dict(systems.systems[system]), seed=seed)
    return models


def trained_ensembles(
    file: YamlFile, experiment: Experiment, systems: Systems, models: Collection[Name]
) -> dict[Name, TrainedEnsemble]:
    """Return an experiment's ensembles, one for each seed that all members have.

    An ensemble whose list of members names seeds, as in ``base_2``, is one ensemble.

    Args:
        file: the parameter file that holds ``experiment``.
        models: the names of what the experiment trains.

    Raises:
        InputError: if the experiment names an ensemble that lacks a member, or if the name of a seed is
            taken.
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
        seeds = 1 if one else min(map(experiment.seeds_of_system, entry.members))
        for seed in range(1, seeds + 1):
            name = _name(file, ensemble, seed, {*ensembles, *models, *systems.systems, *known})
            members = entry.members if seed == 1 else [f"{m}_{seed}" for m in entry.members]
            own = entry.model_copy(update={"members": members})
            ensembles[name] = TrainedEnsemble(**dict(own), ensemble=ensemble, seed=seed)
    return ensembles


def _name(file: YamlFile, name: str, seed: int, taken: Collection[str]) -> str:
    """Return the name of a seed: base, base_2, base_3.

    Raises:
        InputError: if it is taken.
    """
    if seed == 1:
        return name
    with_seed = f"{name}_{seed}"
    if with_seed in taken:
        why = f"{with_seed!r} is seed {seed} of {name!r}, but {SYSTEMS} has this name; change one"
        raise file.error(["seeds"], why)
    return with_seed


def _check_family(file: YamlFile, experiment: Experiment, name: str, systems: Systems) -> None:
    """Refuse a system whose family is missing or does not suit it."""
    system, families = systems.systems[name], experiment.families
    if system.family not in families:
        why = f"experiment {experiment.experiment} has no family {system.family!r}"
        raise file.error(["systems", name, "family"], f"{why}{hint(system.family, families)}")
    if families[system.family].shape.cell == "gru":
        if system.attention == "none":
            raise file.error(
                ["systems", name], "a gru family needs attention: its cell reads a context"
            )
        if system.input_feeding:
            why = "the context enters a gru's cell, so there is nothing to feed"
            raise file.error(["systems", name, "input_feeding"], why)
