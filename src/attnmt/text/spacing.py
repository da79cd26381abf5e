"""Where spaces stand between Moses' tokens: the way back from tokens to text.

The rules are those of Moses' detokenizer.perl, and go on where it stops: quotation marks that are not
ASCII's, apostrophes in all languages, full stops and commas of other scripts, scripts without spaces.
Each token may lean on a neighbor. Two tokens stand together if either leans on the other.

Tokens do not say all: ``the dogs ' owner`` may end a quotation. So another text may come back.
"""

from collections.abc import Sequence
from enum import Flag, auto

import regex

from attnmt.corpora.writing import TOUCHING


class Lean(Flag):
    """The neighbors with which a token stands together."""

    NONE = 0
    LEFT = auto()
    RIGHT = auto()
    BOTH = LEFT | RIGHT


_OPENS = regex.compile(r"[\p{Ps}\p{Sc}¿¡]+")  # brackets and signs of currencies
_CURRENCY = regex.compile(r"\p{Sc}+")
_CLOSES = regex.compile(r"[\p{Pe}\p{Terminal_Punctuation}…%‰\\]+")
_AFTER_SPACE = {"fr": "?!:;%\\"}  # what French writes after a space
# Marks of a kind open and close by turns.
_KINDS = {
    **dict.fromkeys('"„“”‟', '"'),
    **dict.fromkeys("'", "'"),
    **dict.fromkeys("‘’‚‛", "’"),
    **dict.fromkeys("«»‹›", "«"),
    "``": "``",
    "`": "`",
    "''": "''",
}
_WITHOUT_GUILLEMETS = ("fr",)  # which writes spaces inside of them
_ENDS_IN_LETTER = regex.compile(r"\p{Alpha}\p{M}*$")
_LETTER = regex.compile(r"\p{Alpha}")
_CONTRACTION = regex.compile(r"'\p{Alpha}")  # English: 's, 've
_CONTRACTED = {"s", "t", "d", "m", "re", "ve", "ll"}  # what follows an English apostrophe
_ELIDED = regex.compile(r"\p{Alpha}'$")  # French, Italian: l', qu'
_ELIDING = ("fr", "it")
_ATTACHING = ("en", *_ELIDING)  # Moses keeps an apostrophe at one of the parts of a word
_WITH_APOSTROPHES = ("ca", "ga", "tr", "uk")  # in which they are more frequent than quotations
_SHORT = 2  # letters; so short a word before an apostrophe is elided: d'Artagnan
_POSSESSIVE = {  # the Jones' house, Maus' Nase
    "en": regex.compile(r"s['’]"),
    "de": regex.compile(r"[sxzß]['’]\p{Lu}"),
}
_NEVER = regex.compile(r"(?!)")
_BETWEEN_WORDS = {"/", "_", "·"}
_BETWEEN_DIGITS = {":", "–"}  # 11:35, 1990–91
_BEFORE_SLASH = regex.compile(r"[\p{Alnum}\p{M}:/]")  # https://a.b/c
_AFTER_SLASH = regex.compile(r"[\p{Alnum}/]")
_CASE_ENDINGS = ("fi", "sv")  # which write EU:n, EU:s
_TOUCH = regex.compile(rf"[{TOUCHING}][{TOUCHING}“”‘’…—]|[“”‘’…—][{TOUCHING}]")


def spaced(tokens: Sequence[str], language: str) -> str:
    """Return tokens as text; no token is empty or escaped."""
    together = joints(tokens, language)
    parts = (
        f"{'' if joins else ' '}{token}" for token, joins in zip(tokens, together, strict=True)
    )
    return "".join(parts).removeprefix(" ")


def joints(tokens: Sequence[str], language: str) -> list[bool]:
    """Return for each token whether it stands together with the one before it."""
    marks = _Marks(tokens)
    together: list[bool] = []
    before, leaning = "", Lean.NONE
    for at, token in enumerate(tokens):
        lean = _lean(tokens, at, language, marks)
        leans = Lean.RIGHT in leaning or Lean.LEFT in lean
        together.append(at > 0 and (leans or bool(_TOUCH.match(before[-1] + token[0]))))
        before, leaning = token, lean
    return together


class _Marks:
    """The quotation marks of a sentence: how many of a kind came before, and where the last stands."""

    def __init__(self, tokens: Sequence[str]) -> None:
        """Count those of ``tokens``."""
        kinds = [(_KINDS.get(token), at) for at, token in enumerate(tokens)]
        self.last = {kind: at for kind, at in kinds if kind}
        self.before = dict.fromkeys(self.last, 0)


def _lean(tokens: Sequence[str], at: int, language: str, marks: _Marks) -> Lean:
    token = tokens[at]
    if token[0].isalnum():
        elided = (
            language in _ELIDING and _ELIDED.search(token) and _LETTER.match(_after(tokens, at))
        )
        return Lean.RIGHT if elided else Lean.NONE
    if token in _KINDS and not (_KINDS[token] == "«" and language in _WITHOUT_GUILLEMETS):
        return _lean_of_mark(tokens, at, language, marks)
    before, after = tokens[at - 1] if at else "", _after(tokens, at)
    if _OPENS.fullmatch(token):
        follows_number = _CURRENCY.fullmatch(token) and before[-1:].isdigit()
        return Lean.NONE if follows_number and not after[:1].isdigit() else Lean.RIGHT
    if token in _BETWEEN_DIGITS and before[-1:].isdigit() and after[:1].isdigit():
        return Lean.BOTH
    if token == ":" and language in _CASE_ENDINGS and before.isupper() and after.islower():
        return Lean.BOTH
    if token in _AFTER_SPACE.get(language, ()):
        return Lean.NONE
    if _CLOSES.fullmatch(token):
        return Lean.LEFT
    if language == "en" and _CONTRACTION.match(token) and at:
        return Lean.LEFT
    between_words = _BEFORE_SLASH.match(before[-1:]) and _AFTER_SLASH.match(after)
    if token in _BETWEEN_WORDS and between_words:
        return Lean.BOTH
    if token == "@" and before:  # an address has a dot: me@x.org
        return Lean.BOTH if _LETTER.match(before[-1]) and "." in after[1:-1] else Lean.RIGHT
    return Lean.NONE


def _after(tokens: Sequence[str], at: int) -> str:
    return tokens[at + 1] if at + 1 < len(tokens) else ""


def _lean_of_mark(tokens: Sequence[str], at: int, language: str, marks: _Marks) -> Lean:
    """Return how a quotation mark or an apostrophe leans; count a quotation mark among its kind."""
    token, before, after = tokens[at], tokens[at - 1] if at else "", _after(tokens, at)
    kind = _KINDS[token]
    last = marks.last[kind] == at
    closes_only = token == "”" or (token == "'" and language in _ELIDING)
    opens = marks.before[kind] % 2 == 0 and not (closes_only and last)
    if opens and _POSSESSIVE.get(language, _NEVER).search(f"{before}{token}{after}"):
        return Lean.LEFT
    inside = _ENDS_IN_LETTER.search(before) and _LETTER.match(after)
    if inside and _is_apostrophe(token, before, after, language, opens, last):
        return Lean.BOTH
    marks.before[kind] += 1
    return Lean.RIGHT if opens else Lean.LEFT


def _is_apostrophe(
    token: str, before: str, after: str, language: str, opens: bool, last: bool
) -> bool:
    """Return whether a mark between two words is an apostrophe inside one.

    ``opens`` says that no quotation is open, and ``last`` that no mark of the kind follows.
    """
    if token == "’":
        return opens or (language == "en" and after in _CONTRACTED)
    if token == "'" and language not in _ATTACHING:
        return language in _WITH_APOSTROPHES or (opens and (last or len(before) <= _SHORT))
    return False
