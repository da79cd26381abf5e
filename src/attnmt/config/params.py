"""All parameters of an experiment: its own file, and the systems that it trains."""

from pathlib import Path

from attnmt.config.experiment import Experiment
from attnmt.config.languages import Direction
from attnmt.config.model import Ensemble, ModelShape, Overrides, Recipe, TrainedEnsemble, Training
from attnmt.config.strict import Name
from attnmt.config.systems import Systems, TableEntry
from attnmt.config.trainings import SYSTEMS, trained_ensembles, trained_systems
from attnmt.errors import InputError
from attnmt.files.yaml_file import YamlFile, suggestion
from attnmt.layout import Layout

DEMO = "demo"  # the experiment at the project's root; each other has a folder in experiments/


class Params(Experiment):
    """All parameters of an experiment: its own file, and what it takes from ``systems.yaml``.

    What takes the name of a model or an ensemble raises an InputError if the experiment has none of that
    name, except where it says what it returns then.
    """

    params_file: str  # relative to the project's folder
    trainings: dict[Name, Training]  # what is trained: systems, each with its seeds
    ensembles: dict[Name, TrainedEnsemble]  # what translates together, each with its seeds
    on_request: list[Name]  # systems and ensembles that an experiment has only if it names them
    tables: dict[Name, TableEntry]  # of scores, by the stem of their files

    def training(self, name: str) -> Training:
        """Return one model's description."""
        if name not in self.trainings:
            raise InputError(
                f"{self.params_file}: no model {name!r}{suggestion(name, self.trainings)}"
            )
        return self.trainings[name]

    def system_of(self, name: str) -> str:
        """Return the system of a model, such as base for base_2, or base_slow for base_slow_2."""
        return self.training(name).system_name

    def shape(self, name: str) -> ModelShape:
        """Return the size of a model."""
        model = self.training(name)
        return self.families[model.family].shape_of(model)

    def half_width(self, name: str) -> int | None:
        """Return the half-width of a model's local window; None if it has none."""
        model = self.training(name)
        is_local = model.attention not in ("none", "global")
        return model.window_D or self.shape(name).window_D if is_local else None

    def recipe(self, name: str) -> Recipe:
        """Return the recipe that a model learns by."""
        model = self.training(name)
        return self.families[model.family].recipe(model)

    def translators(self, name: str) -> Ensemble:
        """Return the models that translate under a name. A single model is an ensemble of one."""
        if name in self.ensembles:
            return self.ensembles[name]
        if name not in self.trainings:
            known = [*self.trainings, *self.ensembles]
            why = f"no model or ensemble {name!r}{suggestion(name, known)}"
            raise InputError(f"{self.params_file}: {why}")
        return Ensemble.model_construct(family=self.trainings[name].family, members=[name])

    def sides(self, name: str) -> tuple[str, str]:
        """Return the codes of the languages that a model, or an ensemble, reads and writes."""
        source, target = self.languages.sides(self.direction(name))
        return source.code, target.code

    @property
    def own_text(self) -> bool:
        """Whether the text is local and not the demo's, as ``attnmt new`` makes it."""
        return self.local_text not in (None, Layout(DEMO).local_text)

    @property
    def systems_and_ensembles(self) -> list[str]:
        """All systems and ensembles, without their other seeds."""
        runs = {**self.trainings, **self.ensembles}
        return [name for name, run in runs.items() if run.seed == 1]

    def direction(self, name: str) -> Direction:
        """Return which way a model or an ensemble translates."""
        return self.training(self.translators(name).members[0]).direction

    @property
    def main_direction(self) -> Direction:
        """Forward, unless all models translate backward."""
        is_forward = any(model.direction == "forward" for model in self.trainings.values())
        return "forward" if is_forward else "backward"

    def ranked_together(self, direction: Direction | None = None) -> list[str]:
        """Return the models of a direction, by default the main one, that perplexity can rank.

        It is that on the development set. They read the same units as the first of them, whatever their
        family is: perplexities over other units do not compare. Models with faults of the authors'
        program are left out.
        """
        way = direction or self.main_direction
        models = {
            name: self.families[model.family].encoding
            for name, model in self.trainings.items()
            if model.direction == way and not model.faults
        }
        return [name for name in models if models[name] == next(iter(models.values()))]

    def attends(self, name: str) -> bool:
        """Return whether a model, or a member of an ensemble, has attention."""
        return any(self.training(m).attention != "none" for m in self.translators(name).members)

    def replaces_words(self, name: str) -> bool:
        """Return whether attention can replace unknown words: the models must attend, and read words."""
        family = self.families[self.translators(name).family]
        return self.attends(name) and family.encoding.pieces is None

    def runs_of(self, name: str | None) -> list[str]:
        """Return the runs that tables and figures show under a name: a model or an ensemble with its
        other seeds. The list is empty if the experiment has neither.
        """
        runs = {**self.trainings, **self.ensembles}
        like = runs.get(name or "")
        return [run for run in runs if like and runs[run].system_name == like.system_name]

    def seeds_of(self, name: str) -> list[str]:
        """Return the models that differ from ``name`` only in the seed, and ``name`` itself."""
        system = self.system_of(name)
        return [other for other in self.trainings if self.system_of(other) == system]

    def system_under(self, recipe: Name | None, name: str) -> str | None:
        """Return what a system or an ensemble is called under another recipe.

        The name stays the same if that recipe is the family's own. The result is None if the experiment
        does not train it by that recipe.
        """
        runs = {**self.trainings, **self.ensembles}
        if recipe is None or name not in runs:
            return name if name in runs else None
        entries = self.recipes[recipe]
        if all(entries.get(one) == Overrides() for one in self.translators(name).members):
            return name
        other = (run for run in runs.values() if (run.entry, run.recipe) == (name, recipe))
        return next((run.system_name for run in other), None)


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
    trainings = trained_systems(file, experiment, systems_file, systems)
    return Params(
        **dict(experiment),
        params_file=place,
        trainings=trainings,
        ensembles=trained_ensembles(file, experiment, systems, trainings),
        on_request=systems.on_request,
        tables={
            name: table.model_copy(
                update={
                    "rows": {
                        key: row.model_copy(update={"label": systems.label(row)})
                        for key, row in table.rows.items()
                    }
                }
            )
            for name, table in systems.tables.items()
        },
    )


def _place(file: YamlFile, experiment: str, project: Path) -> str:
    """Return where a file lies in the project, whose folders may be links.

    A file that names an experiment of another file is refused: it would replace its outputs.
    """
    place = f"experiments/{experiment}/params.yaml"
    # The root's file may have any name that no folder has.
    own = place if (project / place).exists() else "params.yaml"
    if file.path.resolve() != (project / own).resolve():
        where = f"{place} of" if (project / place).exists() else f"{place} (or in params.yaml) of"
        raise file.error(
            ["experiment"],
            f"{experiment!r} belongs in {where} the project's folder; name this file's own experiment, "
            f"and run in the project's folder",
        )
    return own


def params_file(experiment: str) -> Path:
    """Return an experiment's parameter file, relative to the project's folder.

    Raises:
        InputError: if there is no such experiment; the message names those that exist.
    """
    path = (
        Path("params.yaml")
        if experiment == DEMO
        else Path("experiments", experiment, "params.yaml")
    )
    if not path.exists():
        known = sorted(file.parent.name for file in Path().glob("experiments/*/params.yaml"))
        near = suggestion(experiment, [DEMO, *known]) if known else ""
        raise InputError(f"{path}: no experiment {experiment!r}{near}; run in the project's folder")
    return path
