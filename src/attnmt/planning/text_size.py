"""How much text a family trains on: as it was encoded, or else as the parameters expect it."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from attnmt.config import Encoding, Languages, Params, Sets, System, Training
from attnmt.config.corpus import Expected
from attnmt.files.text_file import iter_lines
from attnmt.layout import Layout
from attnmt.text.encoded import read_summary

EXPECTED = "corpus.expected; subwords count as words"
EVALUATED = 1 / 3  # of what training on a word costs; a backward pass costs two forward passes


class Lengths(NamedTuple):
    """Words of a sentence pair, or their means over a text."""

    source: float
    target: float  # ``</s>`` is one of them


@dataclass(frozen=True)
class TextSize:
    """A training set as the models of a family read it."""

    pairs: int
    # Both have a number for each language, source first.
    words: dict[str, int]  # words or pieces, as the family reads them, without ``</s>``
    vocabulary: dict[str, int]  # entries
    evaluated: int = 0  # pairs of the development set and of the tests; 0 if not known
    digest: str | None = None  # of the encoded text; None if it is not encoded
    estimate: str = ""  # what the words are estimated from; empty if all were counted

    @classmethod
    def encoded(cls, folder: Path, sets: Sets) -> Self:
        """Read what the encode stage says.

        Raises:
            InputError: if the summary is missing or damaged, or lacks a set.
        """
        summary = read_summary(folder)
        train = summary.of(sets.train, folder)
        words = {language: side.tokens for language, side in train.text.items()}
        evaluated = sum(summary.of(name, folder).lines for name in {sets.dev, *sets.tests})
        return cls(train.lines, words, dict(summary.vocabulary), evaluated, summary.digest)

    @classmethod
    def expected(
        cls, expected: Expected, encoding: Encoding, languages: Languages, evaluated: int = 0
    ) -> Self:
        """Take the expected number of words, at most ``encoding.length`` for each sentence."""
        most = expected.pairs * encoding.length if encoding.length else math.inf
        words = {code: int(min(expected.words[code], most)) for code in languages.codes}
        entries = dict.fromkeys(words, encoding.vocabulary)
        return cls(expected.pairs, words, entries, evaluated, estimate=EXPECTED)

    def lengths(self, system: System) -> Lengths:
        """Return the mean lengths of a sentence pair in the system's direction."""
        source, target = in_direction(self.words, system)
        return Lengths(source / self.pairs, target / self.pairs + 1)

    def target_words(self, system: System, recipe: Training) -> int:
        """Return the words that a training predicts, with the ``</s>`` of every sentence."""
        return recipe.epochs * (in_direction(self.words, system)[1] + self.pairs)

    def batches(self, recipe: Training) -> int:
        """Return the batches of a training that does not end early."""
        return recipe.epochs * math.ceil(self.pairs / recipe.batch_size)

    def work(self, system: System, recipe: Training) -> float:
        """Return the words that take as long as a training with its evaluations."""
        evaluations = math.ceil(self.batches(recipe) / recipe.evaluate_every)
        evaluated = evaluations * self.evaluated * self.lengths(system).target
        return self.target_words(system, recipe) + EVALUATED * evaluated


def in_direction(numbers: Mapping[str, int], system: System) -> list[int]:
    """Return the two languages' numbers in a system's order: what it reads, then what it writes.

    ``numbers`` has the experiment's source language first.
    """
    return list(numbers.values())[:: 1 if system.direction == "forward" else -1]


def training_sizes(params: Params, names: Iterable[str]) -> dict[str, TextSize]:
    """Return the sizes of some models' training texts, by family; one that is not known is left out.

    Raises:
        InputError: if the summary of an encoded text cannot be read.
    """
    sizes: dict[str, TextSize] = {}
    for family in dict.fromkeys(params.model(name).family for name in names):
        folder = Layout(params.experiment).encoded(family)
        if (folder / "summary.json").exists():
            sizes[family] = TextSize.encoded(folder, params.sets)
        elif params.corpus.expected:
            encoding = params.families[family].encoding
            sizes[family] = TextSize.expected(
                params.corpus.expected, encoding, params.languages, _evaluated(params)
            )
    return sizes


def _evaluated(params: Params) -> int:
    """Return the pairs of a local text's development set and tests; a set that is not there has none."""
    code, count = params.languages.source.code, 0
    for name in {params.sets.dev, *params.sets.tests} if params.local_text else ():
        for end in ("", ".gz"):
            if (file := Path(f"{params.local_text}/{name}.{code}{end}")).is_file():
                count += sum(1 for _ in iter_lines(file))
    return count
