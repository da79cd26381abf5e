"""The parameters of a profile: typed, documented, unknown keys refused before anything runs.

``params.yaml`` is the demo's and is commented; ``profiles/*/params.yaml`` are the others'.
"""

from pathlib import Path, PurePosixPath
from typing import Annotated, Literal, Self, TypeVar
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    model_validator,
)

from attnmt.errors import InputError
from attnmt.yaml_file import YamlFile, fault, hint

Attention = Literal["none", "global", "local_m", "local_p"]
Score = Literal["location", "dot", "general", "concat", "additive"]
# Faults of the authors' program while the paper's models were trained, all off by default:
# the general score's gradient for h_s; half the gradient of p_t; padding that takes part in attention.
Fault = Literal["general_gradient", "position_gradient", "unmasked_padding"]
Direction = Literal["en-de", "de-en"]
# The step whose attention links a word: the one that predicts it, the next (where it is the input), or
# the authors' reading: next for content scores, same for location.
LinkStep = Literal["same", "next", "authors"]
Probability = Annotated[float, Field(ge=0, lt=1)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_]+$")]
T = TypeVar("T")
COPIED = (
    "a copied profile needs its own profile, root and params_file, or it takes the other's place"
)


def _differ(values: list[T]) -> list[T]:
    for i, value in enumerate(values):
        if value in values[:i]:
            raise fault([i], f"{value!r} stands in this list already; name it once")
    return values


Distinct = Annotated[list[T], Field(min_length=1), AfterValidator(_differ)]


class Strict(BaseModel):
    """A section in which every key must be known."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Sets(Strict):
    """Which of the corpus's sets plays which part."""

    train: Name
    dev: Name  # chooses the checkpoint
    tests: Distinct[Name]  # the first is Table 1's
    aligned: Name  # the set whose references are force-decoded for alignment

    @model_validator(mode="after")
    def _parts_differ(self) -> Self:
        if self.dev == self.train:
            raise fault(["dev"], f"{self.dev!r} is the training set; choose by another")
        for i, name in enumerate(self.tests):
            if name in (self.train, self.dev):
                part = "training set" if name == self.train else "dev set"
                raise fault(["tests", i], f"{name!r} is the {part}; a test set must be unseen")
        return self

    def all(self) -> list[str]:
        """Return every set once, training first."""
        return list(dict.fromkeys([self.train, self.dev, *self.tests, self.aligned]))


class GrammarCorpus(Strict):
    """The demo's corpus: generated, with gold links for every pair."""

    kind: Literal["grammar"]
    sizes: dict[Name, PositiveInt]  # sentence pairs of each set
    seed: int


class File(Strict):
    """One file to download. The last part of its address is its name in a mirror."""

    url: str
    digest: str = Field(pattern=r"^(md5:[0-9a-f]{32}|sha1:[0-9a-f]{40}|sha256:[0-9a-f]{64})$")

    @property
    def name(self) -> str:
        """The last part of the address."""
        return PurePosixPath(urlsplit(self.url).path).name


class ParallelFiles(Strict):
    """The files whose lines, in this order, are a set: line k of an English one is translated by
    line k of the German one beside it."""

    en: list[File] = Field(min_length=1)
    de: list[File] = Field(min_length=1)

    @model_validator(mode="after")
    def _files_come_in_pairs(self) -> Self:
        if len(self.en) != len(self.de):
            raise ValueError(f"as many files of en as of de, not {len(self.en)} and {len(self.de)}")
        return self


class DownloadCorpus(Strict):
    """Files from the network, or from the folder that ATTNMT_MIRROR names."""

    kind: Literal["download"]
    files: dict[Name, ParallelFiles]

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        digests: dict[str, str] = {}
        for file in (f for sides in self.files.values() for f in (*sides.en, *sides.de)):
            if digests.setdefault(file.name, file.digest) != file.digest:
                raise ValueError(f"two different files are named {file.name!r}")
        return self


class Preprocess(Strict):
    """From raw lines to ids."""

    vocabulary: Annotated[int, Field(ge=4)]  # entries a language, <unk> <s> </s> included
    max_length: PositiveInt  # training pairs with a longer side are dropped, in words
    tokenise: bool  # false where the raw text is tokenised already
    split_hyphens: bool  # Moses' aggressive splitting; joined again before scoring


class Lexicon(Strict):
    """The word dictionary that replaces unknown words, learned from aligned training text."""

    iterations: PositiveInt  # of EM
    max_pairs: PositiveInt  # at most so many training pairs are aligned
    min_count: PositiveInt  # a pair of words seen less often is left out


class System(Strict):
    """What distinguishes one trained model from another."""

    attention: Attention = "none"
    score: Score | None = None
    input_feeding: bool = False
    reverse: bool = False
    dropout: Probability = 0.0
    faults: list[Fault] = []
    direction: Direction = "en-de"
    epochs: PositiveInt | None = None  # in place of training.epochs
    halve_after: PositiveInt | None = None  # in place of training.halve_after

    @model_validator(mode="after")
    def _attention_has_a_score(self) -> Self:
        if (self.attention == "none") != (self.score is None):
            raise ValueError("score must be given with attention, and only then")
        if self.score == "location" and self.attention != "global":
            raise ValueError("score 'location' is defined for attention 'global' only")
        if "general_gradient" in self.faults and self.score != "general":
            raise ValueError("fault 'general_gradient' is one of score 'general'")
        if "position_gradient" in self.faults and self.attention != "local_p":
            raise ValueError("fault 'position_gradient' is one of attention 'local_p'")
        if "unmasked_padding" in self.faults and self.score in (None, "location"):
            raise ValueError("fault 'unmasked_padding' is one of the content scores")
        return self

    @property
    def source(self) -> str:
        """The source language."""
        return self.direction.split("-")[0]

    @property
    def target(self) -> str:
        """The target language."""
        return self.direction.split("-")[1]


class ModelShape(Strict):
    """The size of every model of the profile."""

    layers: PositiveInt
    size: PositiveInt  # cells a layer; also the size of the embeddings
    window_D: PositiveInt  # half-width of the local window, in words
    location_slots: PositiveInt  # source positions that the location score can address
    init: PositiveFloat  # parameters start uniform in [-init, init]


class Training(Strict):
    """The paper's recipe, section 4.1, and what it leaves open."""

    batch_size: PositiveInt  # sentence pairs; every gradient is divided by it
    learning_rate: PositiveFloat
    epochs: PositiveInt
    halve_after: PositiveInt  # the rate is halved every epoch after this one
    # the first halved epoch: halve_after + 1 (paper), + 2 (program: what the authors' code does)
    schedule: Literal["paper", "program"]
    clip_norm: PositiveFloat
    clip_embeddings: bool  # whether the embeddings count in the norm; the authors' do not
    # corpus: all pairs in a new order every epoch; chunk: only those of a chunk, as the authors
    shuffle: Literal["corpus", "chunk"]
    chunk_batches: PositiveInt  # batches' worth of pairs that are sorted by length together
    evaluate_every: PositiveInt  # batches between two evaluations
    checkpoint_minutes: NonNegativeFloat  # between two checkpoints beside those of the evaluations
    threads: PositiveInt  # of the CPU; part of the result, as sums change with it


class Decoding(Strict):
    """Beam search."""

    beam: PositiveInt
    candidates: PositiveInt  # the search ends when so many translations are finished
    batch_size: PositiveInt  # sentences at once; does not change the translations
    link_step: LinkStep  # whose attention says which source word stands behind an unknown word
    threads: PositiveInt


class Evaluation(Strict):
    """Scores and their intervals."""

    bootstrap_samples: Annotated[int, Field(ge=100)]


class Run(Strict):
    """What the profile trains. Lists, because DVC's matrix and Snakemake expand them."""

    models: Distinct[Name]
    attentional: list[Name]  # those of models that have links to report
    seeds: Distinct[Annotated[int, Field(ge=0)]]


class Params(Strict):
    """A whole parameter file."""

    profile: Name
    root: str  # from the parameter file's folder to the project's, for dvc.yaml
    params_file: str  # from the project's folder to this file, for dvc.yaml
    sets: Sets
    corpus: Annotated[GrammarCorpus | DownloadCorpus, Field(discriminator="kind")]
    preprocess: Preprocess
    lexicon: Lexicon
    model: ModelShape
    training: Training
    models: dict[Name, System]
    run: Run
    decoding: Decoding
    evaluation: Evaluation

    @model_validator(mode="after")
    def _names_are_defined(self) -> Self:
        for i, name in enumerate(self.run.models):
            if name not in self.models:
                raise fault(["run", "models", i], f"no model {name!r}{hint(name, self.models)}")
        having = [name for name in self.run.models if self.models[name].attention != "none"]
        if self.run.attentional != having:
            raise fault(["run", "attentional"], f"those of run.models with attention are {having}")
        known = self.corpus.sizes if self.corpus.kind == "grammar" else self.corpus.files
        for name in self.sets.all():
            if name not in known:
                raise fault(["sets"], f"the corpus has no set {name!r}{hint(name, known)}")
        if self.corpus.kind == "grammar" and self.sets.train != "train":
            raise fault(["sets", "train"], "the training set of a grammar is named 'train'")
        return self

    @model_validator(mode="after")
    def _file_is_named_by_profile(self) -> Self:
        own = ("params.yaml", f"profiles/{self.profile}/params.yaml")
        if self.params_file not in own:
            raise fault(
                ["params_file"],
                f"profile {self.profile!r} lies in {own[1]} (in {own[0]} at the root); {COPIED}",
            )
        return self

    def system(self, name: str) -> System:
        """Return one model's description.

        Raises:
            InputError: if the profile has no such model.
        """
        if name not in self.models:
            raise InputError(f"{self.params_file}: no model {name!r}{hint(name, self.models)}")
        return self.models[name]

    def recipe(self, name: str) -> Training:
        """Return the training section with the model's own epochs and halving put in."""
        system = self.system(name)
        own = {"epochs": system.epochs, "halve_after": system.halve_after}
        return self.training.model_copy(update={k: v for k, v in own.items() if v is not None})


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
