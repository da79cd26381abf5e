"""What a family reads: text, vocabularies, and ids as one flat array that is mapped into memory."""

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from pathlib import Path
from typing import BinaryIO, Self

import numpy as np
from numpy.lib.format import write_array_header_1_0
from numpy.typing import NDArray

from attnmt.data.links import GoldLinks, Links, read_links
from attnmt.data.pieces import join_pieces, word_links
from attnmt.data.vocabulary import Vocabulary
from attnmt.errors import InputError
from attnmt.files import read_json, read_lines


class EncodedSets:
    """All sets as the models of one family read them: what the encode stage wrote.

    Attributes:
        folder: where it lies.
        digest: of every byte that a training reads.
        pieces: whether the text is cut into parts of words.
    """

    def __init__(self, folder: Path) -> None:
        """Read the summary.

        Raises:
            InputError: if it is missing.
        """
        summary = read_json(folder / "summary.json")
        self.folder = folder
        self.digest: str = summary["digest"]
        self.pieces: bool = summary["pieces"]

    def units(self, name: str, language: str) -> list[list[str]]:
        """Return the words, or the pieces, of every sentence of a set."""
        return [line.split() for line in read_lines(self.text_path(name, language))]

    def words(self, units: Sequence[str]) -> list[str]:
        """Return the words that units make."""
        return join_pieces(units) if self.pieces else list(units)

    def links(self, links: Links, source: Sequence[str], target: Sequence[str]) -> Links:
        """Return links of units as links of words."""
        return word_links(links, source, target) if self.pieces else links

    def gold(self, name: str) -> list[GoldLinks] | None:
        """Return the gold links of a set's words, English-German; None where none are known."""
        path = self.folder / f"{name}.links"
        return read_links(path) if path.exists() else None

    def text(self, name: str, language: str) -> "EncodedText":
        """Return one side of a set as ids."""
        return EncodedText.open(self.folder, name, language)

    def vocabulary(self, language: str) -> Vocabulary:
        """Return a language's vocabulary."""
        return Vocabulary.load(self.folder / f"vocab.{language}")

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
        """Join ids to the places where sentences start."""
        self.ids = ids
        self.offsets = offsets
        self.lengths: NDArray[np.int64] = np.diff(offsets)

    @classmethod
    def open(cls, folder: Path, name: str, language: str) -> Self:
        """Map the ids of set ``name`` into memory; only what is read is loaded.

        Raises:
            InputError: if the files are missing or do not belong together.
        """
        ids_path, offsets_path = _paths(folder, name, language)
        for path in (ids_path, offsets_path):
            if not path.is_file():
                raise InputError(f"{path}: no such file; run the encode stage first")
        offsets = np.load(offsets_path, allow_pickle=False)
        ids = np.load(ids_path, mmap_mode="r", allow_pickle=False)
        if offsets[-1] != len(ids):
            raise InputError(
                f"{ids_path}: {len(ids)} ids where {offsets_path.name} expects {offsets[-1]}; "
                f"run the encode stage again"
            )
        return cls(ids, offsets)

    @classmethod
    def of(cls, lines: Sequence[Sequence[int]]) -> Self:
        """Put the ids of sentences one after another."""
        offsets = np.fromiter(accumulate(map(len, lines), initial=0), dtype=np.int64)
        return cls(np.fromiter(chain.from_iterable(lines), np.int32, offsets[-1]), offsets)

    def __len__(self) -> int:
        """Return the number of sentences."""
        return len(self.lengths)

    def __getitem__(self, index: int) -> NDArray[np.int32]:
        """Return the ids of one sentence, (words,) int32."""
        return self.ids[self.offsets[index] : self.offsets[index + 1]]


def write_encoded(folder: Path, name: str, language: str, parts: Iterable[EncodedText]) -> None:
    """Write parts of a text, one after another, to ``<name>.<language>.ids.npy`` and ``.offsets.npy``.

    Ids are written as they come; only the offsets are held.
    """
    ids_path, offsets_path = _paths(folder, name, language)
    lengths = []
    with ids_path.open("wb") as stream:
        _write_header(stream, 0)  # of the same size whatever the number, by NumPy's design
        for part in parts:
            stream.write(part.ids.tobytes())
            lengths.append(part.lengths)
        offsets = np.concatenate([np.zeros(1, np.int64), *lengths]).cumsum()
        stream.seek(0)
        _write_header(stream, int(offsets[-1]))
    np.save(offsets_path, offsets)


def _write_header(stream: BinaryIO, words: int) -> None:
    """Write what ``np.save`` puts before so many ids."""
    descr = np.lib.format.dtype_to_descr(np.dtype(np.int32))
    write_array_header_1_0(stream, {"descr": descr, "fortran_order": False, "shape": (words,)})


def _paths(folder: Path, name: str, language: str) -> tuple[Path, Path]:
    stem = f"{name}.{language}"
    return folder / f"{stem}.ids.npy", folder / f"{stem}.offsets.npy"
