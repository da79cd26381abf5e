"""Translation memories in TMX: units with one variant for each language."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from attnmt.corpora.elements import Element, xml_texts
from attnmt.corpora.language_tags import tags_meant
from attnmt.errors import InputError

# Elements in a segment whose text is code of a program and not of the language.
_CODE = {"bpt", "ept", "it", "ph", "ut", "sub"}


Unit = dict[str, str]  # the texts of a unit by language tag, such as en-US


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
            self.tags.update(unit.keys())
        tags = [tag for tag, _ in self.tags.most_common()]
        self.meant = [tags_meant(code, tags, self._path) for code in self._codes]
        found = False
        for unit in _units(self._path):
            one, other = (
                next((unit[tag] for tag in tags if tag in unit), "") for tags in self.meant
            )
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
    """Yield the units. The first text counts where a tag comes twice."""
    unit: Unit = {}
    at: Element | None = None  # where the unit begins
    for segment in xml_texts(path, "seg", without=_CODE):
        if segment.around.get("tu") is not at:
            if at:
                yield unit
            unit, at = {}, segment.around.get("tu")
        variant = segment.around["tuv"].attributes if "tuv" in segment.around else {}
        if segment.text:
            tag = variant.get("xml:lang") or variant.get("lang") or ""
            unit.setdefault(tag, segment.text)
    if at:
        yield unit
