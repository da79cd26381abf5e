"""Test sets in SGM, the markup of the WMT and NIST evaluations: ``<doc docid=...><seg id=...>``.

It looks like XML but is not: bare ampersands are allowed, and the declaration and closing tags may be
missing. IWSLT's files are named .xml and have this markup, too.
"""

import html
import re
from pathlib import Path

from attnmt.corpora.segments import Place, Segment, Side, Version
from attnmt.errors import InputError
from attnmt.files.text_file import read_text

# Text may hold a "<", so only the format's own tags count.
_TAG = re.compile(r"<(/?)(srcset|refset|tstset|doc|seg)\b([^>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([A-Za-z]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
# An entity must end in a semicolon, so R&D and ?a=1&copy=2 stay as they are.
_ENTITY = re.compile(r"&(?:#[0-9]+|#[xX][0-9A-Fa-f]+|[A-Za-z][A-Za-z0-9]*);")


def read_sgm(path: Path) -> Side:
    """Read the segments of each translator in order. In each segment, any white space becomes one space.

    Translators are told apart by the ``sysid`` of a document, or by the ``refid`` of its set.

    Raises:
        InputError: if the file is missing, is not UTF-8 or has no segments; if a segment is not closed,
            is outside a document, or has no id or a repeated one; if sources and references are in one
            file. The message names the line.
    """
    text = read_text(path, "utf-8")
    versions: dict[str, dict[Place, Segment]] = {}
    sets: set[str] = set()
    doc: str | None = None
    refid = translator = ""
    seg: re.Match[str] | None = None  # the tag of a segment that is not closed yet
    line, counted = 1, 0
    for tag in _TAG.finditer(text):
        closing, name = tag[1] == "/", tag[2].lower()
        if seg is not None and (name != "seg" or not closing):
            raise _fault(path, seg, "a segment that is not closed")
        if name == "doc":
            doc = None if closing else _attribute(path, tag, "docid", "id")
            translator = refid or _attributes(tag).get("sysid", "")
        elif name != "seg":
            sets.add(name)
            refid = "" if closing else _attributes(tag).get("refid", "")
            if len(sets) > 1:
                raise InputError(f"{path}: has {' and '.join(sorted(sets))}; give a file of each")
        elif not closing:
            seg = tag
        else:
            if seg is None:
                raise _fault(path, tag, "</seg> without a <seg>")
            if doc is None:
                raise _fault(path, seg, "a segment outside any document")
            place = doc, _attribute(path, seg, "id")
            segments = versions.setdefault(translator, {})
            if place in segments:
                raise _fault(path, seg, f"document {doc!r} has segment {place[1]!r} already")
            line, counted = line + text.count("\n", counted, seg.start()), seg.start()
            segments[place] = Segment(plain_text(text[seg.end() : tag.start()]), line)
            seg = None
    if seg is not None:
        raise _fault(path, seg, "a segment that is not closed")
    if not versions:
        raise InputError(f"{path}: no <seg> in it; is it an SGM file?")
    return [Version(path, name, segments) for name, segments in versions.items()]


def plain_text(raw: str) -> str:
    """Return the text of a segment: entities are replaced, and white space becomes one space."""
    return " ".join(_ENTITY.sub(lambda entity: html.unescape(entity[0]), raw).split())


def _attribute(path: Path, tag: re.Match[str], *names: str) -> str:
    """Return the value of the first of the attributes ``names`` that a tag has."""
    attributes = _attributes(tag)
    for name in names:
        if attributes.get(name):
            return attributes[name]
    raise _fault(path, tag, f"<{tag[2]}> without {names[0]}")


def _attributes(tag: re.Match[str]) -> dict[str, str]:
    return {name.lower(): "".join(values) for name, *values in _ATTRIBUTE.findall(tag[3])}


def _fault(path: Path, tag: re.Match[str], what: str) -> InputError:
    line = tag.string.count("\n", 0, tag.start()) + 1
    return InputError(f"{path}:{line}: {what}; get a good copy of the file")
