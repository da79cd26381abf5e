"""English inflection; words are split as the Moses tokenizer splits them (``doesn 't``, ``Anna 's``)."""

from __future__ import annotations

from typing import Final

FIRST, THIRD, FIRST_PLURAL, THIRD_PLURAL = range(4)

BE_PRESENT: Final = ("am", "is", "are", "are")
BE_PAST: Final = ("was", "was", "were", "were")
HAVE: Final = ("have", "has", "have", "have")
DO: Final = ("do", "does", "do", "do")

# The part of a negated contraction that Moses leaves before "'t".
CONTRACTED: Final = {
    "do": "don", "does": "doesn", "did": "didn", "is": "isn", "are": "aren", "was": "wasn",
    "were": "weren", "have": "haven", "has": "hasn", "had": "hadn", "can": "can",
    "could": "couldn", "will": "won", "would": "wouldn", "should": "shouldn", "must": "mustn",
}  # fmt: skip

_DOUBLING: Final = frozenset({"put", "get", "begin", "run", "sit", "swim", "forget", "plan"})
_AN_DESPITE_CONSONANT: Final = frozenset({"hour", "honest"})


def third_person(base: str) -> str:
    """Return the third person singular present of a verb."""
    if base == "have":
        return "has"
    return plural(base)


def plural(word: str) -> str:
    """Return the regular plural of a noun. The -s of a verb follows the same spelling rule."""
    if word.endswith(("s", "x", "ch", "sh", "z")) or word in ("go", "do"):
        return word + "es"
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def gerund(base: str) -> str:
    """Return the -ing form of a verb."""
    if base in _DOUBLING:
        return base + base[-1] + "ing"
    if base == "travel":
        return "travelling"
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith("ee") and base != "be":
        return base[:-1] + "ing"
    return base + "ing"


def indefinite_article(next_word: str) -> str:
    """Return ``a`` or ``an`` before a word."""
    word = next_word.lower()
    if word in _AN_DESPITE_CONSONANT or (
        word[0] in "aeiou" and not word.startswith(("uni", "eu", "use", "one"))
    ):
        return "an"
    return "a"
