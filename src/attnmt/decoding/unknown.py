"""Replacing unknown words through the attention and a dictionary (Luong et al. 2015b)."""

from collections.abc import Sequence

from attnmt.data.lexicon import Lexicon
from attnmt.data.vocabulary import SPECIAL, UNK


def replace_unknown(
    words: Sequence[str], source: Sequence[str], links: Sequence[int], lexicon: Lexicon
) -> list[str]:
    """Replace each ``<unk>`` by the translation of the source word it is linked to, else by that word.

    Args:
        words: of the translation.
        source: words of the sentence translated, as they were before the vocabulary was cut.
        links: the source position of each word; empty for a model without attention, whose unknown
            words stay.
        lexicon: the dictionary of this direction.
    """
    if not links:
        return list(words)
    return [
        (lexicon.best(source[j]) or source[j]) if word == SPECIAL[UNK] else word
        for word, j in zip(words, links, strict=True)
    ]
