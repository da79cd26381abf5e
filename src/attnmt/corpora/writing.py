"""How a language is written, as its text shows: with spaces or without, tokenized or not."""

from collections.abc import Iterable

import regex

# The scripts that put no spaces between words. Korean, which uses some Han characters, puts spaces.
_NO_SPACES = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
_WITHOUT = regex.compile(rf"[[{_NO_SPACES}]&&\p{{L}}]", flags=regex.V1)
_WORD = regex.compile(rf"[\p{{L}}--[{_NO_SPACES}]]+", flags=regex.V1)  # of other scripts
# What stands beside a character of such a script without a space, its punctuation included
TOUCHING = rf"{_NO_SPACES}\u3000-\u303f\uff01-\uff65"
# Full stops and commas that nobody types after a space. A space before ।, ۔ or ። is often typed.
_STOP = regex.compile(r"(?<!\S\.)(\s)?[.,\u060c\u1363\u3001\u3002\uff0c](?=\s|$)")
_MOST = 0.8  # the share of stops that stand alone in tokenized text; those of abbreviations do not
_FEWEST = 0.1  # stops for each line; from fewer nothing follows


def written_without_spaces(lines: Iterable[str]) -> bool:
    """Return whether a text is mostly of scripts that put no spaces between words.

    Their letters are counted, and the words of other scripts.
    """
    letters = words = 0
    for line in lines:
        letters += len(_WITHOUT.findall(line))
        words += len(_WORD.findall(line))
    return letters > words


def tokenized_already(lines: Iterable[str]) -> bool | None:
    """Return whether a text is tokenized: nearly all full stops and commas stand between spaces.

    It is None if the text has too few of them to say.
    """
    alone = stops = total = 0
    for line in lines:
        found = _STOP.findall(line)
        total += 1
        stops += len(found)
        alone += sum(map(bool, found))
    return alone > _MOST * stops if stops >= max(1, _FEWEST * total) else None
