"""Test sets in SGM, the markup of the WMT and NIST evaluations: ``<doc docid=...><seg id=...>``.

It looks like XML but is not: bare ampersands are allowed, and the declaration and closing tags may be
missing.
"""

import html
import re
from collections.abc import Iterator
from pathlib import Path

from attnmt.errors import InputError
from attnmt.files.text_file import read_text

Place = tuple[str, str]  # the ids of a document and of a segment in it

# Text may hold a "<", so only the format's own tags count.
_TAG = re.compile(r"<(/?)(srcset|refset|tstset|doc|seg)\b([^>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([A-Za-z]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
# An entity must end in a semicolon, so R&D and ?a=1&copy=2 stay as they are.
_ENTITY = re.compile(r"&(?:#[0-9]+|#[xX][0-9A-Fa-f]+|[A-Za-z][A-Za-z0-9]*);")


def read_parallel_sgm(source: Path, target: Path) -> Iterator[tuple[str, str]]:
    """Yield the pairs of segments with the same ids in two files, in the order of the first file.

    Raises:
        InputError: if a file is not as :func:`read_sgm` needs it, or a segment has no counterpart.
    """
    sides = {path: read_sgm(path) for path in (source, target)}
    for path, counterpart in ((source, target), (target, source)):
        for doc, seg in sides[path]:
            if (doc, seg) not in sides[counterpart]:
                raise InputError(
                    f"{counterpart}: no segment {seg!r} in document {doc!r}, which {path} has; "
                    f"get the two files of one set"
                )
    for place, text in sides[source].items():
        yield text, sides[target][place]


def read_sgm(path: Path) -> dict[Place, str]:
    """Read the segments of a file in order. In each, any white space becomes one space.

    Raises:
        InputError: if the file is missing, is not UTF-8 or has no segments; if a segment is not closed,
            is outside a document, or has no id, a repeated id or no text. The message names the
            line.
    """
    text = read_text(path, "utf-8")
    segments: dict[Place, str] = {}
    for place, raw, start in _segments(text, path):
        if place in segments:
            raise _fault(
                path, text, start, f"document {place[0]!r} has segment {place[1]!r} already"
            )
        segments[place] = plain_text(raw)
        if not segments[place]:
            raise _fault(path, text, start, "a segment without text")
    if not segments:
        raise InputError(f"{path}: no <seg> in it; is it an SGM file?")
    return segments


def plain_text(raw: str) -> str:
    """Return the text of a segment: entities are replaced, and white space becomes one space."""
    return " ".join(_ENTITY.sub(lambda entity: html.unescape(entity[0]), raw).split())


def _segments(text: str, path: Path) -> Iterator[tuple[Place, str, int]]:
    """Yield the place, the raw text and the offset of every segment."""
    doc, opened = None, None
    for tag in _TAG.finditer(text):
        closing, name = tag[1] == "/", tag[2].lower()
        if opened is not None and (name != "seg" or not closing):
            raise _fault(path, text, opened[0].start(), "a segment that is not closed")
        if name == "doc":
            doc = None if closing else _attribute(tag, ("docid", "id"), path)
        elif name == "seg" and not closing:
            if doc is None:
                raise _fault(path, text, tag.start(), "a segment outside any document")
            opened = tag, (doc, _attribute(tag, ("id",), path))
        elif name == "seg":
            if opened is None:
                raise _fault(path, text, tag.start(), "</seg> without a <seg>")
            yield opened[1], text[opened[0].end() : tag.start()], opened[0].start()
            opened = None
    if opened is not None:
        raise _fault(path, text, opened[0].start(), "a segment that is not closed")


def _attribute(tag: re.Match[str], names: tuple[str, ...], path: Path) -> str:
    """Return the value of the first of the attributes ``names`` that a tag has."""
    attributes = {name.lower(): "".join(values) for name, *values in _ATTRIBUTE.findall(tag[3])}
    value = next((attributes[name] for name in names if attributes.get(name)), None)
    if value is None:
        raise _fault(path, tag.string, tag.start(), f"<{tag[2]}> without {names[0]}")
    return value


def _fault(path: Path, text: str, start: int, what: str) -> InputError:
    line = text.count("\n", 0, start) + 1
    return InputError(f"{path}:{line}: {what}; get a good copy of the file")
