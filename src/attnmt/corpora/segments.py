"""Segments of a test set in several versions: the source, and what each translator wrote."""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from attnmt.corpora.elements import Element
from attnmt.errors import InputError

Place = tuple[str, str]  # the ids of a document and of a segment in it


class Segment(NamedTuple):
    """The text of a segment, which may be empty, and its line in the file."""

    text: str
    line: int


Segments = dict[Place, Segment]


def add_segment(segments: Segments, doc: str, element: Element, text: str) -> None:
    """Add the text of a segment in the document ``doc``.

    Raises:
        InputError: if its element has no id, or if the document has such a segment already.
    """
    place = doc, element.needed("id")
    if place in segments:
        raise element.fault(f"document {doc!r} has segment {place[1]!r} already")
    segments[place] = Segment(text, element.line)


class Version(NamedTuple):
    """All segments in the words of one translator, who may have no name."""

    path: Path
    translator: str
    segments: Segments


Side = list[Version]  # of one language


class Joined(NamedTuple):
    """The rows of a set: the texts of the source, and those of the target. None of them is empty."""

    rows: list[tuple[list[str], list[str]]]
    notes: list[str]

    def widths(self) -> tuple[int, int]:
        """Return how many texts of each side a segment has at most."""
        return max(len(row[0]) for row in self.rows), max(len(row[1]) for row in self.rows)


def join_sides(source: Side, target: Side, may_lack: bool) -> Joined:
    """Join the segments with the same ids, in the order of the source.

    Args:
        may_lack: whether a segment without any text on one side is left out, as in WMT's XML, in which
            some documents have no reference. If not, it is an error.

    Raises:
        InputError: if a segment has no counterpart or no text, or if none is left. The message names
            translator, document and segment.
    """
    places = dict.fromkeys(chain.from_iterable(version.segments for version in source + target))
    rows = {place: (_texts(source, place), _texts(target, place)) for place in places}
    left_out = [place for place, row in rows.items() if not all(row)]
    kept = {place: row for place, row in rows.items() if all(row)}
    if left_out and not (kept and may_lack):
        fault = _first_lack(source, target, left_out[0])
        raise InputError(f"{fault}; get the two files of one set, or take the segment out of both")
    joined = Joined(list(kept.values()), [])
    most = joined.widths()
    fewer = [place for place, row in kept.items() if (len(row[0]), len(row[1])) != most]
    for chosen, what in (
        (fewer, "have fewer versions than others"),
        (left_out, "have no text on one side and are left out"),
    ):
        if chosen:
            first = _first_lack(source, target, chosen[0])
            joined.notes.append(f"{len(chosen):,} of {len(places):,} segments {what}; {first}")
    return joined


def _texts(side: Side, place: Place) -> list[str]:
    segments = (version.segments.get(place) for version in side)
    return [segment.text for segment in segments if segment and segment.text]


def _first_lack(source: Side, target: Side, place: Place) -> str:
    return next(chain(_lacks(target, place, source), _lacks(source, place, target)))


def _lacks(side: Side, place: Place, other: Iterable[Version]) -> Iterator[str]:
    """Say which versions lack a segment, or have it without text."""
    doc, number = place
    for path, translator, segments in side:
        by = f" by translator {translator!r}" if translator else ""
        if place not in segments:
            there = next((one.path for one in other if place in one.segments), path)
            has = f", which {there} has" if there != path else ""
            yield f"{path}: no segment {number!r} in document {doc!r}{by}{has}"
        elif not segments[place].text:
            line = segments[place].line
            yield f"{path}:{line}: segment {number!r} of document {doc!r}{by} is a segment without text"
