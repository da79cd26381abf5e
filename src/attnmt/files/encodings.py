"""In which encoding a text may be that is not UTF-8."""

import codecs
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from attnmt.files.file_kind import convert

LOOKED_AT = 100_000  # lines
ENOUGH = 200  # lines that are not UTF-8
SHOWN = 40  # characters of such a line in a message
# Those in which most texts are that are not UTF-8. With more to choose from, the guesses are worse.
WESTERN = "cp1252"
LATIN = [WESTERN, "cp1250", "iso8859_2", "cp1254", "cp1257"]
OTHER = ["cp1251", "koi8_u", "cp1253", "cp1255", "cp1256", "cp874"]
OTHER += ["gb18030", "big5", "cp932", "euc_jp", "cp949"]
# By the mark at the start. UTF-32 comes first, because one of its marks begins like one of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip
_WIDE = ("utf-32le", "utf-32be", "utf-16le", "utf-16be")  # with 2 or 4 bytes a character
_ESCAPES = {b"\x1b$B": "iso-2022-jp", b"\x1b$)C": "iso-2022-kr"}  # encodings in seven bits
_BLANK = "\n\r "
_CONTROL = bytes({*range(32)} - {*b"\t\n\v\f\r"})
MOST_CONTROL = 0.02  # of the bytes of a text are control characters
MOST_MARKS = 0.5  # of the bytes of Latin text are not ASCII
MOST_LOW = 0.25  # of the characters of UTF-8 are below the space; in wide text more bytes are


def encoding_of(head: bytes) -> str | None:
    """Return the encoding that a text's first bytes tell of; None if they may be those of UTF-8."""
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return encoding
    if b"\0" in head:
        return _wide(head)
    return next((encoding for escape, encoding in _ESCAPES.items() if escape in head), None)


def _wide(head: bytes) -> str | None:
    """Return the wide encoding in which bytes have line ends and spaces, which all scripts share."""
    text = _decoded(head, "utf-8")
    if text and sum(character < " " for character in text) <= MOST_LOW * len(text):
        return None
    blanks = {encoding: sum(map(_decoded(head, encoding).count, _BLANK)) for encoding in _WIDE}
    best = max(_WIDE, key=blanks.__getitem__)  # the first of equals, as UTF-32 has those of UTF-16
    return best if blanks[best] else None


def _decoded(head: bytes, encoding: str) -> str:
    """Return bytes as text, without a character at their end that is cut; "" if they are none."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeDecodeError:
        return ""


def why_not_utf8(head: bytes, path: Path, packed: bool) -> str | None:
    """Say what to do about a text whose first bytes tell of another encoding; None if they do not.

    Args:
        head: the first bytes of the file, unpacked.
        packed: whether the file itself is compressed by gzip.
    """
    if (encoding := encoding_of(head)) is None:
        return None
    command = convert(f"iconv -f {encoding} -t utf-8", path, packed)
    return f"this is text in {encoding.upper()}, not lines of UTF-8; convert it: {command}"


def cure_of_encoding(lines: Iterable[bytes], path: Path, packed: bool) -> str:
    """Say what to do about a file of which at least one line is not UTF-8.

    Args:
        lines: the lines of the file, unpacked.
        packed: whether the file itself is compressed by gzip.
    """
    from charset_normalizer import from_bytes  # here, because it is rarely needed

    others, wide = [], 0  # lines that are not UTF-8, and those that are and are not plain ASCII
    for line in islice(lines, LOOKED_AT):
        try:
            wide += not line.decode("utf-8").isascii()
        except UnicodeDecodeError:
            others.append(line)
    if wide > len(others):
        drop = convert("iconv -c -f utf-8 -t utf-8", path, packed)
        return f"other lines are UTF-8, so correct this line, or drop such bytes: {drop}"
    first, sample = others[0], b"".join(others[:ENOUGH])
    if len(sample.translate(None, _CONTROL)) < (1 - MOST_CONTROL) * len(sample):
        return "it has many control characters, so it is no text; give lines of text in UTF-8"
    marks = sum(byte > 127 for byte in sample) / len(b"".join(sample.split()))
    best = from_bytes(sample, cp_isolation=LATIN if marks <= MOST_MARKS else OTHER).best()
    encoding = best.encoding if best else WESTERN
    if sample.decode(encoding, "replace") == sample.decode(WESTERN, "replace"):
        encoding = WESTERN  # the better known name
    at = max(0, next(i for i, byte in enumerate(first) if byte > 127) - SHOWN // 2)
    shown = first[at : at + SHOWN].decode(encoding, "replace").strip()
    name = encoding.replace("_", "-")
    return (
        f"convert it: {convert(f'iconv -f {name} -t utf-8', path, packed)} (it then reads {shown!r}; "
        f"if that is wrong, name another encoding)"
    )
