"""Cut words into pieces by byte-pair encoding, and turn pieces and their links back into words.

The method is that of Sennrich, Haddow and Birch, "Neural Machine Translation of Rare Words with Subword
Units" (ACL 2016), as implemented in their subword-nmt. If a piece ends in ``@@``, its word
continues in the next piece: ``mo@@ tor``.
"""

import io
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import redirect_stderr
from functools import lru_cache
from itertools import accumulate
from pathlib import Path

from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe

from attnmt.corpora.links import Links
from attnmt.errors import InputError
from attnmt.files.progress import Progress
from attnmt.files.text_file import read_lines
from attnmt.text.vocabulary import SPECIAL, UNK

LEARNED_FROM = 300_000
GOES_ON = "@@"
WORD_END = "</w>"  # subword-nmt's own mark; it would cut text that holds the mark wrongly
UNKNOWN = SPECIAL[UNK]
_REMEMBERED = 2**17  # words, some 50 MB


def learn_codes(counts: Counter[str], merges: int) -> str:
    """Return the content of a file of codes: at most ``merges`` merges, the most frequent first.

    Args:
        counts: how often each word occurs in the training text of both languages. subword-nmt takes
            2 to 3 kB per word, so it learns only from the ``LEARNED_FROM`` most frequent words.

    Raises:
        InputError: if no two letters occur side by side twice, so that there is nothing to merge.
    """
    codes = _Codes(merges)
    words = (f"{word} {count}" for word, count in counts.most_common(LEARNED_FROM))
    if any(len(word) > 1 for word in counts):
        with codes.learned, redirect_stderr(io.StringIO()):  # its own bar appears in logs, too
            learn_bpe(words, codes, merges, is_dict=True)
    if codes.getvalue().count("\n") < 2:  # the first line is the version
        raise InputError(
            "encoding.pieces: no two letters occur side by side twice in the training text, so "
            "there is nothing to merge; use more text, or remove the key pieces"
        )
    return codes.getvalue()


class _Codes(io.StringIO):
    """A file of codes that says how many merges were learned."""

    def __init__(self, merges: int) -> None:
        super().__init__()
        self.learned = Progress("byte-pair encoding", merges, "merges")

    def write(self, text: str) -> int:
        """Write a line; the first is the version."""
        if self.tell():
            self.learned.update()
        return super().write(text)


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
        self._bpe = BPE(io.StringIO(codes), separator=GOES_ON, vocab=known)
        self._pieces = lru_cache(_REMEMBERED)(self._cut_word)

    def cut(self, words: Iterable[str]) -> list[str]:
        """Return the pieces of all words, which must not hold white space or ``</w>``."""
        return [piece for word in words for piece in self._pieces(word)]

    def _cut_word(self, word: str) -> list[str]:
        pieces: list[str] = self._bpe.segment_tokens([word])
        self._bpe.cache.clear()  # the cache would keep every word, however many there are
        last = pieces[-1]
        if last.endswith(GOES_ON) or last == UNKNOWN:
            pieces[-1:] = [last[:-1] + GOES_ON, last[-1]]
        return pieces

    def frequent(self, counts: Mapping[str, int], threshold: int) -> set[str]:
        """Return the pieces that occur at least ``threshold`` times; ``counts`` counts words.

        Raises:
            InputError: if no piece does.
        """
        piece_counts: Counter[str] = Counter()
        for word, count in counts.items():
            for piece in self._cut_word(word):
                piece_counts[piece] += count
        frequent = {piece for piece, count in piece_counts.items() if count >= threshold}
        if not frequent:
            raise InputError(
                f"encoding.pieces.threshold: no piece occurs {threshold:,} times in the training "
                f"text of a language; lower it"
            )
        return frequent


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
