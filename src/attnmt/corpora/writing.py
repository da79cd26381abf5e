"""How a language is written, as its text shows: with spaces or without."""

from collections.abc import Iterable

import regex

# The scripts that put no spaces between words. Korean, which uses some Han characters, puts spaces.
_NO_SPACES = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
_WITHOUT = regex.compile(rf"[[{_NO_SPACES}]&&\p{{L}}]", flags=regex.V1)
_WORD = regex.compile(rf"[\p{{L}}--[{_NO_SPACES}]]+", flags=regex.V1)  # of other scripts
# What stands beside a character of such a script without a space, its punctuation included
TOUCHING = rf"{_NO_SPACES}\u3000-\u303f\uff01-\uff65"


def written_without_spaces(lines: Iterable[str]) -> bool:
    """Return whether a text is mostly of scripts that put no spaces between words.

    Their letters are counted, and the words of other scripts.
    """
    letters = words = 0
    for line in lines:
        letters += len(_WITHOUT.findall(line))
        words += len(_WORD.findall(line))
    return letters > words
