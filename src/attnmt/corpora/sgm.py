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
    sources, targets = read_sgm(source), read_sgm(target)
    for doc, seg in sorted(sources.keys() ^ targets.keys()):
        there, lacking = (source, target) if (doc, seg) in sources else (target, source)
        raise InputError(
            f"{lacking}: no segment {seg!r} in document {doc!r}, which {there} has; "
            f"get the two files of one set"
        )
    yield from ((text, targets[place]) for place, text in sources.items())


def read_sgm(path: Path) -> dict[Place, str]:
    """Read the segments of a file in order. In each, any white space becomes one space.

    Raises:
        InputError: if the file is missing, is not UTF-8 or has no segments; if a segment is not closed,
            is outside a document, or has no id, a repeated id or no text. The message names the
            line.
    """
    text = read_text(path, "utf-8")
    segments: dict[Place, str] = {}
    doc: str | None = None
    seg: re.Match[str] | None = None  # the tag of a segment that is not closed yet
    for tag in _TAG.finditer(text):
        closing, name = tag[1] == "/", tag[2].lower()
        if seg is not None and (name != "seg" or not closing):
            raise _fault(path, seg, "a segment that is not closed")
        if name == "doc":
            doc = None if closing else _attribute(path, tag, "docid", "id")
        elif name == "seg" and not closing:
            seg = tag
        elif name == "seg":
            if seg is None:
                raise _fault(path, tag, "</seg> without a <seg>")
            if doc is None:
                raise _fault(path, seg, "a segment outside any document")
            place = doc, _attribute(path, seg, "id")
            if place in segments:
                raise _fault(path, seg, f"document {doc!r} has segment {place[1]!r} already")
            segments[place] = plain_text(text[seg.end() : tag.start()])
            if not segments[place]:
                raise _fault(path, seg, "a segment without text")
            seg = None
    if seg is not None:
        raise _fault(path, seg, "a segment that is not closed")
    if not segments:
        raise InputError(f"{path}: no <seg> in it; is it an SGM file?")
    return segments


def plain_text(raw: str) -> str:
    """Return the text of a segment: entities are replaced, and white space becomes one space."""
    return " ".join(_ENTITY.sub(lambda entity: html.unescape(entity[0]), raw).split())


def _attribute(path: Path, tag: re.Match[str], *names: str) -> str:
    """Return the value of the first of the attributes ``names`` that a tag has."""
    attributes = {name.lower(): "".join(values) for name, *values in _ATTRIBUTE.findall(tag[3])}
    for name in names:
        if attributes.get(name):
            return attributes[name]
    raise _fault(path, tag, f"<{tag[2]}> without {names[0]}")


def _fault(path: Path, tag: re.Match[str], what: str) -> InputError:
    line = tag.string.count("\n", 0, tag.start()) + 1
    return InputError(f"{path}:{line}: {what}; get a good copy of the file")
