"""What a family reads: text, vocabularies, and ids as one flat array that is mapped into memory.

``summary.json`` says what there is of each set, with a digest of every byte that a training reads.
"""

import hashlib
from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from numpy.lib.format import header_data_from_array_1_0, write_array_header_1_0
from numpy.typing import NDArray
from pydantic import Field

from attnmt.config.strict import Name
from attnmt.corpora.links import Links
from attnmt.errors import InputError
from attnmt.files.json_file import Positive, Record, Text, read_model
from attnmt.files.text_file import read_lines, sha256
from attnmt.files.yaml_file import suggestion
from attnmt.layout import SUMMARY
from attnmt.text.pieces import join_pieces, word_links
from attnmt.text.vocabulary import Vocabulary


class Side(Record):
    """One language of a set."""

    tokens: Positive


class SetCounts(Record):
    """A set of sentence pairs."""

    lines: Positive
    text: dict[Name, Side]  # by language


class Summary(Record):
    """A family's text: its sets, its vocabularies, and a digest of every byte that a training reads."""

    languages: Annotated[list[Name], Field(min_length=2, max_length=2)]  # source and target
    sets: dict[Name, SetCounts]
    vocabulary: dict[Name, Positive]  # entries of each language
    pieces: bool
    digest: Text


def training_digest(folder: Path) -> str:
    """Return the digest of every byte in the folder that a training reads: vocabularies and ids."""
    digest = hashlib.sha256()
    for path in sorted([*folder.glob("vocab.*"), *folder.glob("*.npy")]):
        digest.update(f"{path.name} {sha256(path)}\n".encode())
    return digest.hexdigest()


class EncodedSets:
    """All sets as the models of one family read them: what the encode stage wrote.

    Every method raises an InputError that names the file if one that it reads is missing or damaged.

    Attributes:
        summary: what there is of each set.
        digest: the digest of every byte that a training reads.
        languages: the codes of source and target.
        pieces: whether the text is cut into parts of words.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.summary = read_model(folder / SUMMARY, Summary, _again(folder))
        self.digest = self.summary.digest
        self.languages = self.summary.languages
        self.pieces = self.summary.pieces

    def counts(self, name: str) -> SetCounts:
        """Return how many sentence pairs and words a set has."""
        sets = self.summary.sets
        if name not in sets:
            why = f"sets: no set {name!r}{suggestion(name, sets)}"
            raise _damaged(self.folder / SUMMARY, why)
        return sets[name]

    def text_path(self, name: str, language: str) -> Path:
        """Return the file of a set's words or pieces."""
        return self.folder / f"{name}.{language}.tok"

    def units(self, name: str, language: str) -> list[list[str]]:
        """Return the words, or the pieces, of every sentence of a set."""
        path = self.text_path(name, language)
        units = [line.split() for line in read_lines(path)]
        if len(units) != (lines := self.counts(name).lines):
            raise _damaged(path, f"{len(units):,} lines where summary.json has {lines:,}")
        if [] in units:
            raise _damaged(path, f"no words in line {units.index([]) + 1}")
        return units

    def words(self, units: Sequence[str]) -> list[str]:
        """Join units to words."""
        return join_pieces(units) if self.pieces else list(units)

    def links(self, links: Links, source: Sequence[str], target: Sequence[str]) -> Links:
        """Turn links between units into links between words."""
        return word_links(links, source, target) if self.pieces else links

    def text(self, name: str, language: str) -> "EncodedText":
        """Return one side of a set as ids."""
        return EncodedText.open(self.folder, name, language)

    def vocabulary(self, language: str) -> Vocabulary:
        """Return a language's vocabulary."""
        return Vocabulary.load(self.folder / f"vocab.{language}")

    def verify(self) -> None:
        """Refuse vocabularies and ids that have changed since they were encoded.

        This reads every byte of them, at some gigabytes per second.
        """
        if training_digest(self.folder) != self.digest:
            why = "vocab.* and *.npy are not those of summary.json (their digest differs)"
            raise _damaged(self.folder, why)


class EncodedText:
    """One side of a set of sentences as ids, without ``<s>`` and ``</s>``.

    Attributes:
        ids: (words,) int32, all sentences one after another.
        offsets: (lines + 1,) int64; sentence i is ``ids[offsets[i]:offsets[i + 1]]``.
        lengths: (lines,) int64, words of each sentence.
    """

    def __init__(self, ids: NDArray[np.int32], offsets: NDArray[np.int64]) -> None:
        self.ids = ids
        self.offsets = offsets
        self.lengths: NDArray[np.int64] = np.diff(offsets)

    @classmethod
    def open(cls, folder: Path, name: str, language: str) -> Self:
        """Map the ids of set ``name`` into memory; only what is read is loaded.

        Raises:
            InputError: if a file is missing or damaged.
        """
        ids_path, offsets_path = _paths(folder, name, language)
        ids, offsets = _load(ids_path, np.int32), _load(offsets_path, np.int64)
        if not len(offsets) or offsets[-1] != len(ids):
            raise _damaged(ids_path, f"not the ids that {offsets_path.name} belongs to")
        return cls(ids, offsets)

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, index: int) -> NDArray[np.int32]:
        """Return the ids of one sentence, (words,) int32."""
        return self.ids[self.offsets[index] : self.offsets[index + 1]]


def write_encoded(
    folder: Path, name: str, language: str, sentences: Iterable[Sequence[int]]
) -> None:
    """Write the ids of a text to ``<name>.<language>.ids.npy`` and ``.offsets.npy``."""
    ids, offsets = array("i"), array("q", [0])
    for sentence in sentences:
        ids.extend(sentence)
        offsets.append(len(ids))
    for path, numbers in zip(_paths(folder, name, language), (ids, offsets), strict=True):
        with path.open("wb") as stream:  # np.save would not say that the disk is full
            write_array_header_1_0(stream, header_data_from_array_1_0(np.asarray(numbers)))
            numbers.tofile(stream)


def _load(path: Path, dtype: type[np.generic]) -> NDArray[Any]:
    """Map a flat array of a type into memory."""
    try:
        array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise _damaged(path, f"missing or damaged ({error})") from None
    if array.dtype != dtype or array.ndim != 1:
        raise _damaged(path, f"damaged (it holds {array.dtype} and not {np.dtype(dtype)})")
    return array


def _damaged(path: Path, why: str) -> InputError:
    folder = path if path.is_dir() else path.parent
    return InputError(f"{path}: {why}; {_again(folder)}")


def _again(folder: Path) -> str:
    return f"run encode of {folder.name} again"


def _paths(folder: Path, name: str, language: str) -> tuple[Path, Path]:
    stem = f"{name}.{language}"
    return folder / f"{stem}.ids.npy", folder / f"{stem}.offsets.npy"
