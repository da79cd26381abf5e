"""One form for all text: Unicode's composed form, without what nobody can see.

The same word can be spelled with ``é`` or with ``e`` and an accent (U+0301). It becomes one word here,
by Unicode's normalization form C. Control characters become spaces. The invisible characters of
formatting (byte-order marks, soft hyphens, zero-width spaces, marks of direction) go away. Combining
marks and joiners belong to the letter before them and stay. Where they have none, they go away, too.
"""

import unicodedata

import regex

JOINERS = "\u200c\u200d\u180e"  # shape the letters of Persian, Hindi or Mongolian words
_TAGS = "\U000e0020-\U000e007f"  # spell the region of a flag
MARKS = rf"\p{{M}}{JOINERS}{_TAGS}"  # for a class of characters: what follows its base character
# These hold the place of a letter inside an old Korean syllable.
_FILLERS = r"\u115f(?![\u1160-\u11a7])|(?<![\u1100-\u115f])\u1160"
_CONTROL = regex.compile(r"[\p{Cc}\u2800]+")  # with Braille's blank
_INVISIBLE = regex.compile(
    rf"[[\p{{Default_Ignorable_Code_Point}}\ufff9-\ufffb]--[{MARKS}\u115f\u1160]]+|{_FILLERS}"
    r"|\u200c+(?![\p{L}\p{M}])",  # a non-joiner at the end of a word joins nothing, and so parts nothing
    flags=regex.V1,
)
# Moses splits these four from a word, so a mark after them would be alone.
_STRAY = regex.compile(rf"(?<![^\s.,'`-])[{MARKS}]+")
_NOTABLE = regex.compile(rf"[\p{{Cc}}\u2800\ufff9-\ufffb\p{{Default_Ignorable_Code_Point}}{MARKS}]")


def normalized(line: str) -> str:
    """Return a line in the one form. Most lines are in it already."""
    if line.isprintable():
        try:
            line.encode("latin-1")
            return line  # each character has one form; the fast way for much of Europe's text
        except UnicodeEncodeError:
            pass
    if not _NOTABLE.search(line):
        return unicodedata.normalize("NFC", line)
    line = unicodedata.normalize("NFC", _INVISIBLE.sub("", _CONTROL.sub(" ", line)))
    stripped: str = _STRAY.sub("", line)
    return stripped
