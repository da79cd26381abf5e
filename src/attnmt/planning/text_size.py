"""How much text a family trains on: what is counted, or what the parameters expect."""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

from attnmt.config import Encoding, Params, Sets, System, Training
from attnmt.config.corpus import Expected
from attnmt.corpora.parallel import count_parallel_lines
from attnmt.layout import Layout
from attnmt.text.encoded import read_summary
from attnmt.text.vocabulary import SPECIAL

if TYPE_CHECKING:
    from attnmt.planning.training_text import TrainingText

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
        return cls(train.lines, words, dict(summary.vocabulary), evaluated)

    @classmethod
    def counted(cls, text: "TrainingText", encoding: Encoding, evaluated: int) -> Self:
        """Count a text as the encode stage of a family will.

        Raises:
            InputError: if the text cannot be cut into pieces.
        """
        words = text.words(encoding)
        # Pairs that were not looked at have more words, so the vocabulary is taken to be full.
        most = encoding.vocabulary
        entries = {
            code: most if text.every > 1 else min(most, len(counts) + len(SPECIAL))
            for code, counts in words.items()
        }
        return cls(
            text.pairs,
            {code: text.whole(counts.total()) for code, counts in words.items()},
            entries,
            evaluated,
            f"one of every {text.every} pairs of the text" if text.every > 1 else "",
        )

    def lengths(self, system: System) -> Lengths:
        """Return the mean lengths of a sentence pair in the system's direction."""
        source, target = in_direction(self.words, system)
        return Lengths(source / self.pairs, target / self.pairs + 1)

    def target_words(self, system: System, recipe: Training) -> int:
        """Return the words that a training predicts, with the ``</s>`` of every sentence."""
        return recipe.epochs * (in_direction(self.words, system)[1] + self.pairs)

    def work(self, system: System, recipe: Training) -> float:
        """Return the words that take as long as a training with its evaluations."""
        batches = recipe.epochs * math.ceil(self.pairs / recipe.batch_size)
        evaluations = math.ceil(batches / recipe.evaluate_every)
        evaluated = evaluations * self.evaluated * self.lengths(system).target
        return self.target_words(system, recipe) + EVALUATED * evaluated


def in_direction(numbers: Mapping[str, int], system: System) -> list[int]:
    """Return the two languages' numbers in a system's order: what it reads, then what it writes.

    ``numbers`` has the experiment's source language first.
    """
    return list(numbers.values())[:: 1 if system.direction == "forward" else -1]


def training_sizes(
    params: Params, names: Iterable[str], to_run: Collection[str] = ()
) -> dict[str, TextSize]:
    """Return the sizes of the training texts of some models, by family. An unknown one is missing.

    A text is counted if it is encoded or, unless the parameters say what is expected, if it is local.
    The size of a text that is only expected is given in words, even if the family cuts them into pieces.
    It is at most ``encoding.length`` words for each sentence.

    Args:
        names: models of the experiment.
        to_run: the stages that would run. What they have encoded before is not counted if the text is
            local, because it may have changed.

    Raises:
        InputError: if an encoded text or a local one cannot be read.
    """
    sizes: dict[str, TextSize] = {}
    uncounted: dict[str, Encoding] = {}
    local = params.local_text if params.local_text and params.local_text.is_dir() else None
    for family in dict.fromkeys(params.model(name).family for name in names):
        encoded = Layout(params.experiment).encoded(family)
        encoding = params.families[family].encoding
        changed = local is not None and f"encode@{family}" in to_run
        if (encoded / "summary.json").exists() and not changed:
            sizes[family] = TextSize.encoded(encoded, params.sets)
        elif params.corpus.expected:
            sizes[family] = _expected(params.corpus.expected, encoding)
        else:
            uncounted[family] = encoding
    if uncounted and local:
        sizes |= _local(params, local, uncounted)
    return sizes


def _expected(expected: Expected, encoding: Encoding) -> TextSize:
    most = expected.pairs * encoding.length if encoding.length else math.inf
    words = {code: int(min(words, most)) for code, words in expected.words.items()}
    entries = dict.fromkeys(words, encoding.vocabulary)
    return TextSize(expected.pairs, words, entries, estimate=EXPECTED)


def _local(params: Params, folder: Path, encodings: Mapping[str, Encoding]) -> dict[str, TextSize]:
    """Count the local text as some families will read it."""
    # These load libraries for tokens and for the network, which most plans do not need.
    from attnmt.corpora.raw_text import local_files
    from attnmt.planning.training_text import TrainingText

    sets, languages = params.sets, params.languages
    files = {
        name: tuple(local_files(folder, languages, name)[code] for code in languages.codes)
        for name in dict.fromkeys([sets.train, sets.dev, *sets.tests])
    }
    source, target = files.pop(sets.train)
    text = TrainingText.read(languages, (source, target), params.tokenize, sets.train)
    evaluated = sum(map(count_parallel_lines, files.values()))
    return {
        family: TextSize.counted(text, encoding, evaluated)
        for family, encoding in encodings.items()
    }
