"""How much text a family trains on: as it was encoded, or else as the parameters expect it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from attnmt.config import Encoding, Languages, Params, Sets, System, TrainingSettings
from attnmt.config.corpus import Expected
from attnmt.layout import SUMMARY, Layout
from attnmt.text.encoded import EncodedSets

EXPECTED = "corpus.expected; subwords count as words"


@dataclass(frozen=True)
class TextSize:
    """A training set as the models of a family read it."""

    pairs: int
    # Both have a number for each language, source first.
    words: dict[str, int]  # words or pieces, as the family reads them, without ``</s>``
    vocabulary: dict[str, int]  # entries
    estimate: str = ""  # what the words are estimated from; empty if all were counted

    @classmethod
    def encoded(cls, folder: Path, sets: Sets) -> Self:
        """Read what the encode stage says."""
        data = EncodedSets(folder)
        train = data.counts(sets.train)
        words = {language: side.tokens for language, side in train.text.items()}
        return cls(train.lines, words, dict(data.summary.vocabulary))

    @classmethod
    def expected(cls, expected: Expected, encoding: Encoding, languages: Languages) -> Self:
        """Take the expected number of words, at most ``encoding.length`` for each sentence."""
        words = {code: expected.words[code] for code in languages.codes}
        if encoding.length:
            most = expected.pairs * encoding.length
            words = {code: min(count, most) for code, count in words.items()}
        entries = dict.fromkeys(words, encoding.vocabulary)
        return cls(expected.pairs, words, entries, estimate=EXPECTED)

    def target_words(self, system: System, settings: TrainingSettings) -> int:
        """Return the words that a training predicts, with the ``</s>`` of every sentence."""
        return settings.epochs * (in_direction(self.words, system)[1] + self.pairs)


def in_direction(numbers: Mapping[str, int], system: System) -> list[int]:
    """Return the two languages' numbers in a system's order: what it reads, then what it writes.

    ``numbers`` has the experiment's source language first.
    """
    return list(numbers.values())[:: 1 if system.direction == "forward" else -1]


def training_sizes(params: Params, names: Iterable[str]) -> dict[str, TextSize]:
    """Return the sizes of some trainings' texts, by family; one that is not known is left out."""
    sizes: dict[str, TextSize] = {}
    for family in dict.fromkeys(params.training(name).family for name in names):
        folder = Layout(params.experiment).encoded(family)
        if (folder / SUMMARY).exists():
            sizes[family] = TextSize.encoded(folder, params.sets)
        elif params.corpus.expected:
            encoding = params.families[family].encoding
            sizes[family] = TextSize.expected(params.corpus.expected, encoding, params.languages)
    return sizes
