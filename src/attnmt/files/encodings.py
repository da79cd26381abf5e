"""In which encoding a text may be that is not UTF-8."""

import codecs
from collections.abc import Iterable
from pathlib import Path

from attnmt.files.file_kind import command_for

LOOKED_AT = 100_000  # lines, or more until one is not UTF-8
ENOUGH = 200  # lines that are not UTF-8
SHOWN = 40  # characters of such a line in a message
# Those in which most texts are that are not UTF-8. With more to choose from, the guesses are worse.
WESTERN = "cp1252"
LATIN = [WESTERN, "cp1250", "iso8859_2", "cp1254", "cp1257"]
OTHER = ["cp1251", "koi8_u", "cp1253", "cp1255", "cp1256", "cp874"]
OTHER += ["gb18030", "big5", "cp932", "euc_jp", "cp949"]
MOST_MARKS = 0.5  # of the bytes of Latin text are not ASCII


def wide_encoding(head: bytes) -> str | None:
    """Return which UTF-16 a text's first bytes tell of; None if they may be those of UTF-8.

    Without a mark at the start, it is the one in which the bytes have line ends and spaces, which all
    scripts share. One of them beside a stray NUL of UTF-8 tells of nothing.
    """
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    blanks = {
        encoding: sum(map(head.decode(encoding, "ignore").count, "\n\r "))
        for encoding in ("utf-16le", "utf-16be")
    }
    best = max(blanks, key=blanks.__getitem__)
    if b"\0" not in head or not blanks[best]:
        return None
    if 2 * blanks[best] > sum(map(head.count, b"\n\r ")):
        return best
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # its last character may be cut
    except UnicodeDecodeError:
        return best
    return None


def why_not_utf8(head: bytes, path: Path) -> str | None:
    """Say what to do about a text whose first bytes, unpacked, tell of UTF-16; None if they do not."""
    if (encoding := wide_encoding(head)) is None:
        return None
    command = command_for(f"iconv -f {encoding} -t utf-8", path)
    return f"this is text in {encoding.upper()}, not lines of UTF-8; convert it: {command}"


def cure_of_encoding(lines: Iterable[bytes], path: Path) -> str:
    """Say what to do about a file of which at least one line, unpacked, is not UTF-8."""
    from charset_normalizer import from_bytes  # here, because it is rarely needed

    # Lines that are not UTF-8, and the number of those that are and are not plain ASCII
    others, wide = list[bytes](), 0
    for number, line in enumerate(lines):
        if number >= LOOKED_AT and others:
            break
        try:
            wide += not line.decode("utf-8").isascii()
        except UnicodeDecodeError:
            others.append(line)
    if wide > len(others):
        drop = command_for("iconv -c -f utf-8 -t utf-8", path)
        return f"other lines are UTF-8, so correct this line, or drop such bytes: {drop}"
    first, sample = others[0], b"".join(others[:ENOUGH])
    marks = sum(byte > 127 for byte in sample) / len(b"".join(sample.split()))
    best = from_bytes(sample, cp_isolation=LATIN if marks <= MOST_MARKS else OTHER).best()
    encoding = best.encoding if best else WESTERN
    if sample.decode(encoding, "replace") == sample.decode(WESTERN, "replace"):
        encoding = WESTERN  # the better known name
    at = max(0, next(i for i, byte in enumerate(first) if byte > 127) - SHOWN // 2)
    shown = first[at : at + SHOWN].decode(encoding, "replace").strip()
    name = encoding.replace("_", "-")
    return (
        f"convert it: {command_for(f'iconv -f {name} -t utf-8', path)} (it then reads {shown!r}; "
        f"if that is wrong, name another encoding)"
    )
