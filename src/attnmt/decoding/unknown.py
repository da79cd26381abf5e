"""Replacing unknown words through the attention and a dictionary (Luong et al. 2015b)."""

from collections.abc import Callable, Mapping, Sequence

from attnmt.corpora.links import Links
from attnmt.text.vocabulary import SPECIAL, UNK


def replace_unknown(
    words: Sequence[str],
    source: Sequence[str],
    links: Links,
    dictionary: Mapping[str, str],
    written: Callable[[str], str] = str,
) -> list[str]:
    """Replace each ``<unk>`` by the translation of its source word, or else by the source word itself.

    Args:
        words: the words of the translation.
        source: the words of the sentence, before any of them became ``<unk>``.
        written: returns a source word as the target's rule writes it, if the two rules differ.
        links: (source position, position in ``words``). If a word has several links, the first counts;
            an unknown word without a link stays.
    """
    linked: dict[int, str] = {}
    for i, j in links:
        linked.setdefault(j, source[i])
    return [
        dictionary.get(linked[j]) or written(linked[j])
        if word == SPECIAL[UNK] and j in linked
        else word
        for j, word in enumerate(words)
    ]


def unknown_places(words: Sequence[str]) -> list[int]:
    """Return the positions of the words that are ``<unk>``."""
    return [j for j, word in enumerate(words) if word == SPECIAL[UNK]]
