"""All parameters of an experiment: its own file, and the systems that it trains."""

from collections import defaultdict
from pathlib import Path

from attnmt.config.experiment import Experiment
from attnmt.config.model import ModelShape, TrainingSettings
from attnmt.config.strict import Name
from attnmt.config.systems import SYSTEMS, Ensemble, Systems, TableEntry
from attnmt.config.text import Direction, Encoding
from attnmt.config.trainings import SeededEnsemble, Training, ensembles_of, trainings_of
from attnmt.errors import InputError
from attnmt.files.yaml_file import YamlFile, suggestion
from attnmt.layout import Layout

DEMO = "demo"  # the experiment at the project's root; each other has a folder in experiments/


class Params(Experiment):
    """All parameters of an experiment: its own file, and what it takes from ``systems.yaml``.

    What takes the name of a training or an ensemble raises an InputError if the experiment has none of
    that name, except where it says what it returns then.
    """

    params_file: str  # relative to the project's folder
    trainings: dict[Name, Training]  # what is trained: systems, each with its seeds
    ensembles: dict[Name, SeededEnsemble]  # what translates together, each with its seeds
    tables: dict[Name, TableEntry]  # of scores, by the stem of their files

    def training(self, name: str) -> Training:
        """Return a training: its system, with overrides and a seed."""
        if name not in self.trainings:
            raise InputError(
                f"{self.params_file}: no model {name!r}{suggestion(name, self.trainings)}"
            )
        return self.trainings[name]

    def shape(self, name: str) -> ModelShape:
        """Return the size of a training's model: its family's, with the system's own numbers."""
        training = self.training(name)
        own = {"layers": training.layers, "size": training.size}
        given = {key: value for key, value in own.items() if value is not None}
        return self.families[training.family].shape.model_copy(update=given)

    def half_width(self, name: str) -> int | None:
        """Return the half-width of a training's local window; None if it has none."""
        training = self.training(name)
        is_local = training.attention not in ("none", "global")
        return training.window_D or self.shape(name).window_D if is_local else None

    def settings(self, name: str) -> TrainingSettings:
        """Return how a model is trained: its family's settings, with the system's own."""
        training = self.training(name)
        return self.families[training.family].training.model_copy(update=training.given)

    def translators(self, name: str) -> Ensemble:
        """Return the trainings that translate under a name. A single one is an ensemble of one."""
        if name in self.ensembles:
            return self.ensembles[name]
        if name not in self.trainings:
            known = [*self.trainings, *self.ensembles]
            why = f"no model or ensemble {name!r}{suggestion(name, known)}"
            raise InputError(f"{self.params_file}: {why}")
        return Ensemble(family=self.trainings[name].family, members=[name])

    def sides(self, name: str) -> tuple[str, str]:
        """Return the codes of the languages that a training, or an ensemble, reads and writes."""
        source, target = self.languages.sides(self.direction(name))
        return source.code, target.code

    @property
    def own_text(self) -> bool:
        """Whether the text is local and not the demo's, as ``attnmt new`` makes it."""
        return self.local_text not in (None, Layout(DEMO).local_text)

    @property
    def systems_and_ensembles(self) -> list[str]:
        """All systems and ensembles, without their other seeds."""
        return [name for name, one in self._translating.items() if one.seed == 1]

    @property
    def _translating(self) -> dict[Name, Training | SeededEnsemble]:
        return {**self.trainings, **self.ensembles}

    def direction(self, name: str) -> Direction:
        """Return which way a training or an ensemble translates."""
        return self.training(self.translators(name).members[0]).direction

    @property
    def main_direction(self) -> Direction:
        """Forward, unless all systems translate backward."""
        is_forward = any(one.direction == "forward" for one in self.trainings.values())
        return "forward" if is_forward else "backward"

    def by_units(self, direction: Direction | None = None) -> list[list[str]]:
        """Return groups of trainings that perplexity can rank, by default of the main direction.

        A group reads the same units, whatever its families are: perplexities over other units do not
        compare. The first group is that of the system that ``systems`` names first. Systems with faults
        of the authors' program are left out.
        """
        way, named = direction or self.main_direction, [*(self.systems or ()), *self.trainings]
        chosen = [n for n, one in self.trainings.items() if one.direction == way and not one.faults]
        chosen.sort(key=lambda name: named.index(self.trainings[name].system_name))
        groups = defaultdict[Encoding, list[str]](list)
        for name in chosen:
            groups[self.families[self.trainings[name].family].encoding].append(name)
        return [*groups.values()]

    def attends(self, name: str) -> bool:
        """Return whether a training, or a member of an ensemble, has attention."""
        return any(self.training(m).attention != "none" for m in self.translators(name).members)

    def replaces_words(self, name: str) -> bool:
        """Return whether attention can replace unknown words: the models must attend, and read words."""
        family = self.families[self.translators(name).family]
        return self.attends(name) and family.encoding.pieces is None

    def runs_of(self, name: str | None) -> list[str]:
        """Return what tables and figures show under a name: a training or an ensemble with its other
        seeds. The list is empty if the experiment has neither.
        """
        known = self._translating
        like = known.get(name or "")
        return [one for one in known if like and known[one].system_name == like.system_name]


def load_params(path: Path | str, project: Path | str = Path()) -> Params:
    """Read and check a parameter file, and the ``systems.yaml`` of its project.

    Raises:
        InputError: naming file, line and key of every fault. The file must lie in its experiment's
            place in the folder ``project``.
    """
    path, project = Path(path), Path(project)
    file = YamlFile.read(path)
    experiment = file.into(Experiment)
    place = _place(file, experiment.experiment, project)
    systems_file = YamlFile.read(project / SYSTEMS)
    systems = systems_file.into(Systems)
    trainings = trainings_of(file, experiment, systems_file, systems)
    return Params(
        **dict(experiment),
        params_file=place,
        trainings=trainings,
        ensembles=ensembles_of(file, experiment, systems, trainings),
        tables=systems.tables,
    )


def _place(file: YamlFile, experiment: str, project: Path) -> str:
    """Return where a file lies in the project, whose folders may be links.

    A file that names an experiment of another file is refused: it would replace its outputs.
    """
    place = f"experiments/{experiment}/params.yaml"
    # The root's file may have any name that no folder has.
    own = place if (project / place).exists() else "params.yaml"
    if file.path.resolve() != (project / own).resolve():
        where = place if own == place else f"{place} (or in params.yaml)"
        why = f"{experiment!r} belongs in {where} of the project's folder"
        cure = "name this file's own experiment, and run in the project's folder"
        raise file.error(["experiment"], f"{why}; {cure}")
    return own


def experiments(root: Path = Path()) -> list[str]:
    """Return the names of all experiments, the demo first."""
    return [DEMO, *sorted(path.parent.name for path in root.glob("experiments/*/params.yaml"))]


def params_file(experiment: str) -> Path:
    """Return an experiment's parameter file, relative to the project's folder.

    Raises:
        InputError: if there is no such experiment; the message names those that exist.
    """
    path = Path("params.yaml" if experiment == DEMO else f"experiments/{experiment}/params.yaml")
    if not path.exists():
        near = suggestion(experiment, experiments()) if Path(SYSTEMS).exists() else ""
        raise InputError(f"{path}: no experiment {experiment!r}{near}; run in the project's folder")
    return path
