"""A parameter file: what an experiment does with the systems of ``systems.yaml``."""

from typing import Annotated, Any, Self

from pydantic import Discriminator, Field, PositiveInt, Tag, model_validator

from attnmt.config.decoding import Decoding, Evaluation, Machine
from attnmt.config.model import Family
from attnmt.config.strict import Distinct, Name, Strict
from attnmt.config.systems import EVERY_OTHER
from attnmt.config.text import (
    ChoiceCorpus,
    Dictionary,
    DownloadCorpus,
    GrammarCorpus,
    Sets,
    Source,
    Tokenize,
)
from attnmt.files.yaml_file import SEEDS_BY_NAME, SEEDS_OF_ALL, fault, hint


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
    # the systems to train; if not given, all but those on_request in systems.yaml. An ensemble
    # translates if all its members are trained. One that is on_request must also be named here
    systems: Distinct[Name] | None = None
    # how often each system is trained; the trainings are called base, base_2 and base_3. Numbers may
    # also be given by name, as in {base: 3}; the others then have the number of the name `default`, or
    # are trained once
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

    def seeds_of_system(self, name: str) -> int:
        """Return how often a system is trained."""
        if isinstance(self.seeds, int):
            return self.seeds
        return self.seeds.get(name, self.seeds.get(EVERY_OTHER, 1))
