"""German inflection: articles, adjective endings, pronouns, nouns and verb forms.

Tables are indexed ``[case][column]``. A column is a gender in the singular, or the plural. German does
not distinguish genders in the plural.
"""

from __future__ import annotations

import re
from typing import Final

Forms = tuple[tuple[str, ...], ...]

NOMINATIVE, ACCUSATIVE, DATIVE, GENITIVE = range(4)
MASCULINE, FEMININE, NEUTER, PLURAL = range(4)
FIRST, THIRD, FIRST_PLURAL, THIRD_PLURAL = range(4)  # agreement; formal "Sie" is THIRD_PLURAL


def _table(rows: str) -> Forms:
    return tuple(
        tuple("" if cell == "-" else cell for cell in row.split()) for row in rows.split("/")
    )


#                               m   f   n   pl
DEFINITE: Final = _table("der die das die / den die das die / dem der dem den / des der des der")
DER_ENDINGS: Final = _table("er e es e / en e es e / em er em en / es er es er")  # dieser, jeder
EIN_ENDINGS: Final = _table("- e - e / en e - e / em er em en / es er es er")  # ein, kein, mein

STRONG: Final = _table("er e es e / en e es e / em er em en / en er en er")
WEAK: Final = _table("e e e en / en e e en / en en en en / en en en en")
MIXED: Final = _table("er e es en / en e es en / en en en en / en en en en")

RELATIVE: Final = _table(
    "der die das die / den die das die / dem der dem denen / dessen deren dessen deren"
)

CONTRACTIONS: Final = {
    ("in", "dem"): "im",
    ("an", "dem"): "am",
    ("zu", "dem"): "zum",
    ("zu", "der"): "zur",
    ("von", "dem"): "vom",
    ("in", "das"): "ins",
    ("an", "das"): "ans",
}

REFLEXIVE: Final = ("mich", "sich", "uns", "sich")  # by agreement

HABEN_PRESENT: Final = ("habe", "hat", "haben", "haben")
HABEN_PAST: Final = ("hatte", "hatte", "hatten", "hatten")
SEIN_PRESENT: Final = ("bin", "ist", "sind", "sind")
SEIN_PAST: Final = ("war", "war", "waren", "waren")
WERDEN: Final = ("werde", "wird", "werden", "werden")
WUERDE: Final = ("würde", "würde", "würden", "würden")


def inflect(stem: str, endings: Forms) -> Forms:
    """Attach a table of endings to a stem."""
    return tuple(tuple(stem + ending for ending in row) for row in endings)


def noun_singular(noun: str, gender: int, plural: str, weak: bool) -> tuple[str, ...]:
    """Return the singular in four cases.

    The genitive of loanwords (Parks) and of nouns that double their s (Bus, -nis) follows ``plural``.
    """
    if weak:
        # Nachbar, Bauer and nouns like Herr add -n, the others -en; the plural shows which.
        return noun, plural, plural, plural
    if gender == FEMININE:
        return (noun,) * 4
    if plural == noun + "se":
        genitive = noun + "ses"
    elif noun.endswith(("s", "ß", "x", "z")):
        genitive = noun + "es"
    elif plural == noun + "s" or _VOWEL_FINAL.search(noun) or _syllables(noun) > 1:
        genitive = noun + "s"
    else:
        genitive = noun + "es"
    return noun, noun, noun, genitive


def noun_plural(plural: str) -> tuple[str, ...]:
    """Return the plural in four cases: the dative adds -n unless the plural ends in -n or -s."""
    dative = plural if plural.endswith(("n", "s")) else plural + "n"
    return plural, plural, dative, plural


_VOWEL_FINAL: Final = re.compile("[aeiouäöü]h?$")  # Ei, Schuh


def _syllables(word: str) -> int:
    vowels = "aeiouyäöü"
    lowered = word.lower()
    return sum(
        letter in vowels and (position == 0 or lowered[position - 1] not in vowels)
        for position, letter in enumerate(lowered)
    )


_IRREGULAR_FIRST: Final = {"sein": "bin", "wissen": "weiß", "mögen": "mag"}


def present(infinitive: str, third: str) -> tuple[str, ...]:
    """Return the present tense by agreement: ich, er, wir, sie."""
    if infinitive == "sein":
        return SEIN_PRESENT
    first = _IRREGULAR_FIRST.get(infinitive)
    if first is None:
        if infinitive.endswith("eln"):
            first = infinitive[:-3] + "le"
        elif infinitive.endswith("en"):
            first = infinitive[:-1]
        else:
            first = infinitive[:-1] + "e"
    return first, third, infinitive, infinitive


def preterite(past: str) -> tuple[str, ...]:
    """Return the simple past by agreement from its first and third person singular."""
    plural = past + ("n" if past.endswith("e") else "en")
    return past, past, plural, plural
