"""Test sets in SGM, the markup of the WMT and NIST evaluations: ``<doc docid=...><seg id=...>``.

It looks like XML but is not: bare ampersands are allowed, and the declaration and closing tags may be
missing. IWSLT's files are named .xml and have this markup, too.
"""

import html
import re
from pathlib import Path

from attnmt.errors import InputError
from attnmt.files.text_file import read_text

Place = tuple[str, str]  # the ids of a document and of a segment in it

# Text may hold a "<", so only the format's own tags count.
_TAG = re.compile(r"<(/?)(doc|seg)\b([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<![A-Za-z])([A-Za-z]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
# An entity must end in a semicolon, so R&D and ?a=1&copy=2 stay as they are.
_ENTITY = re.compile(r"&(?:#[0-9]+|#[xX][0-9A-Fa-f]+|[A-Za-z][A-Za-z0-9]*);")


def read_sgm(path: Path) -> dict[Place, str]:
    """Read the segments of one translator in order. In each, any white space becomes one space.

    Raises:
        InputError: if the file is missing, is not UTF-8 or has no segments; if a segment is not closed,
            or has no id or a repeated one. The message names the line.
    """
    text = read_text(path)
    segments: dict[Place, str] = {}
    # number and begin are those of a segment that is not closed yet
    doc, number, begin = "", None, 0
    for tag in _TAG.finditer(text):
        opens, is_seg = not tag[1], tag[2].lower() == "seg"
        values = {key.lower(): "".join(value) for key, *value in _ATTRIBUTE.findall(tag[3])}
        if number is not None and (opens or not is_seg):
            break
        if not is_seg:
            doc = values.get("docid", values.get("id", "")) if opens else ""
        elif opens:
            number, begin = values.get("id", ""), tag.end()
        elif number is not None:
            if not (doc and number) or (doc, number) in segments:
                what = f"segment {number!r} of document {doc!r}: each needs an id of its own"
                raise _fault(path, text, begin, what)
            segments[doc, number] = plain_text(text[begin : tag.start()])
            number = None
    if number is not None:
        raise _fault(path, text, begin, "a segment that is not closed")
    if not segments:
        raise InputError(f"{path}: no <seg> in it; is it an SGM file?")
    return segments


def _fault(path: Path, text: str, at: int, what: str) -> InputError:
    line = text.count("\n", 0, at) + 1
    return InputError(f"{path}:{line}: {what}; get a good copy of the file, of one translator")


def plain_text(raw: str) -> str:
    """Return the text of a segment: entities are replaced, and white space becomes one space."""
    return " ".join(_ENTITY.sub(lambda entity: html.unescape(entity[0]), raw).split())
