"""Words of the two languages, which are linked when they are made, and how they become sentences.

A German word holds the English words that it translates. Positions are set when the sentence is laid
out. So links never have to be guessed, and word order can be decided last.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias


class EnglishWord:
    """One English token; ``position`` is set when the sentence is laid out."""

    __slots__ = ("position", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = -1


English: TypeAlias = list[EnglishWord]


class GermanWord:
    """One German token with the English words that it is linked to, surely or only possibly."""

    __slots__ = ("possible", "sure", "text")

    def __init__(
        self,
        text: str,
        sure: Sequence[EnglishWord] = (),
        possible: Sequence[EnglishWord] = (),
    ) -> None:
        self.text = text
        self.sure = sure
        self.possible = possible


German: TypeAlias = list[GermanWord]
Links: TypeAlias = tuple[tuple[int, int], ...]


class Phrase:
    """A constituent in both languages, and the properties that the rest of the clause depends on.

    ``relative`` is a German relative clause that may be placed after the clause-final verb.
    ``agreement`` indexes verb forms. ``owner`` is the possessive that refers back to the phrase, or
    -1. ``contracts`` says that the German begins with a definite article. ``pronoun`` says that the
    phrase is a personal pronoun. ``negates`` says that its determiner *kein* replaces *nicht*.
    """

    __slots__ = (
        "agreement", "contracts", "english", "german", "negates", "owner", "pronoun", "relative",
    )  # fmt: skip

    def __init__(
        self,
        english: English,
        german: German,
        agreement: int = 1,
        owner: int = -1,
        contracts: bool = False,
        pronoun: bool = False,
    ) -> None:
        self.english = english
        self.german = german
        self.agreement = agreement
        self.owner = owner
        self.contracts = contracts
        self.pronoun = pronoun
        self.negates = False
        self.relative: German = []

    def inline(self) -> German:
        """Return the German with its relative clause in place."""
        return self.german + self.relative if self.relative else self.german


def pair(english: str, german: str) -> tuple[EnglishWord, GermanWord]:
    """Make two words that surely translate each other."""
    word = EnglishWord(english)
    return word, GermanWord(german, (word,))


def merge_commas(german: German) -> German:
    """Drop a comma that other punctuation follows. If a comma follows, keep the linked one."""
    result: German = []
    for word in german:
        if result and result[-1].text == "," and word.text in ",.?!“":
            if word.text == "," and not word.sure:
                continue
            result.pop()
        result.append(word)
    return result


def lay_out(english: English, german: German) -> tuple[list[str], list[str], Links, Links]:
    """Return both token lists, the first word capitalized, and the sure and possible links."""
    source = []
    for position, word in enumerate(english):
        word.position = position
        source.append(word.text)
    target = []
    sure = []
    possible = []
    for position, german_word in enumerate(german):
        target.append(german_word.text)
        for linked in german_word.sure:
            sure.append((linked.position, position))
        for linked in german_word.possible:
            possible.append((linked.position, position))
    _capitalize(source)
    _capitalize(target)
    return source, target, tuple(sorted(sure)), tuple(sorted(possible))


def _capitalize(tokens: list[str]) -> None:
    first = 1 if tokens[0] in "“„" else 0
    word = tokens[first]
    tokens[first] = word[0].upper() + word[1:]
