"""BLEU by sentence length, Luong et al.'s Figure 6."""

from collections.abc import Sequence
from typing import NamedTuple

from attnmt.scoring.scripts import Lines, References, noted_score


class LengthGroup(NamedTuple):
    """Sentences of similar length."""

    max_words: int  # of its longest reference
    lines: int
    value: float  # tokenized BLEU
    note: str | None  # what this BLEU says by its definition alone


def length_groups(references: Sequence[str], size: int) -> list[list[int]]:
    """Return the authors' groups of a test set, as the numbers of its sentences.

    The set is sorted by the number of words in its references, and cut every ``size`` sentences.
    Sentences of the same length stay in their order. The last group may have fewer.
    """
    lengths = [len(line.split()) for line in references]
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    return [order[start : start + size] for start in range(0, len(order), size)]


def by_length(translations: Lines, references: References, size: int) -> list[LengthGroup]:
    """Return the groups of a test set, the shortest sentences first.

    Args:
        translations: the tokens of every translation, joined by spaces.
        references: the tokens of every reference, joined by spaces. The length of a sentence
            is that of its first reference.
        size: how many sentences make a group, as :func:`length_groups` has it.
    """
    return [
        LengthGroup(
            len(references.lines[group[-1]].split()),
            len(group),
            *noted_score("tokenized", [translations[i] for i in group], references.of(group)),
        )
        for group in length_groups(references.lines, size)
    ]
