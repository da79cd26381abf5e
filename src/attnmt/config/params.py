"""The parameters of an experiment: its own file, and the systems that it trains."""

from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Discriminator, Field, PositiveInt, Tag, model_validator

from attnmt.config.decoding import Decoding, Evaluation, Machine
from attnmt.config.model import Ensemble, Family, Model, Training
from attnmt.config.strict import Distinct, Name, Strict
from attnmt.config.systems import Systems, TableRow
from attnmt.config.text import (
    ChoiceCorpus,
    Dictionary,
    DownloadCorpus,
    GrammarCorpus,
    Sets,
    Source,
    Tokenize,
)
from attnmt.errors import InputError
from attnmt.files.yaml_file import SEEDS_BY_NAME, SEEDS_OF_ALL, YamlFile, fault, hint

DEMO = "demo"  # the experiment at the project's root; each other has a folder in experiments/
SYSTEMS = "systems.yaml"  # in the project's folder


def _kind_of_seeds(value: Any) -> str:
    return SEEDS_BY_NAME if isinstance(value, dict) else SEEDS_OF_ALL


class Experiment(Strict):
    """A parameter file: what an experiment does with the systems."""

    experiment: Name
    sets: Sets
    corpus: Annotated[GrammarCorpus | DownloadCorpus | ChoiceCorpus, Field(discriminator="kind")]
    tokenize: Tokenize
    dictionary: Dictionary
    families: dict[Name, Family]
    systems: Distinct[Name] | None = None  # the systems to train; all if not given
    # how often each system is trained; the trainings are called base, base_2 and base_3. A number may
    # also be given for some systems by name; the others are then trained once
    seeds: Annotated[
        Annotated[PositiveInt, Tag(SEEDS_OF_ALL)]
        | Annotated[dict[Name, PositiveInt], Tag(SEEDS_BY_NAME)],
        Discriminator(_kind_of_seeds),
    ] = 1
    decoding: Decoding
    evaluation: Evaluation
    machine: Machine

    @model_validator(mode="after")
    def _sets_exist(self) -> Self:
        corpus = self.corpus
        known = corpus.sizes if corpus.kind == "grammar" else corpus.chosen.files
        for name in self.sets.all():
            if name not in known:
                raise fault(["sets"], f"the corpus has no set {name!r}{hint(name, known)}")
        if self.corpus.kind == "grammar" and self.sets.train != "train":
            raise fault(["sets", "train"], "the training set of a grammar is named 'train'")
        return self

    @model_validator(mode="after")
    def _text_is_tokenized_once(self) -> Self:
        if self.source is not None and self.source.tokenized == self.tokenize.moses:
            state = "is tokenized" if self.source.tokenized else "is not tokenized"
            moses = str(not self.source.tokenized).lower()
            raise fault(["tokenize", "moses"], f"the corpus text {state}; set this to {moses}")
        return self

    @model_validator(mode="after")
    def _tokenized_sets_exist(self) -> Self:
        for i, name in enumerate(self.tokenize.tokenized):
            if name not in self.sets.all():
                raise fault(
                    ["tokenize", "tokenized", i],
                    f"{name!r} is not in sets{hint(name, self.sets.all())}",
                )
            if name in self.sets.tests:
                why = f"{name!r} is a test set, which is scored against its text as it is written"
                raise fault(["tokenize", "tokenized", i], why)
        return self

    @property
    def source(self) -> Source | None:
        """Where the text is fetched from; None where it is generated."""
        return None if self.corpus.kind == "grammar" else self.corpus.chosen


class Params(Experiment):
    """All parameters of an experiment: its own file, and what it takes from ``systems.yaml``."""

    params_file: str  # relative to the project's folder
    models: dict[Name, Model]  # what is trained: systems, each with its seeds
    ensembles: dict[Name, Ensemble]  # those whose members are all trained
    rows: dict[str, dict[Name, TableRow]]  # by table

    def model(self, name: str) -> Model:
        """Return one model's description.

        Raises:
            InputError: if the experiment has no such model.
        """
        if name not in self.models:
            raise InputError(f"{self.params_file}: no model {name!r}{hint(name, self.models)}")
        return self.models[name]

    def system_of(self, name: str) -> str:
        """Return the system of a model, such as base for base_2.

        Raises:
            InputError: if the experiment has no such model.
        """
        return self.seeds_of(name)[0]

    def recipe(self, name: str) -> Training:
        """Return the recipe that a model learns by.

        Raises:
            InputError: if the experiment has no such model.
        """
        model = self.model(name)
        return self.families[model.family].recipe(model)

    def translators(self, name: str) -> Ensemble:
        """Return the models that translate under a name. A single model is an ensemble of one.

        Raises:
            InputError: if the experiment has neither.
        """
        if name in self.ensembles:
            return self.ensembles[name]
        if name not in self.models:
            known = [*self.models, *self.ensembles]
            raise InputError(
                f"{self.params_file}: no model or ensemble {name!r}{hint(name, known)}"
            )
        return Ensemble.model_construct(family=self.models[name].family, members=[name])

    def attends(self, name: str) -> bool:
        """Return whether a model, or a member of an ensemble, has attention."""
        return any(self.model(m).attention != "none" for m in self.translators(name).members)

    def runs_of(self, name: str | None) -> list[str]:
        """Return the runs that tables and figures show under a name: a model with its other seeds, or an
        ensemble alone. The list is empty if the experiment has neither.
        """
        if name in self.models:
            return self.seeds_of(name)
        return [name] if name in self.ensembles else []

    def seeds_of(self, name: str) -> list[str]:
        """Return the models that differ from ``name`` only in the seed, and ``name`` itself."""
        like = self.model(name).model_dump(exclude={"seed"})
        return [k for k, other in self.models.items() if other.model_dump(exclude={"seed"}) == like]


def load_params(path: Path, project: Path = Path()) -> Params:
    """Read and check a parameter file, and the ``systems.yaml`` of its project.

    Raises:
        InputError: naming file, line and key of every fault. The file must lie in its experiment's
            place in the folder ``project``.
    """
    file = YamlFile.read(path)
    experiment = file.into(Experiment)
    _check_place(file, experiment.experiment, project)
    systems_file = YamlFile.read(project / SYSTEMS)
    systems = systems_file.into(Systems)
    _check_names(file, experiment, systems)
    chosen = experiment.systems or systems.systems
    models = dict[str, Model]()
    for name, entry in systems.systems.items():
        if name not in chosen:
            continue
        _check_family(systems_file, experiment, name, systems)
        count = (
            experiment.seeds if isinstance(experiment.seeds, int) else experiment.seeds.get(name, 1)
        )
        for seed in range(1, count + 1):
            model = name if seed == 1 else f"{name}_{seed}"
            if model in models or (
                model != name and {model} & {*systems.systems, *systems.ensembles}
            ):
                why = (
                    f"{model!r} is seed {seed} of {name!r}, but {SYSTEMS} has this name; change one"
                )
                raise file.error(["seeds"], why)
            models[model] = Model(**dict(entry), seed=seed)
    return Params(
        **dict(experiment),
        params_file=_relative(path, project).as_posix(),
        models=models,
        ensembles={
            name: ensemble
            for name, ensemble in systems.ensembles.items()
            if models.keys() >= set(ensemble.members)
        },
        rows={
            table: {
                key: row.model_copy(update={"label": systems.label(row)})
                for key, row in rows.items()
            }
            for table, rows in systems.tables.items()
        },
    )


def _relative(path: Path, project: Path) -> Path:
    return path.resolve().relative_to(project.resolve())


def _check_place(file: YamlFile, experiment: str, project: Path) -> None:
    """Refuse a copied file that still names another experiment, whose outputs it would replace."""
    place = f"experiments/{experiment}/params.yaml"
    if file.path.resolve() not in [(project / path).resolve() for path in ("params.yaml", place)]:
        raise file.error(
            ["experiment"],
            f"{experiment!r} belongs in {place} (or in params.yaml) of the project's folder; "
            f"name this file's own experiment, and run in the project's folder",
        )


def _check_names(file: YamlFile, experiment: Experiment, systems: Systems) -> None:
    """Refuse names of systems that do not exist, and seeds of a system that is not trained."""
    known = list(systems.systems)
    for i, name in enumerate(experiment.systems or ()):
        if name not in known:
            raise file.error(["systems", i], f"{SYSTEMS} has no system {name!r}{hint(name, known)}")
    trained = experiment.systems or known
    for name in experiment.seeds if isinstance(experiment.seeds, dict) else ():
        if name not in trained:
            raise file.error(["seeds", name], f"no system {name!r} is trained{hint(name, trained)}")


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
        near = hint(experiment, [DEMO, *known]) if known else ""
        raise InputError(f"{path}: no experiment {experiment!r}{near}; run in the project's folder")
    return path
