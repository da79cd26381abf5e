"""A parameter file: what an experiment does with the systems of ``systems.yaml``."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Discriminator, Field, PositiveInt, Tag, model_validator

from attnmt.config.corpus import ChoiceCorpus, DownloadCorpus, Expected, LocalCorpus, Source
from attnmt.config.decoding import Decoding, Evaluation, Machine
from attnmt.config.languages import LINKS, Languages
from attnmt.config.model import Family
from attnmt.config.strict import Distinct, Name, Slug, Strict
from attnmt.config.systems import EVERY_OTHER
from attnmt.config.text import Dictionary, Sets, Tokenize
from attnmt.files.yaml_file import SEEDS_BY_NAME, SEEDS_OF_ALL, Location, fault, hint
from attnmt.layout import Layout


def _kind_of_seeds(value: Any) -> str:
    return SEEDS_BY_NAME if isinstance(value, dict) else SEEDS_OF_ALL


class Experiment(Strict):
    """A parameter file: what an experiment does with the systems."""

    experiment: Slug
    languages: Languages
    sets: Sets
    corpus: Annotated[DownloadCorpus | ChoiceCorpus | LocalCorpus, Field(discriminator="kind")]
    tokenize: Tokenize
    dictionary: Dictionary
    families: dict[Name, Family]
    # the systems to train. Without this key, all systems are trained except those in on_request of
    # systems.yaml. An ensemble translates if all its members are trained; one in on_request must also be
    # named here
    systems: Distinct[Name] | None = None
    # how often each system is trained; the trainings are called base, base_2 and base_3. Numbers may
    # also be given by name, as in {base: 3, default: 2}. The systems that are not named then have the
    # number of `default`; without it, they are trained once
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
        if self.source is None:
            return self  # local files are checked when they are read
        for name in self.sets.all():
            if name not in self.source.files:
                known = hint(name, self.source.files)
                raise fault(["sets"], f"the corpus has no set {name!r}{known}")
        return self

    @model_validator(mode="after")
    def _sources_are_of_the_languages(self) -> Self:
        for place, source in self._sources():
            for name, files in source.files.items():
                self._check_suffixes([*place, "files", name], list(files))
            self._check_expected(place, source.expected)
        if self.corpus.kind == "local":
            self._check_expected(["corpus"], self.corpus.expected)
        return self

    def _sources(self) -> Iterator[tuple[Location, Source]]:
        """Yield every source of a corpus that is fetched, chosen or not, and the keys to it."""
        if self.corpus.kind == "download":
            yield ["corpus"], self.corpus
        elif self.corpus.kind == "choice":
            for name, source in self.corpus.sources.items():
                yield ["corpus", "sources", name], source

    def _check_expected(self, place: Location, expected: Expected | None) -> None:
        """Refuse an expected size that does not name both languages."""
        if expected and set(expected.words) != set(self.languages.codes):
            codes = " and ".join(self.languages.codes)
            raise fault([*place, "expected", "words"], f"say how many words {codes} have")

    def _check_suffixes(self, place: Location, suffixes: list[str]) -> None:
        """Refuse a set that has files of a third language, or no files of one of the two."""
        codes = self.languages.codes
        for suffix in suffixes:
            language, _, number = suffix.partition(".")
            if language not in codes and (language != LINKS or number):
                known = [*codes, LINKS]
                raise fault([*place, suffix], f"no such language{hint(suffix, known)}")
        for code in codes:
            if code not in suffixes:
                raise fault(place, f"there are no files of {code!r}, only of {', '.join(suffixes)}")

    @model_validator(mode="after")
    def _text_is_tokenized_once(self) -> Self:
        tokenized = self.source is not None and self.source.tokenized
        for side in ("source", "target"):
            rule = getattr(self.languages, side).tokenize
            if tokenized and rule != "none":
                why = "the corpus text is tokenized; set this to none"
                raise fault(["languages", side, "tokenize"], why)
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
        """Where the text is fetched from; None if it is local."""
        return None if self.corpus.kind == "local" else self.corpus.chosen

    @property
    def local_text(self) -> Path | None:
        """The folder of the text; None if it is fetched."""
        if self.corpus.kind != "local":
            return None
        return Path(self.corpus.text or Layout(self.experiment).local_text)

    @property
    def expected(self) -> Expected | None:
        """The expected size of the text; None if the parameters do not give it."""
        if self.corpus.kind == "local":
            return self.corpus.expected
        return self.source.expected if self.source else None

    def seeds_of_system(self, name: str) -> int:
        """Return how often a system is trained."""
        if isinstance(self.seeds, int):
            return self.seeds
        return self.seeds.get(name, self.seeds.get(EVERY_OTHER, 1))
