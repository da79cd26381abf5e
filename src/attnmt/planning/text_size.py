"""How much text a family trains on: counted if it is encoded, otherwise as the parameters expect."""

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
    words: dict[str, int]  # in each language, without ``</s>``; pieces if words are cut into them
    vocabulary: dict[str, int]  # entries of each language
    counted: bool  # in the encoded text; False if expected

    @classmethod
    def read(cls, encoded: Path, train: str) -> Self:
        """Read what the encode stage says of the set ``train``.

        Raises:
            InputError: if the summary is missing or damaged, or lacks the set.
        """
        summary = read_summary(encoded)
        train_set = summary.of(train, encoded)
        words = {"en": train_set.en.tokens, "de": train_set.de.tokens}
        entries = {language: summary.vocabulary.of(language) for language in words}
        return cls(train_set.lines, words, entries, counted=True)

    def lengths(self, system: System) -> Lengths:
        """Return the mean lengths of a sentence pair in the system's direction."""
        source, target = (self.words[language] for language in (system.source, system.target))
        return Lengths(source / self.pairs, target / self.pairs + 1)

    def target_words(self, system: System) -> int:
        """Return the words that an epoch predicts, with the ``</s>`` of every sentence."""
        return self.words[system.target] + self.pairs


def training_size(params: Params, family: str, root: Path = Path()) -> TextSize | None:
    """Return the size of a family's training text; None if it is not known.

    An expected text is counted in words even where the family cuts them into pieces, and holds at most
    ``encoding.length`` words a sentence.
    """
    encoded = Layout(params.experiment, root).encoded(family)
    if (encoded / "summary.json").exists():
        return TextSize.read(encoded, params.sets.train)
    expected = params.source.expected if params.source else None
    if expected is None:
        return None
    encoding = params.families[family].encoding
    most = expected.pairs * (encoding.length or params.tokenize.max_length)
    words = {str(language): min(count, most) for language, count in expected.words.items()}
    return TextSize(expected.pairs, words, dict.fromkeys(words, encoding.vocabulary), counted=False)
