"""Test sets in WMT's XML, which replaced SGM in 2021: source and references of a document in one file.

A ``<doc>`` has a ``<src lang=...>`` and, of each translator, a ``<ref lang=... translator=...>``. Each
holds segments with ids. Translations of systems (``<hyp>``) and documents of test suites are not read.
"""

from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

from attnmt.corpora.language_tags import tags_meant
from attnmt.corpora.segments import Place, Segment, Side, Version
from attnmt.corpora.xml_events import Event, xml_events
from attnmt.errors import InputError

_SIDES = ("src", "ref")


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
    read: dict[str, dict[str, dict[Place, Segment]]] = defaultdict(lambda: defaultdict(dict))
    counts: Counter[str] = Counter()
    doc: str | None = None  # of which segments are read now
    segments: dict[Place, Segment] | None = None
    seg: Event | None = None
    pieces: list[str] = []
    for event in xml_events(path):
        kind, name, attributes, line = event
        if kind == "text":
            if seg is not None:
                pieces.append(name)
        elif name == "doc":
            of_suite = kind == "start" and "testsuite" in attributes
            counts["suites"] += of_suite
            doc = _attribute(path, event, "id") if kind == "start" and not of_suite else None
        elif name in _SIDES:
            segments = None
            if kind == "start" and doc is not None:
                translator = attributes.get("translator", "")
                segments = read[_attribute(path, event, "lang")][translator]
        elif name == "seg" and segments is not None and doc is not None:
            if kind == "start":
                seg, pieces = event, []
                if (doc, _attribute(path, event, "id")) in segments:
                    raise _fault(path, line, f"document {doc!r} has this segment already")
            elif seg is not None:
                text = " ".join("".join(pieces).split())
                segments[doc, seg.attributes["id"]] = Segment(text, seg.line)
                seg = None
    if not read:
        raise InputError(f"{path}: no <doc> with a <src> in it; is it XML of WMT?")
    sides = {
        language: [Version(path, translator, found) for translator, found in versions.items()]
        for language, versions in read.items()
    }
    return WmtSet(sides, counts["suites"])


def _attribute(path: Path, event: Event, name: str) -> str:
    if value := event.attributes.get(name):
        return value
    raise _fault(path, event.line, f"<{event.text}> without {name}")


def _fault(path: Path, line: int, what: str) -> InputError:
    return InputError(f"{path}:{line}: {what}; get a good copy of the file")
