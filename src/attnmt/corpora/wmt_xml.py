"""Test sets in WMT's XML, which replaced SGM in 2021: source and references of a document in one file.

A ``<doc>`` has a ``<src lang=...>`` and, of each translator, a ``<ref lang=... translator=...>``. Each
holds segments with ids. Translations of systems (``<hyp>``) and documents of test suites are not read.
"""

from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from attnmt.corpora.elements import xml_texts
from attnmt.corpora.language_tags import tags_meant
from attnmt.corpora.segments import Segments, Side, Version, add_segment
from attnmt.errors import InputError


class WmtSet(NamedTuple):
    """The versions of each language, and the number of documents that are of test suites."""

    sides: dict[str, Side]
    suites: int

    def side(self, code: str, path: Path) -> Side:
        """Return the versions of the language that is called ``code``.

        Raises:
            InputError: if there are none, or if it has several variants and none of them is the one
                that was asked for.
        """
        if tags := tags_meant(code, self.sides, path):
            return [version for tag in tags for version in self.sides[tag]]
        raise InputError(
            f"{path}: no text in {code!r}; it has {', '.join(self.sides)}. Call the languages so, or "
            f"get the file of your languages"
        )


def read_wmt(path: Path) -> WmtSet:
    """Read the segments of each language and translator. White space in them becomes one space.

    Raises:
        InputError: if the file is not XML, if a document, a side or a segment lacks an attribute that it
            must have, or if a segment is there twice. The message names the line.
    """
    read: dict[str, dict[str, Segments]] = defaultdict(lambda: defaultdict(dict))
    suites: set[int] = set()
    for text, element, around in xml_texts(path, ("src", "ref", "seg")):
        doc = around.get("doc")
        side = element if element.name != "seg" else around.get("src") or around.get("ref")
        if doc is None or side is None:
            continue
        if "testsuite" in doc.attributes:
            suites.add(doc.line)
            continue
        versions, number = read[side.needed("lang")], doc.needed("id")
        segments = versions[side.attributes.get("translator", "")]  # in order, even if it has none
        if side is not element:
            add_segment(segments, number, element, text)
    if not read:
        raise InputError(f"{path}: no <doc> with a <src> in it; is it XML of WMT?")
    sides = {
        language: [Version(path, translator, segments) for translator, segments in versions.items()]
        for language, versions in read.items()
    }
    return WmtSet(sides, len(suites))
