"""A parameter file: what an experiment does with the systems of ``systems.yaml``."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, NonNegativeFloat, PositiveInt, model_validator

from attnmt.config.corpus import ChoiceCorpus, DownloadCorpus, LocalCorpus, Source
from attnmt.config.model import Family, Overrides
from attnmt.config.strict import Distinct, Name, Slug, Strict, refuse_unknown
from attnmt.config.systems import EVERY_OTHER
from attnmt.config.text import LINKS, Dictionary, Languages, Sets, Tokenize
from attnmt.files.yaml_file import Location, error_at
from attnmt.layout import Layout

# What a processor computes with: AVX2 alone, AVX-512 for products of matrices, or all that it has.
CpuISA = Literal["avx2", "avx512", "all"]
LengthPenalty = Literal["none", "average", "gnmt"]
USUAL_RATIOS = 0.5, 1.5  # of a search, where no others are given
Ratio = Annotated[float, Field(ge=0, le=100)]
Threads = Annotated[int, Field(ge=1, le=1024)]


class Machine(Strict):
    """Settings for the machine. The first two change a result: they decide how sums are rounded."""

    # avx2 gives the same bytes on every x86-64 processor that has it. avx512 is faster; an LSTM then has
    # other bytes on AMD's Zen 5, and Intel's were not tried. all uses more where there is more (AMX);
    # the numbers are then those of that kind of processor
    cpu_isa: CpuISA
    train_threads: Threads  # CPU threads of a training
    decode_threads: Threads  # CPU threads of a translation
    decode_batch: PositiveInt  # sentences translated at once
    checkpoint_minutes: NonNegativeFloat  # between checkpoints; an evaluation writes one, too
    # whether a training is refused or starts from the beginning if other code wrote its checkpoints
    other_code: Literal["refuse", "restart"]


class SearchRules(Strict):
    """What translations must be like, and which one is the best.

    What is not given is as in the paper and its authors' program.
    """

    # what log p is divided by before finished translations are ranked: 1 (none), the number of words
    # (average), or ((5 + words) / 6)^alpha (gnmt; Wu et al. 2016, equation 14). Here </s> is a word
    length_penalty: LengthPenalty | None = None
    alpha: Annotated[float, Field(ge=0, le=10)] | None = None  # of gnmt
    # For S source words a translation has at least min_ratio (S + 1) words, and the search ends after
    # max_ratio (S + 1), </s> included. They are 0.5 and 1.5 if not given
    min_ratio: Ratio | None = None
    max_ratio: Ratio | None = None

    @model_validator(mode="after")
    def _rules_agree(self) -> Self:
        if (self.alpha is not None) != (self.length_penalty == "gnmt"):
            raise error_at(["alpha"], "give it with length_penalty gnmt, and only then")
        least = USUAL_RATIOS[0] if self.min_ratio is None else self.min_ratio
        most = USUAL_RATIOS[1] if self.max_ratio is None else self.max_ratio
        if least > most:
            key = "min_ratio" if self.max_ratio is None else "max_ratio"
            raise error_at([key], f"the least is {least:g}, and the greatest is {most:g}")
        return self


class Decoding(SearchRules):
    """Beam search."""

    beam: PositiveInt  # 1 is greedy search
    candidates: PositiveInt  # the search ends when this number of translations is finished
    samples: PositiveInt = 12  # sentences of each set, evenly spread, whose attention is shown

    @property
    def named(self) -> str:
        """The beam, and the rules that are not the paper's: ``beam 5, length_penalty average``."""
        rules = self.model_dump(include={*SearchRules.model_fields}, exclude_none=True)
        return ", ".join(f"{key} {value}" for key, value in {"beam": self.beam, **rules}.items())


class Evaluation(Strict):
    """Scores and their intervals."""

    # how often an interval resamples, and how often a paired test shuffles
    bootstrap_samples: Annotated[int, Field(ge=100)]
    length_group: PositiveInt  # sentences in a group of Figure 6; the paper has 200


def _by_name(seeds: Any) -> Any:
    return {EVERY_OTHER: seeds} if isinstance(seeds, int) else seeds


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
        dict[Name, PositiveInt],
        BeforeValidator(_by_name, json_schema_input_type=PositiveInt | dict[Name, PositiveInt]),
    ] = Field(default={EVERY_OTHER: 1})
    # what differs from the family's training for some systems, as in {base: {learning_rate: 0.5}}
    overrides: dict[Name, Overrides] = Field(default_factory=dict)
    decoding: Decoding
    evaluation: Evaluation
    machine: Machine

    @model_validator(mode="after")
    def _the_corpus_has_both_languages(self) -> Self:
        """Refuse a corpus without one of the sets or languages, or with a third language."""
        codes, place = self.languages.codes, list[str | int](["corpus"])
        if self.corpus.kind == "choice":
            place += ["sources", self.corpus.source]
        if self.corpus.expected and set(self.corpus.expected.words) != set(codes):
            why = f"say how many words {' and '.join(codes)} have"
            raise error_at([*place, "expected", "words"], why)
        if self.corpus.kind == "local":
            return self  # local files are checked when they are read
        source = self.corpus.chosen
        licenses = [file.license.name for file in source.downloads() if file.license]
        for i, name in enumerate(self.corpus.accept):
            refuse_unknown(name, licenses, "license", ["corpus", "accept", i])
        if source.hold_out and source.files.keys() >= {*self.sets.all()}:
            raise error_at([*place, "hold_out"], "every set has files; take this key out")
        for name in [self.sets.train] if source.hold_out else self.sets.all():
            refuse_unknown(name, source.files, "set", ["sets"])
        for name, files in source.files.items():
            at: Location = [*place, "files", name]
            for suffix in files:
                if suffix != LINKS:
                    refuse_unknown(suffix, codes, "language", [*at, suffix])
            if not files.keys() >= set(codes):
                raise error_at(at, f"give files of both {' and '.join(codes)}")
        return self

    @model_validator(mode="after")
    def _text_is_tokenized_once(self) -> Self:
        for side in ("source", "target") if self.source and self.source.tokenized else ():
            if getattr(self.languages, side).tokenize != "none":
                why = "the corpus text is tokenized; set this to none"
                raise error_at(["languages", side, "tokenize"], why)
        for i, name in enumerate(self.tokenize.tokenized):
            refuse_unknown(name, self.sets.all(), "set", ["tokenize", "tokenized", i])
            if name in self.sets.tests:
                why = f"{name!r} is a test set, which is scored against its text as it is written"
                raise error_at(["tokenize", "tokenized", i], why)
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
