"""Pronouns and determiners of both languages, with the shares in which determiners occur."""

from __future__ import annotations

from typing import Final, NamedTuple

from attnmt.grammar import german as de
from attnmt.grammar.chance import Weighted


class Pronoun(NamedTuple):
    """A personal pronoun with its possessive; ``agreement`` is shared by both languages."""

    subject: tuple[str, str]
    object: str
    accusative: str
    dative: str
    agreement: int
    possessive: int


class Determiner(NamedTuple):
    """A determiner: English singular and plural, German forms, adjective endings."""

    english: str
    english_plural: str
    german: de.Forms
    adjective: de.Forms


POSSESSIVES: Final = (
    ("my", "mein"), ("his", "sein"), ("her", "ihr"), ("our", "unser"), ("their", "ihr"),
    ("your", "Ihr"),
)  # fmt: skip
MY, HIS, HER, OUR, THEIR, YOUR = range(6)

PRONOUNS: Final = (
    Pronoun(("I", "ich"), "me", "mich", "mir", de.FIRST, MY),
    Pronoun(("he", "er"), "him", "ihn", "ihm", de.THIRD, HIS),
    Pronoun(("she", "sie"), "her", "sie", "ihr", de.THIRD, HER),
    Pronoun(("we", "wir"), "us", "uns", "uns", de.FIRST_PLURAL, OUR),
    Pronoun(("they", "sie"), "them", "sie", "ihnen", de.THIRD_PLURAL, THEIR),
    Pronoun(("you", "Sie"), "you", "Sie", "Ihnen", de.THIRD_PLURAL, YOUR),
)

THE = Determiner("the", "the", de.DEFINITE, de.WEAK)
A = Determiner("a", "", de.inflect("ein", de.EIN_ENDINGS), de.MIXED)
NO = Determiner("no", "no", de.inflect("kein", de.EIN_ENDINGS), de.MIXED)
THIS = Determiner("this", "these", de.inflect("dies", de.DER_ENDINGS), de.WEAK)
EVERY = Determiner("every", "", de.inflect("jed", de.DER_ENDINGS), de.WEAK)
SOME = Determiner("", "some", de.inflect("einig", de.DER_ENDINGS), de.STRONG)
MANY = Determiner("", "many", de.inflect("viel", de.DER_ENDINGS), de.STRONG)
SEVERAL = Determiner("", "several", de.inflect("mehrer", de.DER_ENDINGS), de.STRONG)
WHICH = Determiner("which", "which", de.inflect("welch", de.DER_ENDINGS), de.WEAK)
OWNED = tuple(
    Determiner(english, english, de.inflect(german, de.EIN_ENDINGS), de.MIXED)
    for english, german in POSSESSIVES
)
NUMERALS = Weighted.zipf(
    [
        Determiner("", english, ((german,) * 4,) * 4, de.STRONG)
        for english, german in (
            ("two", "zwei"), ("three", "drei"), ("four", "vier"), ("five", "fünf"),
            ("six", "sechs"), ("ten", "zehn"), ("seven", "sieben"), ("twelve", "zwölf"),
        )
    ],
    1.0,
)  # fmt: skip
BARE = Determiner("", "", (("",) * 4,) * 4, de.STRONG)

# Cumulative shares. The rest takes a possessive (singular) or a numeral (plural).
SINGULAR_DETERMINERS: Final = ((0.46, THE), (0.80, A), (0.88, THIS), (0.89, EVERY))
SUBJECT_DETERMINERS: Final = ((0.70, THE), (0.79, A), (0.89, THIS), (0.91, EVERY))
SUBJECT_PLURAL_DETERMINERS: Final = (
    (0.55, THE), (0.59, BARE), (0.72, THIS), (0.80, SOME), (0.86, MANY), (0.90, SEVERAL),
)  # fmt: skip
PLURAL_DETERMINERS: Final = (
    (0.34, THE), (0.54, BARE), (0.60, THIS), (0.70, SOME), (0.77, MANY), (0.82, SEVERAL),
)  # fmt: skip
