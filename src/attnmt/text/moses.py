"""The rules of Moses' tokenizer.perl 1.1, which is in the authors' repository, for many languages.

sacremoses has the abbreviations of some 40 languages. Its rules are those of later versions, which split
a full stop before a last apostrophe (``said.'``) and a comma after a last number. Its lists of letters
also lack Han, Hangul and all that is newer than Unicode 7. Moses splits combining marks and joiners from
their letters; here they belong to them.
"""

from functools import cache
from itertools import zip_longest
from typing import Any

import regex

from attnmt.corpora.language_codes import language_code
from attnmt.corpora.normal_form import MARKS
from attnmt.errors import InputError

_ALPHA, _NOT_ALPHA = rf"[\p{{Alpha}}{MARKS}]", rf"[^\p{{Alpha}}{MARKS}]"
_NOT_ALPHA_OR_NUMBER = rf"[^\p{{Alpha}}{MARKS}\p{{N}}]"

# In Moses' order: a character that the line must hold, what is replaced, and the replacement. Matches
# do not overlap, so in a'b'c only the first apostrophe is split.
_SYMBOL = ("", regex.compile(rf"((?=[^\p{{Alnum}}{MARKS}\s.'`,-])\X[{MARKS}]*)"), r" \1 ")
_HYPHEN = ("-", regex.compile(rf"([\p{{Alnum}}{MARKS}])-(?=\p{{Alnum}})"), r"\1 @-@ ")
_DOTS = ("..", regex.compile(r"(\.{2,})"), r" \1 ")
_COMMA = [
    (",", regex.compile(r"(\P{N}),"), r"\1 , "),
    (",", regex.compile(r",(\P{N})"), r" , \1"),
]
_ENGLISH_APOSTROPHE = [
    ("'", regex.compile(rf"({_NOT_ALPHA})'({_NOT_ALPHA})"), r"\1 ' \2"),
    ("'", regex.compile(rf"({_NOT_ALPHA_OR_NUMBER})'({_ALPHA})"), r"\1 ' \2"),
    ("'", regex.compile(rf"({_ALPHA})'({_NOT_ALPHA})"), r"\1 ' \2"),
    ("'", regex.compile(rf"({_ALPHA})'({_ALPHA})"), r"\1 '\2"),
    ("'", regex.compile(r"(\p{N})'s"), r"\1 's"),
]
_ROMANCE_APOSTROPHE = [  # in French and Italian a word before the apostrophe keeps it
    _ENGLISH_APOSTROPHE[0],
    ("'", regex.compile(rf"({_NOT_ALPHA})'({_ALPHA})"), r"\1 ' \2"),
    _ENGLISH_APOSTROPHE[2],
    ("'", regex.compile(rf"({_ALPHA})'({_ALPHA})"), r"\1' \2"),
]
_APOSTROPHE = [("'", regex.compile("(')"), r" \1 ")]
_APOSTROPHES = {
    "en": _ENGLISH_APOSTROPHE,
    "fr": _ROMANCE_APOSTROPHE,
    "it": _ROMANCE_APOSTROPHE,
}

_LETTER, _LOWER, _DIGIT = map(regex.compile, (r"\p{Alpha}", r"\p{Lower}", r"[0-9]"))
_NUMERIC = "#NUMERIC_ONLY#"  # marks abbreviations that keep their full stop only before a number
# of Moses' lists, but not of sacremoses'
_LACKING = {"fr": ["a"], "pt": [f"no {_NUMERIC}"]}

_ESCAPED = {
    "|": "&#124;",
    "<": "&lt;",
    ">": "&gt;",
    "'": "&apos;",
    '"': "&quot;",
    "[": "&#91;",
    "]": "&#93;",
}
_ESCAPES = str.maketrans({"&": "&amp;"} | _ESCAPED)
_OLD_ESCAPES = {"|": "&bar;", "[": "&bra;", "]": "&ket;"}  # of earlier versions


def escaped(token: str) -> str:
    """Return a token in which the characters that XML or Moses treats specially are escaped."""
    return token.translate(_ESCAPES)


def unescaped(token: str) -> str:
    """Return a token in which :func:`escaped` is undone."""
    if "&" in token:
        for character, escape in (*_ESCAPED.items(), *_OLD_ESCAPES.items(), ("&", "&amp;")):
            token = token.replace(escape, character)
    return token


@cache
def _prefixes() -> Any:
    """Return sacremoses' lists, which take a third of a second to import."""
    from sacremoses.corpus import NonbreakingPrefixes

    return NonbreakingPrefixes()


@cache
def languages() -> frozenset[str]:
    """Return the codes of the languages whose abbreviations sacremoses has."""
    names = _prefixes().available_langs
    return frozenset(code for name, code in names.items() if name != code)


class MosesRules:
    """The rules of one language, with or without splitting hyphens between letters or digits."""

    def __init__(self, language: str, split_hyphens: bool) -> None:
        """Load the abbreviations of ``language``, given by any of its codes.

        Raises:
            InputError: if sacremoses does not have the language.
        """
        code = language_code(language)
        if code not in languages():
            raise InputError(
                f"languages: there are no rules of Moses for {language!r}, only for "
                f"{', '.join(sorted(languages()))}; set its tokenize to words, characters or none"
            )
        hyphen = [_HYPHEN] if split_hyphens else []
        apostrophe = _APOSTROPHES.get(code, _APOSTROPHE)
        self._substitutions = [_SYMBOL, *hyphen, _DOTS, *_COMMA, *apostrophe]
        listed = [item.split() for item in (*_prefixes().words(code), *_LACKING.get(code, ()))]
        self._abbreviations = {words[0] for words in listed if _NUMERIC not in words}
        self._before_numbers = {words[0] for words in listed if _NUMERIC in words}

    def tokens(self, line: str) -> list[str]:
        """Return the tokens of a line whose words are separated by single spaces."""
        for character, pattern, replacement in self._substitutions:
            if character in line:
                line = pattern.sub(replacement, line)
        words = line.split()
        tokens: list[str] = []
        for word, after in zip_longest(words, words[1:], fillvalue=""):
            tokens += self._split_full_stop(word, after)
        return [escaped(token) for token in tokens]

    def _split_full_stop(self, word: str, after: str) -> list[str]:
        """Split a full stop from the end of a word, unless it belongs to the word."""
        stem = word[:-1]
        if not word.endswith(".") or not stem.strip("."):  # a word that is only dots stays whole
            return [word]
        belongs = (
            ("." in stem and _LETTER.search(stem))
            or stem in self._abbreviations
            or _LOWER.match(after)
            or (stem in self._before_numbers and _DIGIT.match(after))
        )
        return [word] if belongs else [stem, "."]
