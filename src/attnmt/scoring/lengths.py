"""BLEU by sentence length, Luong et al.'s Figure 6."""

from collections.abc import Sequence

from attnmt.scoring.results import LengthGroup
from attnmt.scoring.scripts import Lines, References, score_alone


def length_groups(references: Sequence[str], size: int) -> list[list[int]]:
    """Return the authors' groups of a test set, as the numbers of its sentences.

    The set is sorted by the number of words in its references, and cut every ``size`` sentences.
    Sentences of the same length stay in their order. The last group may have fewer.
    """
    lengths = [len(line.split()) for line in references]
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    return [order[start : start + size] for start in range(0, len(order), size)]


def by_length(before: Lines, after: Lines, references: References, size: int) -> list[LengthGroup]:
    """Return tokenized BLEU of the groups of :func:`length_groups`.

    Args:
        before: the tokens of every translation, joined by spaces, before unknown words are replaced.
        after: likewise, after unknown words are replaced.
        references: the tokens of every reference, joined by spaces. The length of a sentence
            is that of its first reference.
        size: how many sentences make a group.
    """
    return [
        LengthGroup(
            max_length=len(references.lines[group[-1]].split()),
            lines=len(group),
            before=_bleu(before, references, group),
            after=_bleu(after, references, group),
        )
        for group in length_groups(references.lines, size)
    ]


def _bleu(translations: Lines, references: References, group: Sequence[int]) -> float:
    return score_alone("tokenized", [translations[i] for i in group], references.of(group))
