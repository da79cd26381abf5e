"""Text and what becomes of it: the sections from the corpus to the ids of a family."""

from pathlib import PurePosixPath
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, PositiveInt, model_validator

from attnmt.config.strict import Distinct, Name, Strict
from attnmt.yaml_file import fault


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


class Expected(Strict):
    """What a corpus is said to hold: what ``attnmt plan`` reckons with before it is there."""

    pairs: PositiveInt  # of the training set
    words: Annotated[dict[Literal["en", "de"], PositiveInt], Field(min_length=2)]  # the same
    bytes: PositiveInt  # of all files to fetch


class DownloadCorpus(Strict):
    """Files from the network, or from the folder that ATTNMT_MIRROR names."""

    kind: Literal["download"]
    files: dict[Name, ParallelFiles]
    expected: Expected | None = None

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
