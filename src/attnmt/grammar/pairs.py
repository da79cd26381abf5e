"""Sentence pairs with gold links, as raw lines and as tokens, and splits that share no sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from attnmt.grammar.chance import Dice
from attnmt.grammar.sentences import SentenceBuilder
from attnmt.grammar.words import lay_out, merge_commas

SHORTEST: Final = 3  # tokens on either side
LONGEST: Final = 50

_TRAIN: Final = "train"


@dataclass(frozen=True, slots=True)
class GoldPair:
    """A sentence pair with its gold alignment.

    ``source`` (English) and ``target`` (German) are raw lines; their Moses tokens, unescaped, are
    ``source_tokens`` and ``target_tokens``. Links are 0-based (source token, target token), in
    order. ``possible`` holds the links that are possible but not sure; in the sense of Och and
    Ney, where sure links are a subset of the possible ones, P is the union of both.
    """

    source: str
    target: str
    source_tokens: tuple[str, ...]
    target_tokens: tuple[str, ...]
    sure: tuple[tuple[int, int], ...]
    possible: tuple[tuple[int, int], ...]


def generate_pairs(seed: int) -> Iterator[GoldPair]:
    """Yield sentence pairs without end; the same seed gives the same pairs everywhere."""
    return _stream(str(seed))


def generate_splits(sizes: Mapping[str, int], seed: int) -> dict[str, list[GoldPair]]:
    """Return splits of the given sizes, in sentences, in the order of ``sizes``.

    No two splits share a source or a target sentence, and a held-out split (any but ``train``)
    repeats none. A held-out split depends on the seed and on the held-out splits named before it,
    not on the size of the training split.

    Raises:
        ValueError: if ``train`` is missing or a size is not positive.
    """
    if _TRAIN not in sizes:
        raise ValueError(f"sizes must name a {_TRAIN!r} split, got {sorted(sizes)}")
    for name, size in sizes.items():
        if size <= 0:
            raise ValueError(f"the size of split {name!r} must be positive, got {size}")
    taken: set[str] = set()
    splits: dict[str, list[GoldPair]] = {name: [] for name in sizes}
    for name in [name for name in sizes if name != _TRAIN] + [_TRAIN]:
        split = splits[name]
        for pair in _stream(f"{seed}/{name}"):
            if pair.source in taken or pair.target in taken:
                continue
            if name != _TRAIN:
                taken.add(pair.source)
                taken.add(pair.target)
            split.append(pair)
            if len(split) == sizes[name]:
                break
    return splits


def _stream(seed: str) -> Iterator[GoldPair]:
    builder = SentenceBuilder(Dice(seed))
    while True:
        english, german = builder.sentence()
        german = merge_commas(german)
        if SHORTEST <= len(english) <= LONGEST and SHORTEST <= len(german) <= LONGEST:
            source, target, sure, possible = lay_out(english, german)
            yield GoldPair(
                english_line(source),
                german_line(target),
                tuple(source),
                tuple(target),
                sure,
                possible,
            )


def english_line(tokens: list[str]) -> str:
    """Write English Moses tokens as a line of text."""
    line = " ".join(tokens)
    for token in (" ,", " .", " ?", " !", " ”", " 's", " 't", " 'clock"):
        if token in line:
            line = line.replace(token, token[1:])
    return line.replace("“ ", "“")


def german_line(tokens: list[str]) -> str:
    """Write German Moses tokens as a line of text."""
    line = " ".join(tokens)
    for token in (" ,", " .", " ?", " !", " “"):
        if token in line:
            line = line.replace(token, token[1:])
    return line.replace("„ ", "„")
