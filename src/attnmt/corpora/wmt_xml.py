"""Test sets in WMT's XML, which replaced SGM in 2021: source and references of a document in one file.

A ``<doc>`` has a ``<src lang=...>`` and, of each translator, a ``<ref lang=... translator=...>``. Each
holds segments with ids. Translations of systems (``<hyp>``) and documents of test suites are not read.
"""

from collections import defaultdict
from pathlib import Path

from attnmt.corpora.elements import xml_texts
from attnmt.corpora.language_codes import tags_meant
from attnmt.corpora.segments import Segments, Side, Version, add_segment
from attnmt.errors import InputError


def read_wmt(path: Path, code: str) -> Side:
    """Read the segments of each translator of a language. White space in them becomes one space.

    Raises:
        InputError: if the file is not XML, if a document, a side or a segment lacks an attribute that it
            must have, or if a segment is there twice (naming the line); if there is no text in the
            language that is called ``code``, or several variants of it and none is the one asked for.
    """
    read: dict[str, dict[str, Segments]] = defaultdict(lambda: defaultdict(dict))
    for text, element, around in xml_texts(path, ("src", "ref", "seg")):
        doc = around.get("doc")
        side = element if element.name != "seg" else around.get("src") or around.get("ref")
        if doc is None or side is None or "testsuite" in doc.attributes:
            continue
        versions, number = read[side.needed("lang")], doc.needed("id")
        segments = versions[side.attributes.get("translator", "")]  # in order, even if it has none
        if side is not element:
            add_segment(segments, number, element, text)
    if tags := tags_meant(code, read, path):
        versions_of_tags = [version for tag in tags for version in read[tag].items()]
        return [Version(path, *version) for version in versions_of_tags]
    raise InputError(
        f"{path}: no text in {code!r}; it has {', '.join(read) or 'no <doc> with a <src>'}. Call the "
        f"languages so, or get the file of your languages"
    )
