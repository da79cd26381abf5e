"""A whole parameter file, and what its sections ask of each other."""

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from attnmt.config.model import Ensemble, Family, Model, Training
from attnmt.config.run import Decoding, Evaluation, Machine
from attnmt.config.strict import Name, Strict
from attnmt.config.text import (
    ChoiceCorpus,
    DownloadCorpus,
    GrammarCorpus,
    Lexicon,
    Sets,
    Source,
    Tokenise,
)
from attnmt.errors import InputError
from attnmt.yaml_file import Location, YamlFile, fault, hint

DEMO = "demo"  # the experiment at the project's root; each other has a folder in experiments/
COPIED = (
    "a copied experiment needs its own name, root and params_file, or it takes the other's place"
)


class Params(Strict):
    """A whole parameter file."""

    experiment: Name
    root: str  # from the parameter file's folder to the project's, for dvc.yaml
    params_file: str  # from the project's folder to this file, for dvc.yaml
    sets: Sets
    corpus: Annotated[GrammarCorpus | DownloadCorpus | ChoiceCorpus, Field(discriminator="kind")]
    tokenise: Tokenise
    lexicon: Lexicon
    families: dict[Name, Family]
    models: Annotated[dict[Name, Model], Field(min_length=1)]
    ensembles: dict[Name, Ensemble]
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
    def _text_is_tokenised_once(self) -> Self:
        if self.source is not None and self.source.tokenised == self.tokenise.moses:
            found = "is tokenised" if self.source.tokenised else "is not tokenised"
            wanted = str(not self.source.tokenised).lower()
            raise fault(["tokenise", "moses"], f"the text of corpus {found}; set this to {wanted}")
        return self

    @model_validator(mode="after")
    def _tokenised_sets_exist(self) -> Self:
        for i, name in enumerate(self.tokenise.tokenised):
            if name not in self.sets.all():
                raise fault(
                    ["tokenise", "tokenised", i],
                    f"no set {name!r} plays a part{hint(name, self.sets.all())}",
                )
            if name in self.sets.tests:
                why = f"{name!r} is a test set, which is scored against its text as it is written"
                raise fault(["tokenise", "tokenised", i], why)
        return self

    @model_validator(mode="after")
    def _models_fit_their_families(self) -> Self:
        for name, model in self.models.items():
            if name in ("aligner", "diagonal"):
                why = "tables give this name to links that no model makes; rename the model"
                raise fault(["models", name], why)
            twin = next(other for other, found in self.models.items() if found == model)
            if twin != name:
                why = f"differs from {twin!r} in nothing; give it another seed"
                raise fault(["models", name], why)
            shape = self._family(model.family, ["models", name, "family"]).shape
            if shape.cell == "gru" and model.attention == "none":
                raise fault(
                    ["models", name], "a gru family needs attention: its cell reads a context"
                )
            if shape.cell == "gru" and model.input_feeding:
                why = "the context enters a gru's cell, so there is nothing to feed"
                raise fault(["models", name, "input_feeding"], why)
        return self

    def _family(self, name: str, place: Location) -> Family:
        if name not in self.families:
            raise fault(place, f"no family {name!r}{hint(name, self.families)}")
        return self.families[name]

    @model_validator(mode="after")
    def _ensembles_agree(self) -> Self:
        for name, ensemble in self.ensembles.items():
            if name in self.models:
                raise fault(["ensembles", name], "a model has this name; choose another")
            self._family(ensemble.family, ["ensembles", name, "family"])
            for i, member in enumerate(ensemble.members):
                place: Location = ["ensembles", name, "members", i]
                if member not in self.models:
                    raise fault(place, f"no model {member!r}{hint(member, self.models)}")
                model, first = self.models[member], self.models[ensemble.members[0]]
                if model.family != ensemble.family:
                    raise fault(place, f"{member!r} is of family {model.family!r}")
                for key in ("direction", "reverse"):
                    if getattr(model, key) != getattr(first, key):
                        raise fault(place, f"{member!r} differs from the first member in {key}")
        return self

    @model_validator(mode="after")
    def _file_is_named_by_experiment(self) -> Self:
        own = ("params.yaml", f"experiments/{self.experiment}/params.yaml")
        if self.params_file not in own:
            raise fault(
                ["params_file"],
                f"experiment {self.experiment!r} lies in {own[1]} (in {own[0]} at the root); {COPIED}",
            )
        return self

    @property
    def source(self) -> Source | None:
        """Where the text is fetched from; None where it is generated."""
        return None if self.corpus.kind == "grammar" else self.corpus.chosen

    def model(self, name: str) -> Model:
        """Return one model's description.

        Raises:
            InputError: if the experiment has no such model.
        """
        if name not in self.models:
            raise InputError(f"{self.params_file}: no model {name!r}{hint(name, self.models)}")
        return self.models[name]

    def recipe(self, name: str) -> Training:
        """Return the family's recipe with the model's own epochs and halving put in."""
        model = self.model(name)
        own = {"epochs": model.epochs, "halve_after": model.halve_after}
        recipe = self.families[model.family].training
        return recipe.model_copy(update={k: v for k, v in own.items() if v is not None})

    def translators(self, name: str) -> Ensemble:
        """Return the models that translate under a name: an ensemble, or a model as one of its own.

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
        """Return what answers to a name in tables and figures: a model with its other seeds, an ensemble
        alone, or nothing where the experiment has neither.
        """
        if name in self.models:
            return self.seeds_of(name)
        return [name] if name in self.ensembles else []

    def seeds_of(self, name: str) -> list[str]:
        """Return the models that differ from ``name`` in the seed alone, itself among them."""
        like = self.model(name).model_dump(exclude={"seed"})
        return [k for k, other in self.models.items() if other.model_dump(exclude={"seed"}) == like]


def load_params(path: Path, project: Path = Path()) -> Params:
    """Read and check a parameter file of the project in whose folder stages run.

    Raises:
        InputError: naming file, line and key of every fault; also if ``root`` and ``params_file`` do
            not say where the file lies.
    """
    file = YamlFile.read(path)
    params = file.into(Params)
    roots, paths = (path.parent / params.root, project), (project / params.params_file, path)
    for key, (named, true) in {"root": roots, "params_file": paths}.items():
        if named.resolve() != true.resolve():
            raise InputError(
                f"{path}:{file.line([key])}: {key}: names {named.resolve()}, not "
                f"{true.resolve()}; run in the project's folder; {COPIED}"
            )
    return params


def params_file(experiment: str) -> Path:
    """Return an experiment's parameter file, relative to the project's folder.

    Raises:
        InputError: if there is no such experiment; it names those that there are.
    """
    path = (
        Path("params.yaml")
        if experiment == DEMO
        else Path("experiments", experiment, "params.yaml")
    )
    if not path.exists():
        known = sorted(other.parent.name for other in Path().glob("experiments/*/params.yaml"))
        near = hint(experiment, [DEMO, *known]) if known else ""
        raise InputError(f"{path}: no experiment {experiment!r}{near}; run in the project's folder")
    return path
