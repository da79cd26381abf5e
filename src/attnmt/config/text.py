"""The sections about text, from the corpus to the ids that a family reads."""

import posixpath
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, PositiveInt, model_validator

from attnmt.config.strict import Distinct, Name, Strict, differ
from attnmt.files.yaml_file import fault, hint


class Sets(Strict):
    """Which part each set of the corpus plays."""

    train: Name
    dev: Name  # chooses the checkpoint
    tests: Distinct[Name]  # the first stands for newstest2014 (Table 1), the last for newstest2015
    aligned: Name  # the set whose references are force-decoded for alignment

    @model_validator(mode="after")
    def _parts_differ(self) -> Self:
        if self.dev == self.train:
            raise fault(["dev"], f"{self.dev!r} is the training set; choose another")
        if self.aligned == self.train:
            raise fault(["aligned"], f"{self.aligned!r} is the training set; choose another")
        for i, name in enumerate(self.tests):
            if name in (self.train, self.dev):
                part = "training set" if name == self.train else "dev set"
                raise fault(["tests", i], f"{name!r} is the {part}; a test set must be unseen")
        return self

    def all(self) -> list[str]:
        """Return every set once, training first."""
        return list(dict.fromkeys([self.train, self.dev, *self.tests, self.aligned]))


class GrammarCorpus(Strict):
    """The demo's corpus, which is generated and has gold links for every pair."""

    kind: Literal["grammar"]
    sizes: dict[Name, PositiveInt]  # sentence pairs of each set
    seed: int


class License(Strict):
    """Terms that a person must accept before fetching a file."""

    name: Name
    terms: str  # in short
    url: str  # the terms in full


class File(Strict):
    """One file to download. The last part of its address is its name in a mirror."""

    url: str
    mirrors: list[str] = Field(default=[])  # other addresses of the same bytes, tried in this order
    digest: str = Field(pattern=r"^(md5:[0-9a-f]{32}|sha1:[0-9a-f]{40}|sha256:[0-9a-f]{64})$")
    bytes: PositiveInt | None = None
    license: License | None = None
    member: str | None = None  # the path of the text inside a .tgz or .tar.gz
    encoding: Literal["utf-8", "cp1252"] = "utf-8"

    @model_validator(mode="after")
    def _a_member_is_of_an_archive(self) -> Self:
        archive = self.name.endswith((".tgz", ".tar.gz"))
        if archive and self.member is None:
            raise fault(["member"], f"{self.name} is an archive; say which of its files is meant")
        if self.member is not None:
            if not archive:
                why = f"{self.name} is not a .tgz or .tar.gz, so it has no members"
                raise fault(["member"], why)
            if self.member != posixpath.normpath(self.member) or self.member[0] in "./":
                why = f"{self.member!r} is not a plain path such as dev/news.en"
                raise fault(["member"], why)
        if self.encoding != "utf-8" and self.text.endswith(".gz"):
            raise fault(["encoding"], f"{self.text} is compressed; only plain text can be recoded")
        return self

    @property
    def name(self) -> str:
        """The last part of the address."""
        return PurePosixPath(urlsplit(self.url).path).name

    @property
    def text(self) -> str:
        """The name of the text. The name of a member begins with that of its archive."""
        return self.name if self.member is None else f"{self.name}/{self.member}"


class ParallelFiles(Strict):
    """The files whose lines, in this order, make up a set.

    The files at the same place in the lists belong together: line k of the German file translates line
    k of the English one, and line k of the gold links, if there are any, links the two. A file's suffix
    tells its format: SGM (.sgm), RWTH's links (.talp), compressed lines (.gz) or else lines.
    """

    en: list[File] = Field(min_length=1)
    de: list[File] = Field(min_length=1)
    links: list[File] = Field(default=[])

    @model_validator(mode="after")
    def _files_come_in_pairs(self) -> Self:
        if len(self.en) != len(self.de):
            counts = f"{len(self.en)} files of en and {len(self.de)} of de"
            raise ValueError(f"{counts}; there must be the same number of each")
        if len(self.links) not in (0, len(self.en)):
            counts = f"{len(self.en)} files of en and {len(self.links)} of links"
            raise ValueError(f"{counts}; there must be the same number of each, or no links")
        for en, de in zip(self.en, self.de, strict=True):
            if en.text == de.text:
                raise ValueError(f"the same text is on both sides: {en.text}")
            if en.text.endswith(".sgm") != de.text.endswith(".sgm"):
                raise ValueError(
                    f"only one side is SGM: {en.text}, {de.text}; both or neither must be"
                )
            if en.text.endswith(".sgm") and self.links:
                raise ValueError(f"links go with lines of text, not with SGM: {en.text}")
        return self

    def all(self) -> list[File]:
        """Return every file of the set."""
        return [*self.en, *self.de, *self.links]


class Expected(Strict):
    """The expected size of a corpus. ``attnmt plan`` uses it until the text is there."""

    pairs: PositiveInt  # training pairs in which neither side is longer than tokenize.max_length
    words: Annotated[dict[Literal["en", "de"], PositiveInt], Field(min_length=2)]  # in these pairs
    raw_bytes: PositiveInt  # size of all raw text, long sentences included
    bytes: PositiveInt  # size of all files to fetch


class Source(Strict):
    """Where the text of every set comes from."""

    files: dict[Name, ParallelFiles]
    tokenized: bool = False  # whether the fetched text is tokenized; tokenize.moses is then false
    expected: Expected | None = None

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        fetched: dict[str, dict[str, Any]] = {}
        for file in self._all_files():
            description = file.model_dump(exclude={"member", "encoding"})
            if fetched.setdefault(file.name, description) != description:
                raise ValueError(f"two different files are named {file.name!r}")
        return self

    def downloads(self) -> list[File]:
        """Return the files to fetch, each once, even if several of its members are used."""
        return list({file.name: file for file in self._all_files()}.values())

    def _all_files(self) -> Iterator[File]:
        return (file for sides in self.files.values() for file in sides.all())


class DownloadCorpus(Source):
    """Files from the network, or from the folder that ATTNMT_MIRROR names."""

    kind: Literal["download"]

    @property
    def chosen(self) -> Source:
        """The only source."""
        return self


class ChoiceCorpus(Strict):
    """The same sets from several sources; ``source`` names the one that is used."""

    kind: Literal["choice"]
    source: Name
    sources: dict[Name, Source]

    @model_validator(mode="after")
    def _source_exists(self) -> Self:
        if self.source not in self.sources:
            raise fault(["source"], f"no source {self.source!r}{hint(self.source, self.sources)}")
        return self

    @property
    def chosen(self) -> Source:
        """The source that is used."""
        return self.sources[self.source]


class Tokenize(Strict):
    """How raw lines become tokens, and which pairs are trained on. All families share this."""

    moses: bool  # false where the raw text is tokenized already
    split_hyphens: bool  # Moses' aggressive splitting; hyphens are joined again before scoring
    max_length: PositiveInt  # words; training pairs with a longer side are dropped
    # sets whose raw text is tokenized already, whatever ``moses`` says. Gold links count the tokens of
    # this text. So the tokens are not split again; they are only escaped as Moses escapes them
    tokenized: Annotated[list[Name], AfterValidator(differ)] = Field(default=[])


class Dictionary(Strict):
    """The word dictionary that replaces unknown words, learned from aligned training text."""

    max_pairs: PositiveInt  # aligned at once, which bounds memory; a longer text is divided
    min_count: PositiveInt  # links that a pair of words needs in the whole text


class Pieces(Strict):
    """Byte-pair encoding (Sennrich et al. 2016) with codes learned from both languages together."""

    merges: PositiveInt
    threshold: PositiveInt  # a piece seen less often in its language's training text is split again


class Encoding(Strict):
    """How tokens become the ids that a model reads."""

    vocabulary: Annotated[int, Field(ge=4)]  # entries of a language, <unk>, <s> and </s> included
    lowercase: bool = False
    length: PositiveInt | None = None  # a longer sentence loses its first words
    pieces: Pieces | None = None  # if given, the units are parts of words
