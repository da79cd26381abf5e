"""English-German text of any size in the shape of WMT'14's, made by chance alone.

Words are drawn by rank. The common ones follow Zipf's law. The rare ones follow a law without end, so
new words keep coming. These are set as WMT'14 has them: the mean length of a line, the share of
lines that are too long, the share of words outside a vocabulary of 50,000, and the number of different
words in 4.5 million pairs. A translation has most of its source's common words, about in their places,
so that an aligner finds them.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

LANGUAGES = ("en", "de")
COMMON = 30_000
LENGTH = (1.8, 12.0)  # shape and scale of the gamma law of words in a line
RARE = {"en": (0.025, 20_000, 0.55), "de": (0.07, 50_000, 0.65)}  # share; scale and shape (Pareto)
RARE_SYLLABLES = 100  # of which rare words are made, so that they are longer than common ones
TRANSLATED = 0.85  # of the common words; another word stands for each of the rest
MOVED = 0.1  # of the words change places with the next one
BLOCK = 10_000  # lines drawn at once

Ranks = NDArray[np.int64]


def synthetic_pairs(count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield ``count`` pairs of lines; equal arguments give equal pairs."""
    chance = np.random.default_rng(seed)
    spellings = [_Spelling(language) for language in LANGUAGES]
    for start in range(0, count, BLOCK):
        lengths = 3 + chance.gamma(*LENGTH, min(BLOCK, count - start)).astype(np.int64)
        source, target = (_ranks(int(lengths.sum()), language, chance) for language in LANGUAGES)
        common = (source < COMMON) & (target < COMMON)
        target = np.where(common & (chance.random(len(source)) < TRANSLATED), source, target)
        moved = np.flatnonzero(chance.random(len(target) - 1) < MOVED)
        target[moved], target[moved + 1] = target[moved + 1], target[moved]
        texts = [
            [*map(spelling.word, ranks.tolist())]
            for spelling, ranks in zip(spellings, (source, target), strict=True)
        ]
        ends = lengths.cumsum()
        for begin, end in zip((ends - lengths).tolist(), ends.tolist(), strict=True):
            yield _line(texts[0][begin:end]), _line(texts[1][begin:end])


def _ranks(count: int, language: str, chance: np.random.Generator) -> Ranks:
    """Draw words; common ones have a rank below ``COMMON``."""
    share, scale, shape = RARE[language]
    common = np.exp(chance.random(count) * np.log(COMMON)).astype(np.int64) - 1
    rare = COMMON + (scale * chance.pareto(shape, count)).clip(max=1e13).astype(np.int64)
    return np.where(chance.random(count) < share, rare, common)


def _line(words: list[str]) -> str:
    text = " ".join(words).replace(" ,", ",")
    return f"{text[:1].upper()}{text[1:]}."


class _Spelling:
    """Spells words: a rank's digits are syllables, the shortest ones first."""

    def __init__(self, language: str) -> None:
        vowels = "aeiou" if language == "en" else "aeiouü"
        onsets = [*"bdfghklmnprst", "sch"]
        parts = ["".join(each) for each in product(onsets, vowels, ["", *"nrst"])]
        np.random.default_rng(len(parts)).shuffle(parts)
        self._syllables = sorted(parts, key=len)
        self._capitals = language == "de"
        self._common = [self._spell(rank) for rank in range(COMMON)]

    def word(self, rank: int) -> str:
        """Return the word of a rank."""
        return self._common[rank] if rank < COMMON else self._spell(rank)

    def _spell(self, rank: int) -> str:
        if rank % 97 == 1:  # punctuation and numbers, in the places that they have in text
            return "," if rank == 1 else f"{rank:,}"
        syllables = self._syllables[-RARE_SYLLABLES:] if rank >= COMMON else self._syllables
        digits: list[str] = []
        left = rank
        while left or not digits:
            left, digit = divmod(left, len(syllables))
            digits.append(syllables[digit])
        word = ("-" if rank % 89 == 3 else "").join(digits)
        if self._capitals:
            return word.capitalize() if rank % 3 == 2 else word
        return f"{word}'s" if rank % 83 == 7 else word
