"""The words that a model knows: the most frequent ones of the training text. Others are ``<unk>``."""

from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from pathlib import Path
from typing import Self

from attnmt.errors import InputError
from attnmt.files.text_file import read_lines, sha256_of_lines, write_lines

SPECIAL = ("<unk>", "<s>", "</s>")
UNK, BOS, EOS = range(len(SPECIAL))


class Vocabulary:
    """A numbered list of words. ``<unk>``, ``<s>`` and ``</s>`` are its first three words.

    Text cannot forge the special words: a token spelled like one of them is unknown.
    """

    def __init__(self, words: Sequence[str]) -> None:
        """Number ``words``, which start with the special ones and hold no word twice."""
        self.words = list(words)
        self._ids = {word: i for i, word in enumerate(self.words) if i >= len(SPECIAL)}

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a vocabulary with one word per line.

        Raises:
            InputError: if the file is missing, does not start with the special words, or holds a word
                twice.
        """
        words = read_lines(path)
        if tuple(words[: len(SPECIAL)]) != SPECIAL or len(set(words)) < len(words):
            raise InputError(
                f"{path}: no vocabulary, which starts with {', '.join(SPECIAL)} and has each word once; "
                f"run the encode stage again"
            )
        return cls(words)

    def save(self, path: Path) -> None:
        """Write one word per line."""
        write_lines(path, self.words)

    @property
    def digest(self) -> str:
        """The SHA-256 of the file that ``save`` writes."""
        return sha256_of_lines(self.words)

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, token: object) -> bool:
        return token in self._ids

    def encode(self, tokens: Iterable[str]) -> list[int]:
        """Return the id of every token, ``UNK`` for one that is not known."""
        return [self._ids.get(token, UNK) for token in tokens]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Return the word of every id."""
        return [self.words[i] for i in ids]


def build_vocabulary(counts: Mapping[str, int], size: int) -> Vocabulary:
    """Keep the most frequent words; among equally frequent ones, those that were counted first.

    Args:
        counts: how often each word occurs, in the order of first occurrence.
        size: the largest number of entries, the special words included.
    """
    words = (word for word in counts if word not in SPECIAL)
    # nlargest keeps words with equal counts in their order
    return Vocabulary([*SPECIAL, *nlargest(size - len(SPECIAL), words, key=counts.__getitem__)])
