"""The section about the corpus: files to download, or local files."""

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, NonNegativeInt, PositiveInt, model_validator

from attnmt.config.strict import Name, Strict, refuse_unknown
from attnmt.files.yaml_file import error_at


class License(Strict):
    """Terms of a text. If it is downloaded, a person must accept them first, by ``corpus.accept``."""

    name: Name
    terms: str  # in short
    url: str  # the terms in full


# Names of licenses whose terms a person accepts, without which their files are not downloaded
Accepted = Annotated[list[Name], Field(default_factory=list)]


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
        if self.name.endswith((".tgz", ".tar.gz")) != (self.member is not None):
            why = f"{self.name}: an archive (.tgz, .tar.gz) needs this key, and nothing else has it"
            raise error_at(["member"], why)
        return self

    @property
    def name(self) -> str:
        """The last part of the address."""
        return PurePosixPath(urlsplit(self.url).path).name

    @property
    def text(self) -> str:
        """The name of the text. The name of a member begins with that of its archive."""
        return self.name if self.member is None else f"{self.name}/{self.member}"


def _correspond(files: dict[str, list[File]]) -> dict[str, list[File]]:
    """Refuse the files of a set if one side has more of them."""
    if len({len(side) for side in files.values()}) > 1:
        raise ValueError("give the same number of files for each suffix")
    return files


# The files of a set, listed under the suffix of the raw file that they make. Their lines, in this order,
# make up the set. The suffixes are:
#   en, de   the code of a language, which each set has
#   links    gold links
# The files at the same place in the lists belong together: line k of one translates, or links, line k
# of the others. The end of a file's name, before .gz, says what it is: .sgm is SGM; .tsv has both sides
# in columns, and is given for both; any other text is plain lines. Links are in Pharaoh's format, or in
# RWTH's (.talp).
Suffix = Annotated[str, Field(pattern=r"^[A-Za-z0-9_]+$")]
SetFiles = Annotated[
    dict[Suffix, Annotated[list[File], Field(min_length=1)]],
    Field(min_length=2),
    AfterValidator(_correspond),
]


class Expected(Strict):
    """The expected size of a corpus. ``attnmt plan`` uses it until the text is there."""

    pairs: PositiveInt  # training pairs in which neither side is longer than tokenize.max_length
    words: Annotated[dict[Name, PositiveInt], Field(min_length=2)]  # in these pairs, by language


class HoldOut(Strict):
    """Random pairs of the training text, which are the dev and test sets that have no files.

    Each of these sets has 5,000 of them, or an equal part of all if there are fewer.
    """

    # of the source sentences, which are not trained on
    share: Annotated[float, Field(gt=0, le=0.5)]
    seed: NonNegativeInt  # of the order in which they are drawn


class Source(Strict):
    """Where the text of every set comes from."""

    files: dict[Name, SetFiles]
    hold_out: HoldOut | None = None
    tokenized: bool = False  # whether the text is tokenized; then languages.*.tokenize must be none
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
        return (file for sides in self.files.values() for files in sides.values() for file in files)


class DownloadCorpus(Source):
    """Files from the network, or from the folder that ATTNMT_MIRROR names."""

    kind: Literal["download"]
    accept: Accepted

    @property
    def chosen(self) -> Source:
        """The only source."""
        return self


class ChoiceCorpus(Strict):
    """The same sets from several sources; ``source`` names the one that is used."""

    kind: Literal["choice"]
    accept: Accepted
    source: Name
    sources: dict[Name, Source]

    @model_validator(mode="after")
    def _source_exists(self) -> Self:
        refuse_unknown(self.source, self.sources, "source", ["source"])
        return self

    @property
    def chosen(self) -> Source:
        """The source that is used."""
        return self.sources[self.source]

    @property
    def expected(self) -> Expected | None:
        """The expected size of that source."""
        return self.chosen.expected


class LocalCorpus(Strict):
    """Files in a folder: ``<set>.<suffix>``, or the same with ``.gz``.

    SetFiles explains the suffixes. The files may be links to files elsewhere. They are read again when
    their content has changed.
    """

    kind: Literal["local"]
    # the folder, seen from the project's; None for experiments/<experiment>/text
    text: str | None = Field(default=None, min_length=1)
    license: License | None = None  # of all files
    expected: Expected | None = None
