"""Test sets in SGM, the markup of the WMT and NIST evaluations: ``<doc docid=...><seg id=...>``.

It looks like XML but is not: bare ampersands are allowed, and the declaration and closing tags may be
missing. IWSLT's files are named .xml and have this markup, too.
"""

import html
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from attnmt.errors import InputError
from attnmt.files.text_file import read_text

Place = tuple[str, str]  # the ids of a document and of a segment in it
Version = dict[Place, str]  # the segments of one translator

# Text may hold a "<", so only the format's own tags count.
_TAG = re.compile(r"<(/?)(refset|tstset|doc|seg)\b([^>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([A-Za-z]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
# An entity must end in a semicolon, so R&D and ?a=1&copy=2 stay as they are.
_ENTITY = re.compile(r"&(?:#[0-9]+|#[xX][0-9A-Fa-f]+|[A-Za-z][A-Za-z0-9]*);")


def read_sgm(path: Path) -> list[Version]:
    """Read the segments of each translator in order. In each segment, any white space becomes one space.

    Translators are told apart by the ``sysid`` of a document, or by the ``refid`` of its set.

    Raises:
        InputError: if the file is missing, is not UTF-8 or has no segments; if a segment is not closed,
            or has no id or a repeated one. The message names the line.
    """
    text = read_text(path, "utf-8")
    versions: dict[str, Version] = defaultdict(dict)
    doc = refid = translator = ""
    number: str | None = None  # of a segment that is not closed yet
    begin = 0  # of its text
    for tag in _TAG.finditer(text):
        opens, name = not tag[1], tag[2].lower()
        values = {key.lower(): "".join(value) for key, *value in _ATTRIBUTE.findall(tag[3])}
        if number is not None and (name != "seg" or opens):
            break
        if name == "doc":
            doc = values.get("docid", values.get("id", "")) if opens else ""
            translator = refid or values.get("sysid", "")
        elif name != "seg":
            refid = values.get("refid", "") if opens else ""
        elif opens:
            number, begin = values.get("id", ""), tag.end()
        elif number is not None:
            segments = versions[translator]
            if not (doc and number) or (doc, number) in segments:
                what = f"segment {number!r} of document {doc!r}: each needs an id of its own"
                raise _fault(path, text, begin, what)
            segments[doc, number] = plain_text(text[begin : tag.start()])
            number = None
    if number is not None:
        raise _fault(path, text, begin, "a segment that is not closed")
    if not versions:
        raise InputError(f"{path}: no <seg> in it; is it an SGM file?")
    return list(versions.values())


def _fault(path: Path, text: str, at: int, what: str) -> InputError:
    line = text.count("\n", 0, at) + 1
    return InputError(f"{path}:{line}: {what}; get a good copy of the file")


def plain_text(raw: str) -> str:
    """Return the text of a segment: entities are replaced, and white space becomes one space."""
    return " ".join(_ENTITY.sub(lambda entity: html.unescape(entity[0]), raw).split())


def joined_sides(*sides: Sequence[tuple[Path, Version]]) -> list[list[list[str]]]:
    """Return for each segment, in the order of the first side, its texts on each side.

    Args:
        sides: the versions of a language, each with its file. A further version may lack a segment.

    Raises:
        InputError: if a side lacks a segment that another one has. The message names both ids.
    """
    rows = []
    for place in dict.fromkeys(place for side in sides for _, one in side for place in one):
        row = [[text for _, one in side if (text := one.get(place))] for side in sides]
        if [] in row:
            path, _ = sides[row.index([])][0]
            raise InputError(
                f"{path}: no text of segment {place[1]!r} in document {place[0]!r}; get the two "
                f"files of one set, or take the segment out of both"
            )
        rows.append(row)
    return rows
