"""Cut words into pieces by byte-pair encoding, and turn pieces and their links back into words.

The method is that of Sennrich, Haddow and Birch, "Neural Machine Translation of Rare Words with Subword
Units" (ACL 2016), as implemented in their subword-nmt. If a piece ends in ``@@``, its word
continues in the next piece: ``mo@@ tor``.
"""

import io
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext, redirect_stderr, suppress
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from sys import intern
from typing import Self

from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe

from attnmt.corpora.links import Links
from attnmt.errors import InputError
from attnmt.files.progress import progress
from attnmt.files.text_file import read_lines
from attnmt.text.vocabulary import SPECIAL, UNK

WORD_END = "</w>"  # subword-nmt's mark at the end of a word's last symbol
LEARNED_FROM = 300_000
GOES_ON = "@@"
UNKNOWN = SPECIAL[UNK]
_REMEMBERED = 2**20  # words, some 400 MB


def learn_codes(counts: Counter[str], merges: int) -> str:
    """Return the content of a file of codes: at most ``merges`` merges, the most frequent first.

    Args:
        counts: how often each word occurs in the training text of both languages. A word takes 2 to 3
            kB, so only the ``LEARNED_FROM`` most frequent ones are learned from.

    Raises:
        InputError: if no two letters occur side by side twice, so that there is nothing to merge.
    """
    words = [f"{word} {count}" for word, count in counts.most_common(LEARNED_FROM)]
    codes = io.StringIO()
    shown = nullcontext() if sys.stderr.isatty() else redirect_stderr(io.StringIO())  # its bar
    with shown, suppress(ValueError):  # the maximum of nothing, if no word has two letters
        learn_bpe(words, codes, merges, is_dict=True)
    if codes.getvalue().count("\n") < 2:
        raise InputError(
            "encoding.pieces: no two letters occur side by side twice in the training text, so "
            "there is nothing to merge; use more text, or remove the key pieces"
        )
    return codes.getvalue()


def read_codes(path: Path) -> str:
    """Read a file of codes that :func:`learn_codes` returned.

    Raises:
        InputError: if it is missing or damaged.
    """
    version, *merges = read_lines(path)
    if not version.startswith("#version:") or any(len(merge.split()) != 2 for merge in merges):
        why = "not a version and a merge of two pieces on each line"
        raise InputError(f"{path}: {why}; run the encode stage again")
    return "\n".join([version, *merges]) + "\n"


class Cutter:
    """Cuts words into pieces, which :func:`join_pieces` joins to the same words again.

    A last piece that itself ends in ``@@``, or is spelled ``<unk>``, would be misread, so its last
    character becomes a piece of its own.
    """

    def __init__(self, codes: str, known: Collection[str] = ()) -> None:
        """Take the codes of :func:`learn_codes`. If pieces are ``known``, all others are split again."""
        self._bpe = BPE(io.StringIO(codes), separator=GOES_ON, vocab=frozenset(known))
        self._pieces = lru_cache(_REMEMBERED)(self._cut)

    @classmethod
    def of_text(
        cls, codes: str, counts: Mapping[str, int], threshold: int, part: str = "words"
    ) -> Self:
        """Return what splits the pieces again that are rare in a text.

        Args:
            counts: how often each word occurs in the text.
            threshold: how often a piece must occur in the text, so that it is not split.
            part: names the text where it is said how far the work is.

        Raises:
            InputError: if no piece occurs so often.
        """
        plain = cls(codes)
        piece_counts: Counter[str] = Counter()
        words = progress(counts, f"{part}, different ones to cut", len(counts), "words")
        for word in words:
            for piece in plain._cut(word):
                piece_counts[piece] += counts[word]
        frequent = {piece for piece, count in piece_counts.items() if count >= threshold}
        if not frequent:
            raise InputError(
                f"encoding.pieces.threshold: no piece occurs {threshold:,} times in the training "
                f"text of a language; lower it"
            )
        return cls(codes, frequent)

    def cut(self, words: Iterable[str]) -> list[str]:
        """Return the pieces of all words, which must not hold white space or ``</w>``."""
        return [piece for word in words for piece in self._pieces(word)]

    def _cut(self, word: str) -> tuple[str, ...]:
        """Return the pieces of a word after all merges; split those that are not known."""
        *before, last = self._bpe.segment_tokens([word])
        self._bpe.cache.clear()  # words are remembered here, and not too many
        if last.endswith(GOES_ON) or last == UNKNOWN:
            before, last = [*before, last[:-1] + GOES_ON], last[-1]
        return tuple(map(intern, [*before, last]))


def join_pieces(pieces: Sequence[str]) -> list[str]:
    """Return the words that pieces make. A word with an unknown piece is unknown, ``<unk>``."""
    words: list[list[str]] = []
    for piece, word in zip(pieces, words_of_pieces(pieces), strict=True):
        if word == len(words):
            words.append([])
        words[word].append(piece)
    joined = ("".join(piece.removesuffix(GOES_ON) for piece in parts) for parts in words)
    return [
        UNKNOWN if UNKNOWN in parts else word for parts, word in zip(words, joined, strict=True)
    ]


def words_of_pieces(pieces: Iterable[str]) -> list[int]:
    """Return for each piece the index of the word that it belongs to."""
    ends = (not piece.endswith(GOES_ON) for piece in pieces)
    return list(accumulate(ends, initial=0))[:-1]


def word_links(links: Links, source_pieces: Sequence[str], target_pieces: Sequence[str]) -> Links:
    """Return links of words, ascending: two words are linked where any of their pieces are."""
    source, target = words_of_pieces(source_pieces), words_of_pieces(target_pieces)
    return sorted({(source[i], target[j]) for i, j in links})
