"""Segments of a test set in several versions: the source, and what each translator wrote."""

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from attnmt.corpora.elements import Element
from attnmt.errors import InputError

Place = tuple[str, str]  # the ids of a document and of a segment in it
Segments = dict[Place, str]  # their texts, which may be empty
Row = tuple[list[str], list[str]]  # the texts of a segment: of the source, and of the target


def add_segment(segments: Segments, doc: str, element: Element, text: str) -> None:
    """Add the text of a segment in the document ``doc``.

    Raises:
        InputError: if its element has no id, or if the document has such a segment already.
    """
    place = doc, element.needed("id")
    if place in segments:
        raise element.fault(f"document {doc!r} has segment {place[1]!r} already")
    segments[place] = text


class Version(NamedTuple):
    """All segments in the words of one translator, who may have no name."""

    path: Path
    translator: str
    segments: Segments


Side = list[Version]  # of one language


def join_sides(source: Side, target: Side, may_lack: bool) -> tuple[list[Row], list[str]]:
    """Return the texts of each segment, in the order of the source, and notes about what is missing.

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
        fault = _first_lack(target + source, left_out[0])
        raise InputError(f"{fault}; get the two files of one set, or take the segment out of both")
    most = widths(kept.values())
    fewer = [place for place, row in kept.items() if (len(row[0]), len(row[1])) != most]
    notes = [
        f"{len(chosen):,} of {len(places):,} segments {what}; {_first_lack(target + source, chosen[0])}"
        for chosen, what in (
            (fewer, "have fewer versions than others"),
            (left_out, "have no text on one side and are left out"),
        )
        if chosen
    ]
    return list(kept.values()), notes


def widths(rows: Iterable[Row]) -> tuple[int, int]:
    """Return how many texts of each side a segment has at most."""
    counts = [(len(source), len(target)) for source, target in rows]
    return max(source for source, _ in counts), max(target for _, target in counts)


def _texts(side: Side, place: Place) -> list[str]:
    return [text for version in side if (text := version.segments.get(place))]


def _first_lack(versions: Side, place: Place) -> str:
    """Say which version lacks a segment, or has it without text."""
    path, translator, _ = next(one for one in versions if not one.segments.get(place))
    by = f" by translator {translator!r}" if translator else ""
    return f"{path}: no text of segment {place[1]!r} in document {place[0]!r}{by}"
