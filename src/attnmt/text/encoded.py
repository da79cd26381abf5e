"""What a family reads: text, vocabularies, and ids as one flat array that is mapped into memory."""

from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np
from numpy.lib.format import write_array_header_1_0
from numpy.typing import NDArray

from attnmt.corpora.links import Links
from attnmt.errors import InputError
from attnmt.files.text_file import read_lines
from attnmt.text.pieces import join_pieces, word_links
from attnmt.text.summary import again, read_summary, training_digest
from attnmt.text.vocabulary import Vocabulary


class EncodedSets:
    """All sets as the models of one family read them: what the encode stage wrote.

    Every method raises an InputError if a file that it reads is missing or damaged, or if it belongs to
    another text or vocabulary. The message names the file.

    Attributes:
        digest: the digest of every byte that a training reads.
        languages: the codes of source and target.
        pieces: whether the text is cut into parts of words.
    """

    def __init__(self, folder: Path) -> None:
        """Read the summary."""
        self.folder = folder
        self._summary = read_summary(folder)
        self.digest = self._summary.digest
        self.languages = self._summary.languages
        self.pieces = self._summary.pieces

    def lines(self, name: str) -> int:
        """Return how many sentence pairs a set has."""
        return self._summary.of(name, self.folder).lines

    def units(self, name: str, language: str) -> list[list[str]]:
        """Return the words, or the pieces, of every sentence of a set."""
        path = self.text_path(name, language)
        units = [line.split() for line in read_lines(path)]
        self._check_lines(path, len(units), name)
        if [] in units:
            raise _damaged(path, "no words in this line", units.index([]) + 1)
        return units

    def words(self, units: Sequence[str]) -> list[str]:
        """Join units to words."""
        return join_pieces(units) if self.pieces else list(units)

    def links(self, links: Links, source: Sequence[str], target: Sequence[str]) -> Links:
        """Turn links between units into links between words."""
        return word_links(links, source, target) if self.pieces else links

    def word_counts(self, name: str, source: str, target: str) -> list[tuple[int, int]]:
        """Return how many words each sentence pair of a set has, source and target."""
        units = (self.units(name, language) for language in (source, target))
        return [(len(self.words(a)), len(self.words(b))) for a, b in zip(*units, strict=True)]

    def text(self, name: str, language: str) -> "EncodedText":
        """Return one side of a set as ids."""
        path, offsets_path = _paths(self.folder, name, language)
        text = EncodedText.open(self.folder, name, language)
        entries = len(self.vocabulary(language))
        self._check_lines(offsets_path, len(text), name)
        if not text.lengths.all():
            line = int(text.lengths.argmin()) + 1
            raise _damaged(offsets_path, f"sentence {line} has no words")
        low, high = int(text.ids.min()), int(text.ids.max())
        if low < 0 or high >= entries:
            why = f"ids from {low} to {high}, but vocab.{language} has {entries} entries"
            raise _damaged(path, why)
        return text

    def vocabulary(self, language: str) -> Vocabulary:
        """Return a language's vocabulary."""
        path, entries = self.folder / f"vocab.{language}", self._summary.vocabulary[language]
        vocabulary = Vocabulary.load(path)
        if len(vocabulary) != entries:
            raise _damaged(path, f"{len(vocabulary)} entries where summary.json has {entries}")
        return vocabulary

    def verify(self) -> None:
        """Refuse vocabularies and ids that have changed since they were encoded.

        This reads every byte of them, at some gigabytes per second.
        """
        if training_digest(self.folder) != self.digest:
            why = "vocab.* and *.npy are not those of summary.json (their digest differs)"
            raise InputError(f"{self.folder}: {why}; {again(self.folder)}")

    def _check_lines(self, path: Path, lines: int, name: str) -> None:
        if lines != self.lines(name):
            raise _damaged(path, f"{lines:,} lines where summary.json has {self.lines(name):,}")

    def text_path(self, name: str, language: str) -> Path:
        """Return the file of a set's words or pieces."""
        return self.folder / f"{name}.{language}.tok"


class EncodedText:
    """One side of a set of sentences as ids, without ``<s>`` and ``</s>``.

    Attributes:
        ids: (words,) int32, all sentences one after another.
        offsets: (lines + 1,) int64; sentence i is ``ids[offsets[i]:offsets[i + 1]]``.
        lengths: (lines,) int64, words of each sentence.
    """

    def __init__(self, ids: NDArray[np.int32], offsets: NDArray[np.int64]) -> None:
        """Keep ids and the places where sentences start."""
        self.ids = ids
        self.offsets = offsets
        self.lengths: NDArray[np.int64] = np.diff(offsets)

    @classmethod
    def open(cls, folder: Path, name: str, language: str) -> Self:
        """Map the ids of set ``name`` into memory; only what is read is loaded.

        Raises:
            InputError: if the files are missing, damaged, of another type or shape, or do not belong
                together.
        """
        ids_path, offsets_path = _paths(folder, name, language)
        ids, offsets = _load(ids_path, np.int32), _load(offsets_path, np.int64)
        if not len(offsets) or offsets[0] or (np.diff(offsets) < 0).any():
            raise _damaged(offsets_path, "offsets must rise from 0")
        if offsets[-1] != len(ids):
            why = f"{len(ids)} ids where {offsets_path.name} expects {offsets[-1]}"
            raise _damaged(ids_path, why)
        return cls(ids, offsets)

    def __len__(self) -> int:
        """Return the number of sentences."""
        return len(self.lengths)

    def __getitem__(self, index: int) -> NDArray[np.int32]:
        """Return the ids of one sentence, (words,) int32."""
        return self.ids[self.offsets[index] : self.offsets[index + 1]]


def write_encoded(
    folder: Path, name: str, language: str, sentences: Iterable[Sequence[int]]
) -> None:
    """Write the ids of a text to ``<name>.<language>.ids.npy`` and ``.offsets.npy``.

    Ids are written as they come; only the offsets are held in memory.
    """
    ids_path, offsets_path = _paths(folder, name, language)
    offsets = array("q", [0])
    with ids_path.open("wb") as stream:
        _write_header(stream, 0)  # NumPy pads it, so that its size does not depend on the number
        for ids in sentences:
            array("i", ids).tofile(stream)
            offsets.append(offsets[-1] + len(ids))
        stream.seek(0)
        _write_header(stream, offsets[-1])
    np.save(offsets_path, np.array(offsets, np.int64))


def _write_header(stream: BinaryIO, words: int) -> None:
    """Write the header that ``np.save`` would write for this number of ids."""
    descr = np.lib.format.dtype_to_descr(np.dtype(np.int32))
    write_array_header_1_0(stream, {"descr": descr, "fortran_order": False, "shape": (words,)})


def _load(path: Path, dtype: type[np.generic]) -> NDArray[Any]:
    """Map a flat array of a type into memory."""
    if not path.is_file():
        raise _damaged(path, "no such file")
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise _damaged(path, f"damaged ({error})") from None
    kind = np.dtype(dtype)
    if not isinstance(array, np.ndarray) or array.dtype != kind or array.ndim != 1:
        what = f"{array.dtype} of shape {array.shape}" if isinstance(array, np.ndarray) else "a zip"
        raise _damaged(path, f"{what} where a flat array of {kind} is expected")
    return array


def _damaged(path: Path, why: str, line: int | None = None) -> InputError:
    place = path if line is None else f"{path}:{line}"
    return InputError(f"{place}: {why}; {again(path.parent)}")


def _paths(folder: Path, name: str, language: str) -> tuple[Path, Path]:
    stem = f"{name}.{language}"
    return folder / f"{stem}.ids.npy", folder / f"{stem}.offsets.npy"
