"""How much text a family trains on: counted if it is encoded, otherwise what the parameters expect."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from attnmt.config import Params, System
from attnmt.layout import Layout
from attnmt.text.summary import read_summary


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
    counted: bool  # True if counted in the encoded text, False if expected

    @classmethod
    def read(cls, encoded: Path, train: str) -> Self:
        """Read what the encode stage says of the set ``train``.

        Raises:
            InputError: if the summary is missing or damaged, or lacks the set.
        """
        summary = read_summary(encoded)
        train_set = summary.of(train, encoded)
        words = {language: side.tokens for language, side in train_set.text.items()}
        return cls(train_set.lines, words, dict(summary.vocabulary), counted=True)

    def lengths(self, system: System) -> Lengths:
        """Return the mean lengths of a sentence pair in the system's direction."""
        source, target = in_direction(self.words, system)
        return Lengths(source / self.pairs, target / self.pairs + 1)

    def target_words(self, system: System) -> int:
        """Return the words that an epoch predicts, with the ``</s>`` of every sentence."""
        return in_direction(self.words, system)[1] + self.pairs


def in_direction(numbers: Mapping[str, int], system: System) -> list[int]:
    """Return the two languages' numbers in a system's order: what it reads, then what it writes.

    ``numbers`` has the experiment's source language first.
    """
    return list(numbers.values())[:: 1 if system.direction == "forward" else -1]


def training_size(params: Params, family: str) -> TextSize | None:
    """Return the size of a family's training text; None if it is not known.

    The size of a text that is only expected is given in words, even if the family cuts them into
    pieces. It is at most ``encoding.length`` words for each sentence, or ``tokenize.max_length`` if the
    family has no such limit.
    """
    encoded = Layout(params.experiment).encoded(family)
    if (encoded / "summary.json").exists():
        return TextSize.read(encoded, params.sets.train)
    expected = params.corpus.expected
    if expected is None:
        return None
    encoding = params.families[family].encoding
    most = expected.pairs * (encoding.length or params.tokenize.max_length)
    words = {code: min(expected.words[code], most) for code in params.languages.codes}
    return TextSize(expected.pairs, words, dict.fromkeys(words, encoding.vocabulary), counted=False)
