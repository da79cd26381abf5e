"""How good the replacements of unknown words are, counted against the references."""

from collections import Counter
from collections.abc import Container, Sequence

from attnmt.decoding.unknown import unknown_places
from attnmt.text.vocabulary import SPECIAL, UNK

Sentences = Sequence[list[str]]  # the words of each sentence


def count_replacements(
    before: Sentences,
    after: Sentences,
    sources: Sentences,
    references: Sentences,
    vocabulary: Container[str],
) -> dict[str, int]:
    """Count the unknown words of a test set and their replacements.

    ``unknown`` counts the words of the references that the vocabulary lacks. ``replaced`` counts the
    ``<unk>`` of the translations that a word replaced. Of these, ``right`` are among the unknown words
    of their sentence's reference, each as often as the reference has it; ``repeated`` are equal to the
    word directly before or after them; and ``copied`` occur as they are in the source sentence.

    Args:
        before: the translations with ``<unk>``.
        after: the same translations with unknown words replaced; each has as many words as before.
        sources: the sentences that were translated.
        references: their references.
        vocabulary: the target words that the models know.
    """
    totals: Counter[str] = Counter()
    lines = zip(before, after, sources, references, strict=True)
    for undone, words, source, reference in lines:
        places = [j for j in unknown_places(undone) if words[j] != SPECIAL[UNK]]
        replaced = Counter(words[j] for j in places)
        unknown = Counter(word for word in reference if word not in vocabulary)
        right = replaced & unknown  # a word counts as often as the reference has it
        copied = replaced.keys() & set(source)
        repeated = [words[j] in words[max(j - 1, 0) : j] + words[j + 1 : j + 2] for j in places]
        totals.update(
            unknown=unknown.total(),
            replaced=replaced.total(),
            right=right.total(),
            repeated=sum(repeated),
            copied=sum(replaced[word] for word in copied),
            copied_right=sum(right[word] for word in copied),
        )
    return dict(totals)
