"""Test sets in SGM, the markup of the WMT and NIST evaluations: ``<doc docid=...><seg id=...>``.

It looks like XML but is not: bare ampersands are allowed, and the declaration and closing tags may be
missing. IWSLT's files are named .xml and have this markup, too.
"""

import html
import re
from collections import defaultdict
from pathlib import Path

from attnmt.corpora.elements import Element
from attnmt.corpora.segments import Segments, Side, Version, add_segment
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
    versions: dict[str, Segments] = defaultdict(dict)
    sets: set[str] = set()
    doc: str | None = None
    refid = translator = ""
    seg: Element | None = None  # that is not closed yet
    line, counted, begin = 1, 0, 0
    for tag in _TAG.finditer(text):
        line, counted = line + text.count("\n", counted, tag.start()), tag.start()
        closing, name = tag[1] == "/", tag[2].lower()
        values = {key.lower(): "".join(value) for key, *value in _ATTRIBUTE.findall(tag[3])}
        element = Element(path, line, name, values)
        if seg is not None and (name != "seg" or not closing):
            break
        if name == "doc":
            doc = None if closing else element.needed("docid", "id")
            translator = refid or values.get("sysid", "")
        elif name != "seg":
            sets.add(name)
            refid = "" if closing else values.get("refid", "")
            if len(sets) > 1:
                raise InputError(f"{path}: has {' and '.join(sorted(sets))}; give a file of each")
        elif not closing:
            seg, begin = element, tag.end()
        elif seg is None:
            raise element.fault("</seg> without a <seg>")
        elif doc is None:
            raise seg.fault("a segment outside any document")
        else:
            add_segment(versions[translator], doc, seg, plain_text(text[begin : tag.start()]))
            seg = None
    if seg is not None:
        raise seg.fault("a segment that is not closed")
    if not versions:
        raise InputError(f"{path}: no <seg> in it; is it an SGM file?")
    return [Version(path, name, segments) for name, segments in versions.items()]


def plain_text(raw: str) -> str:
    """Return the text of a segment: entities are replaced, and white space becomes one space."""
    return " ".join(_ENTITY.sub(lambda entity: html.unescape(entity[0]), raw).split())
