"""Replacing unknown words through the attention and a dictionary (Luong et al. 2015b)."""

from collections.abc import Sequence

from attnmt.corpora.links import Links
from attnmt.text.dictionary import Dictionary
from attnmt.text.vocabulary import SPECIAL, UNK


def replace_unknown(
    words: Sequence[str], source: Sequence[str], links: Links, dictionary: Dictionary
) -> list[str]:
    """Replace each ``<unk>`` by the translation of the source word it is linked to, else by that word.

    Args:
        words: of the translation.
        source: words of the sentence translated, as they were before the vocabulary was cut.
        links: (source position, position in ``words``); of several links of a word the first counts,
            and an unknown word without one stays.
        dictionary: the dictionary of this direction.
    """
    linked: dict[int, str] = {}
    for i, j in links:
        linked.setdefault(j, source[i])
    return [
        (dictionary.best(linked[j]) or linked[j]) if word == SPECIAL[UNK] and j in linked else word
        for j, word in enumerate(words)
    ]


def unknown_places(words: Sequence[str]) -> list[int]:
    """Return the positions of the words that are ``<unk>``."""
    return [j for j, word in enumerate(words) if word == SPECIAL[UNK]]
