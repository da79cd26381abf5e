"""Translation memories in TMX: units with one variant for each language."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from attnmt.corpora.language_tags import tags_meant
from attnmt.corpora.xml_events import xml_events
from attnmt.errors import InputError

# Elements in a segment whose text is code of a program and not of the language.
_CODE = {"bpt", "ept", "it", "ph", "ut", "sub"}


class Unit(NamedTuple):
    """The texts of a unit by language tag, such as en-US; the first counts where a tag comes twice."""

    texts: dict[str, str]

    def text(self, tags: Iterable[str]) -> str:
        """Return the text with one of some tags, or "" if there is none."""
        return next((self.texts[tag] for tag in tags if tag in self.texts), "")


class Memory:
    """The pairs of two languages in a file, read one by one.

    Attributes:
        tags: how many units have a text with each language tag.
        left_out: how many units lacked one of the two languages.
        meant: the tags of each of the two languages, which are known when pairs are read.
    """

    def __init__(self, path: Path, codes: tuple[str, str]) -> None:
        """Take a file and the codes of the two languages."""
        self._path = path
        self._codes = codes
        self.tags: Counter[str] = Counter()
        self.left_out = 0
        self.meant: list[list[str]] = []

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield the pairs. White space in them becomes one space.

        The file is read twice, because its last unit may have a tag that fits a code better.

        Raises:
            InputError: if the file is not XML, if it has several variants of a language and none of
                them is the one that was asked for, or if no unit has both languages.
        """
        for unit in _units(self._path):
            self.tags.update(unit.texts.keys())
        tags = [tag for tag, _ in self.tags.most_common()]
        self.meant = [tags_meant(code, tags, self._path) for code in self._codes]
        found = False
        for unit in _units(self._path):
            one, other = map(unit.text, self.meant)
            if one and other:
                found = True
                yield one, other
            else:
                self.left_out += 1
        if not found:
            counts = ", ".join(f"{tag} ({count:,})" for tag, count in self.tags.most_common())
            raise InputError(
                f"{self._path}: no unit in both {self._codes[0]!r} and {self._codes[1]!r}; it has "
                f"{counts or 'none'}. Call the languages so: --languages CODE CODE"
            )


def _units(path: Path) -> Iterator[Unit]:
    unit = Unit({})
    tag, pieces = "", []
    in_segment, in_code = False, 0
    for kind, name, attributes, _ in xml_events(path):
        if kind == "text":
            if in_segment and not in_code:
                pieces.append(name)
        elif name == "tu":
            if kind == "end":
                yield unit
            unit = Unit({})
        elif name == "tuv" and kind == "start":
            tag = attributes.get("xml:lang") or attributes.get("lang") or ""
        elif name == "seg":
            in_segment = kind == "start"
            if in_segment:
                pieces = []
            elif text := " ".join("".join(pieces).split()):
                unit.texts.setdefault(tag, text)
        elif in_segment and name in _CODE:
            in_code += 1 if kind == "start" else -1
