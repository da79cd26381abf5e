"""The open class: thousands of names and rare nouns, which are composed deterministically.

Names are spelled alike in both languages and have to be copied. Rare nouns differ. They recur a few
times in a training text, so a dictionary can learn them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from attnmt.grammar.chance import Dice, Weighted
from attnmt.grammar.entries import Noun, compound, make_noun, table_rows

RARE_NAMES: Final = 4000  # distinct rare names of each kind, fewer if the syllables allow no more
ZIPF_OFFSET_NAMES: Final = 40.0
ZIPF_OFFSET_NOUNS: Final = 120.0
ZIPF_OFFSET_COMPOUNDS: Final = 60.0
ORDER_SEED: Final = 1815  # decides which rare words are rarer; it seeds no text

FEMALE, MALE = "female", "male"


class Names(NamedTuple):
    """Frequent and rare names of one kind."""

    frequent: Weighted[str]
    rare: Weighted[str]


def given_names(sex: str) -> Names:
    """Return first names, ``FEMALE`` or ``MALE``."""
    return _names(sex)


def surnames() -> Weighted[str]:
    """Return family names, all of them rare."""
    return _composed(_name_table(), "surname")


def cities() -> Names:
    """Return names of cities."""
    return _names("city")


def _name_table() -> dict[str, list[str]]:
    rows = (row.split() for row in table_rows("names.tsv"))
    return {kind: parts for kind, *parts in rows}


def _names(kind: str) -> Names:
    table = _name_table()
    return Names(Weighted.listed(table[kind], 3.0), _composed(table, kind))


def _composed(table: dict[str, list[str]], kind: str) -> Weighted[str]:
    names = [
        onset + rhyme + ending
        for onset in table["onset"]
        for rhyme in table["rhyme"]
        for ending in table[f"{kind}-ending"]
        if rhyme[-1] != ending[0]
    ]
    return Weighted.zipf(Dice(ORDER_SEED).shuffled(names)[:RARE_NAMES], ZIPF_OFFSET_NAMES)


def learned_nouns() -> list[Noun]:
    """Compose the words of ``learned.tsv``: cardio + logist is Kardio + loge."""
    nouns = []
    for row in table_rows("learned.tsv"):
        head, stems = row.split(" | ")
        suffixes, gender, plural, classes = head.split()
        suffix, german_suffix = suffixes.split("/")
        for stem in stems.split():
            english, german = stem.split("/")
            word = english + suffix
            many = word[:-1] + "ies" if word.endswith("y") else word + "s"
            nouns.append(
                make_noun(
                    (word,),
                    (many,),
                    german + german_suffix,
                    gender,
                    "!" if plural == "!" else german + plural,
                    tuple(classes.split(",")),
                )
            )
    return nouns


def compounds(frequent: Sequence[Noun], rare: Sequence[Noun]) -> list[Noun]:
    """Compose the words of ``compounds.tsv`` from heads of the noun tables."""
    by_name = {noun.english[0]: noun for noun in (*rare, *frequent)}
    result: list[Noun] = []
    for row in table_rows("compounds.tsv"):
        heads, modifiers = row.split(" | ")
        nouns: list[Noun] = []
        for head in heads.split():
            if head.startswith("@"):
                nouns.extend(noun for noun in frequent if head[1:] in noun.classes)
            else:
                nouns.append(by_name[head])
        for modifier in modifiers.split():
            english, german = modifier.split("/")
            result.extend(compound(english, german, noun) for noun in nouns)
    return result


def rare_order(nouns: Sequence[Noun]) -> list[Noun]:
    """Return nouns in the fixed order of their rarity."""
    return Dice(ORDER_SEED).shuffled(nouns)
