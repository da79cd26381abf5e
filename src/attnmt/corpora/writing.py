"""How a language is written, as its text shows: with spaces or without, tokenized or not."""

from collections.abc import Iterable

import regex

# The scripts that put no spaces between words. Korean, which uses some Han characters, puts spaces.
_NO_SPACES = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
_WITHOUT = regex.compile(rf"[[{_NO_SPACES}]&&\p{{L}}]", flags=regex.V1)
_LETTER = regex.compile(r"\p{L}")
# What stands beside a character of such a script without a space, its punctuation included
TOUCHING = rf"{_NO_SPACES}\u3000-\u303f\uff01-\uff65"
_STOPS = r"[.,\u060c\u06d4\u0964\u1362\u3001\u3002]"  # full stops and commas: ، ۔ । ። 、 。
_STOP = regex.compile(rf"(?<!\S\.)(\s)?{_STOPS}(?=\s|$)")
_ESCAPE = regex.compile(r"&(?:apos|quot|amp|lt|gt|#124|#91|#93);")
_MOST = 0.8  # the share of stops that stand alone in tokenized text; those of abbreviations do not


def written_without_spaces(lines: Iterable[str]) -> bool:
    """Return whether most letters of a text are of scripts that put no spaces between words."""
    without = letters = 0
    for line in lines:
        without += len(_WITHOUT.findall(line))
        letters += len(_LETTER.findall(line))
    return 2 * without > letters


def tokenized_already(lines: Iterable[str]) -> bool:
    """Return whether a text is tokenized: nearly all full stops and commas stand between spaces."""
    alone = stops = 0
    for line in lines:
        found = _STOP.findall(line)
        stops += len(found)
        alone += sum(map(bool, found))
    return alone > _MOST * stops
