"""What an experiment trains and what translates: its systems and ensembles, each with its seeds."""

from collections.abc import Collection
from itertools import count

from pydantic import Field

from attnmt.config.experiment import Experiment
from attnmt.config.model import Overrides
from attnmt.config.strict import Name, Strict
from attnmt.config.systems import EVERY_OTHER, SYSTEMS, Ensemble, Entry, Systems
from attnmt.files.yaml_file import YamlFile, suggestion


class Seeded(Strict):
    """Which system or ensemble of ``systems.yaml`` it is, and with which seed."""

    system_name: Name
    seed: int = Field(ge=1)


class Training(Seeded, Entry):
    """A system with the experiment's overrides and a seed."""


class SeededEnsemble(Seeded, Ensemble):
    """Models that were trained with the same seed, or that the ensemble names."""


def training_name(system: str, seed: int) -> str:
    """Return what a system or an ensemble with a seed is called: base, base_2, base_3."""
    return system if seed == 1 else f"{system}_{seed}"


def trainings_of(
    file: YamlFile, experiment: Experiment, systems_file: YamlFile, systems: Systems
) -> dict[Name, Training]:
    """Return what an experiment trains: its systems in the order of ``systems.yaml``, with their seeds.

    Raises:
        InputError: if the experiment names a system that does not exist, or one for whose family it
            has no settings; if it gives seeds or overrides of a system that it does not train; or if
            the name of a training is taken.
    """
    known = systems.names
    for i, name in enumerate(experiment.systems or ()):
        if name not in known:
            why = f"{SYSTEMS} has no system {name!r}{suggestion(name, known)}"
            raise file.error(["systems", i], why)
    named = experiment.systems or [name for name in known if name not in systems.on_request]
    chosen = [name for name in systems.systems if name in named]
    for key, names in {
        "seeds": [name for name in experiment.seeds if name != EVERY_OTHER],
        "overrides": [*experiment.overrides],
    }.items():
        for name in names:
            if name not in chosen:
                why = f"no system {name!r} is trained{suggestion(name, chosen)}"
                raise file.error([key, name], why)
    trainings = dict[Name, Training]()
    for name in chosen:
        entry, changes = systems.systems[name], experiment.overrides.get(name, Overrides())
        _check_family(systems_file, experiment, name, entry)
        values = dict(entry) | changes.given | {"system_name": name}
        seeds = experiment.seeds.get(name, experiment.seeds.get(EVERY_OTHER, 1))
        for seed in range(1, seeds + 1):
            training = Training(**values, seed=seed)
            trainings[_free_name(file, training, known)] = training
    return trainings


def ensembles_of(
    file: YamlFile, experiment: Experiment, systems: Systems, trainings: Collection[Name]
) -> dict[Name, SeededEnsemble]:
    """Return an experiment's ensembles, one for each seed that all members have.

    An ensemble whose list of members names seeds, as in ``base_2``, is one ensemble.

    Raises:
        InputError: if the experiment names an ensemble that lacks a member.
    """
    named = experiment.systems or []
    ensembles = dict[Name, SeededEnsemble]()
    for name, entry in systems.ensembles.items():
        if name in systems.on_request and name not in named:
            continue
        missing = [member for member in entry.members if member not in trainings]
        if missing and name in named:
            why = f"{name!r} has the member {missing[0]!r}, which is not trained"
            cure = "add it to systems, or raise its seeds"
            raise file.error(["systems", named.index(name)], f"{why}; {cure}")
        for seed in count(1):
            members = [training_name(member, seed) for member in entry.members]
            if not set(members) <= {*trainings}:
                break
            ensemble = SeededEnsemble(
                family=entry.family, members=members, system_name=name, seed=seed
            )
            ensembles[_free_name(file, ensemble, systems.names)] = ensemble
    return ensembles


def _free_name(file: YamlFile, one: Seeded, known: Collection[str]) -> str:
    """Return the name of a system or an ensemble with its seed; refuse that of something else."""
    name = training_name(one.system_name, one.seed)
    if one.seed > 1 and name in known:
        why = f"{name!r} would be seed {one.seed} of {one.system_name!r}, but is a name already"
        raise file.error(["seeds"], f"{why}; change one of the two")
    return name


def _check_family(file: YamlFile, experiment: Experiment, name: str, entry: Entry) -> None:
    """Refuse a system whose family is missing or does not suit it."""
    family = experiment.families.get(entry.family)
    if family is None:
        why = f"experiment {experiment.experiment} has no family {entry.family!r}"
        why += suggestion(entry.family, experiment.families)
        raise file.error(["systems", name, "family"], why)
    if family.shape.cell == "gru" and (entry.attention == "none" or entry.input_feeding):
        why = "a gru needs attention, whose context enters its cell, so nothing is fed"
        raise file.error(["systems", name], why)
