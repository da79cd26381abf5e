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
from attnmt.yaml_file import Location, YamlFile, fault, hint

Attention = Literal["none", "global", "local_m", "local_p"]
Score = Literal["location", "dot", "general", "concat", "additive", "self", "key_value"]
# Faults of the authors' program while the paper's models were trained, all off by default:
# the general score's gradient for h_s; half the gradient of p_t; padding that takes part in attention.
Fault = Literal["general_gradient", "position_gradient", "unmasked_padding"]
Direction = Literal["en-de", "de-en"]
# The step whose attention links a word: the one that predicts it, the next (where it is the input), or
# the authors' reading: next for content scores, same for location.
LinkStep = Literal["same", "next", "authors"]
Cell = Literal["lstm", "gru"]
Average = Literal["logits", "probabilities"]
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
    tests: Distinct[Name]  # the first stands for newstest2014 (Table 1), the last for newstest2015
    aligned: Name  # the set whose references are force-decoded for alignment

    @model_validator(mode="after")
    def _parts_differ(self) -> Self:
        if self.dev == self.train:
            raise fault(["dev"], f"{self.dev!r} is the training set; choose by another")
        if self.aligned == self.train:
            raise fault(["aligned"], f"{self.aligned!r} is the training set; align another")
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


class Tokenise(Strict):
    """From raw lines to tokens, and which pairs to train on; the same for every family."""

    moses: bool  # false where the raw text is tokenised already
    split_hyphens: bool  # Moses' aggressive splitting; joined again before scoring
    max_length: PositiveInt  # training pairs with a longer side are dropped, in words


class Lexicon(Strict):
    """The word dictionary that replaces unknown words, learned from aligned training text."""

    max_pairs: PositiveInt  # at most so many training pairs are aligned
    min_count: PositiveInt  # a pair of words seen less often is left out


class Pieces(Strict):
    """Byte-pair encoding (Sennrich et al. 2016), codes learned on both languages together."""

    merges: PositiveInt
    threshold: PositiveInt  # a piece seen less often in its language's training text is split again


class Encoding(Strict):
    """From tokens to the ids that a model reads."""

    vocabulary: Annotated[int, Field(ge=4)]  # entries a language, <unk> <s> </s> included
    lowercase: bool = False
    length: PositiveInt | None = None  # a longer sentence loses its first words
    pieces: Pieces | None = None  # parts of words in place of words


class System(Strict):
    """What distinguishes one model from another of its family."""

    attention: Attention = "none"
    score: Score | None = None
    input_feeding: bool = False
    reverse: bool = False
    dropout: Probability = 0.0
    faults: list[Fault] = []
    direction: Direction = "en-de"

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


class Model(System):
    """One training: a system, the family it belongs to, its seed and, where it differs, its recipe."""

    family: Name
    seed: Annotated[int, Field(ge=0)] = 1
    epochs: PositiveInt | None = None  # in place of the family's
    halve_after: PositiveInt | None = None  # in place of the family's

    @property
    def system(self) -> System:
        """The architecture alone."""
        return System(**{key: getattr(self, key) for key in System.model_fields})


class Ensemble(Strict):
    """Models that translate together. dvc.yaml has a slot for each of the paper's eight."""

    family: Name
    members: Annotated[list[Name], Field(min_length=8, max_length=8), AfterValidator(_differ)]
    # what is averaged: the logits, as the authors' program does, or the probabilities
    average: Average = "logits"


class ModelShape(Strict):
    """The size of every model of a family, and its recurrent cell.

    With ``lstm`` the attention follows the paper: h_t queries, and the context meets it after the
    recurrence. With ``gru`` it follows Bahdanau et al. (2015), as the course report: s_{t-1} queries,
    and the context enters the cell.
    """

    cell: Cell = "lstm"
    layers: PositiveInt
    size: PositiveInt  # cells a layer
    embedding: PositiveInt | None = (
        None  # size of the embeddings; as many as the cells if not given
    )
    window_D: PositiveInt  # half-width of the local window, in words
    location_slots: PositiveInt  # source positions that the location score can address
    init: PositiveFloat  # parameters start uniform in [-init, init]

    @property
    def embedding_size(self) -> int:
        """The size of the embeddings."""
        return self.embedding or self.size


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


class Family(Strict):
    """Models that read the same ids, have one size and learn by one recipe."""

    encoding: Encoding
    shape: ModelShape
    training: Training


class Machine(Strict):
    """What suits the machine. Only ``train_threads`` touches a result: sums change with it."""

    train_threads: PositiveInt  # of the CPU, a training
    decode_threads: PositiveInt  # a translation
    decode_batch: PositiveInt  # sentences translated at once
    checkpoint_minutes: NonNegativeFloat  # between two checkpoints beside those of the evaluations


class Decoding(Strict):
    """Beam search."""

    beam: PositiveInt  # 1 is greedy search
    candidates: PositiveInt  # the search ends when so many translations are finished
    n_best: PositiveInt  # translations to list of each sentence; 1 lists none beside the best
    link_step: LinkStep  # whose attention says which source word stands behind an unknown word

    @model_validator(mode="after")
    def _as_many_finish_as_are_listed(self) -> Self:
        if self.n_best > self.candidates:
            raise fault(["n_best"], f"only {self.candidates} translations finish (candidates)")
        return self


class Evaluation(Strict):
    """Scores and their intervals."""

    bootstrap_samples: Annotated[int, Field(ge=100)]


class Params(Strict):
    """A whole parameter file."""

    profile: Name
    root: str  # from the parameter file's folder to the project's, for dvc.yaml
    params_file: str  # from the project's folder to this file, for dvc.yaml
    sets: Sets
    corpus: Annotated[GrammarCorpus | DownloadCorpus, Field(discriminator="kind")]
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
        known = self.corpus.sizes if self.corpus.kind == "grammar" else self.corpus.files
        for name in self.sets.all():
            if name not in known:
                raise fault(["sets"], f"the corpus has no set {name!r}{hint(name, known)}")
        if self.corpus.kind == "grammar" and self.sets.train != "train":
            raise fault(["sets", "train"], "the training set of a grammar is named 'train'")
        return self

    @model_validator(mode="after")
    def _models_fit_their_families(self) -> Self:
        for name, model in self.models.items():
            if name == "aligner":
                raise fault(
                    ["models", name], "tables call the outside aligner so; rename the model"
                )
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
    def _file_is_named_by_profile(self) -> Self:
        own = ("params.yaml", f"profiles/{self.profile}/params.yaml")
        if self.params_file not in own:
            raise fault(
                ["params_file"],
                f"profile {self.profile!r} lies in {own[1]} (in {own[0]} at the root); {COPIED}",
            )
        return self

    def model(self, name: str) -> Model:
        """Return one model's description.

        Raises:
            InputError: if the profile has no such model.
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
            InputError: if the profile has neither.
        """
        if name in self.ensembles:
            return self.ensembles[name]
        if name not in self.models:
            known = [*self.models, *self.ensembles]
            raise InputError(
                f"{self.params_file}: no model or ensemble {name!r}{hint(name, known)}"
            )
        return Ensemble.model_construct(family=self.models[name].family, members=[name])

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
