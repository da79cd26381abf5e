"""What a file is, by its first bytes, and what makes lines of UTF-8 of one that is none.

The libraries of file types that were tried (puremagic, filetype) know archives, but not UTF-16 without a
mark, a pointer of Git LFS, or SGM, and none of them has a cure.
"""

import json
import re
import shlex
from pathlib import Path
from typing import Any, Literal, NamedTuple

Markup = Literal["sgm", "wmt", "tmx"]  # kinds of markup that attnmt.corpora reads

_PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip", ".7z")
_BY_PROGRAM = "save it as plain text in UTF-8, one sentence a line, with the program that wrote it"
_BY_CODE = "write each of its columns as lines of text, with the program that wrote it"


class _Signature(NamedTuple):
    """The bytes at a place of a file, and what follows from them.

    ``cure`` is a sentence in which {file} stands for the file, or a command that reads the file and
    writes text; then ``is_command`` is true.
    """

    at: int
    bytes: bytes
    what: str
    cure: str
    is_command: bool = False


# The first that fits counts.
_SIGNATURES = (
    _Signature(0, b"\x1f\x8b", "data compressed by gzip twice", "gzip -dc", True),
    _Signature(0, b"BZh", "data compressed by bzip2", "bzip2 -dc", True),
    _Signature(0, b"\xfd7zXZ\0", "data compressed by xz", "xz -dc", True),
    _Signature(0, b"\x28\xb5\x2f\xfd", "data compressed by zstd", "zstd -dc", True),
    _Signature(0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it: 7z x {file}"),
    _Signature(257, b"ustar", "a tar archive", "unpack it: tar -xf {file}"),
    _Signature(0, b"%PDF-", "a PDF", f"its lines are not sentences; {_BY_PROGRAM}"),
    _Signature(0, b"{\\rtf", "a document in RTF", _BY_PROGRAM),
    _Signature(0, b"\xd0\xcf\x11\xe0", "an older Office document", _BY_PROGRAM),
    _Signature(0, b"PAR1", "a Parquet file", _BY_CODE),
    _Signature(0, b"ARROW1", "an Arrow file", _BY_CODE),
    _Signature(0, b"SQLite format 3\0", "an SQLite database", _BY_CODE),
    _Signature(0, b"\x93NUMPY", "an array of NumPy", "give the text that it was made of"),
    _Signature(0, b"mmap lm http://kheafield.com/", "a language model", "give text"),
    _Signature(0, b"\x7fELF", "a program", "give text"),
    _Signature(
        0,
        b"version https://git-lfs.github.com/spec/",
        "a pointer of Git LFS, not the file itself",
        "fetch the file: git lfs pull, in the repository that it lies in",
    ),
    _Signature(0, b"\xff\xfe\0\0", "text in UTF-32", "iconv -f utf-32 -t utf-8", True),
    _Signature(0, b"\0\0\xfe\xff", "text in UTF-32", "iconv -f utf-32 -t utf-8", True),
    _Signature(0, b"\xff\xfe", "text in UTF-16", "iconv -f utf-16 -t utf-8", True),
    _Signature(0, b"\xfe\xff", "text in UTF-16", "iconv -f utf-16 -t utf-8", True),
)
_OFFICE = {b"word/": "a Word document", b"xl/": "an Excel sheet", b"ppt/": "slides"}

# The first tag of a document, after what may stand before it. DOCTYPE may hold declarations in brackets.
_PROLOG = re.compile(
    r"\s*(?:<\?[^>]*\?>|<!--.*?-->|<!DOCTYPE(?:[^\[>]|\[[^\]]*\])*>|\s)*", re.DOTALL
)
_ROOT = re.compile(r"<([A-Za-z][\w.-]*)((?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>]+))*)\s*>")
_MARKUP: dict[str, Markup] = {
    **dict.fromkeys(("srcset", "refset", "tstset", "mteval"), "sgm"),
    "dataset": "wmt",
    "tmx": "tmx",
}
_LINES_IN_TAGS = {  # texts of which each line, or some lines, have tags
    re.compile(r"<s snum=\S+>"): (
        "text whose lines have tags",
        r"sed -E 's/^<s [^>]*> *//; s/ *<\/s> *$//'",
    ),
    re.compile(r"<(?:url|talkid|doc )[^\n]*\n(?:<[^\n]*\n)*<(?:keywords|speaker|talkid|title)>"): (
        "text among lines of tags",
        "grep -v '^ *<'",
    ),
}


def markup_of(head: bytes, path: Path) -> Markup | None:
    """Return in which markup a test set or a memory is, or None if its name and bytes tell of none."""
    name = path.name.removesuffix(".gz").lower()
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    text = head.decode("utf-16" if wide else "utf-8", "replace").removeprefix("\ufeff")
    prolog, root, attributes = _root(text)
    if root in _MARKUP and (prolog or attributes):
        return _MARKUP[root]
    return "sgm" if name.endswith((".sgm", ".sgml")) else None


def why_not_lines(head: bytes, path: Path, packed: bool) -> str | None:
    """Say what a file is if it is not lines of UTF-8, and what to do; None if it may be lines.

    Args:
        head: its first bytes, unpacked.
        packed: whether the file itself is compressed by gzip.
    """
    for signature in _SIGNATURES:
        if head.startswith(signature.bytes, signature.at):
            cure = signature.cure
            if signature.is_command:
                return _said(signature.what, f"convert it: {convert(cure, path, packed)}")
            return _said(signature.what, cure.format(file=shlex.quote(str(path))))
    if head.startswith(b"PK\x03\x04"):
        return _said(*_zip(head, path))
    if width := _wide(head):
        return _encoded(width, path, packed)
    return _why_not_text(
        head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace"), path, packed
    )


def convert(filter: str, path: Path, packed: bool, target: Path | None = None) -> str:
    """Return the command line that writes what ``filter`` makes of a file.

    Args:
        packed: whether the file is compressed by gzip.
        target: where it is written; None for a new file beside it.
    """
    if target is None:
        suffix = path.suffix if path.suffix.lower() in _PACKED else ""
        target = path.with_name(path.name.removesuffix(suffix))
        if not suffix or target.exists():
            target = target.with_name(f"{target.stem}.plain{target.suffix}")
    source, written = shlex.quote(str(path)), shlex.quote(str(target))
    read = f"gzip -dc < {source} | {filter}" if packed else f"{filter} < {source}"
    return f"{read} > {written}"


def _said(what: str, cure: str) -> str:
    return f"this is {what}, not lines of UTF-8; {cure}"


def _encoded(encoding: str, path: Path, packed: bool) -> str:
    cure = convert(f"iconv -f {encoding} -t utf-8", path, packed)
    return _said(f"text in {encoding.upper()}", f"convert it: {cure}")


def _zip(head: bytes, path: Path) -> tuple[str, str]:
    for folder, what in _OFFICE.items():
        if folder in head:
            return what, _BY_PROGRAM
    if b"[Content_Types].xml" in head or b"mimetypeapplication/vnd.oasis" in head:
        return "an Office document", _BY_PROGRAM
    return "a zip archive", f"unpack it: unzip {shlex.quote(str(path))}"


def _wide(head: bytes) -> str | None:
    """Return the encoding of text that has 2 or 4 bytes a character, known by its zero bytes."""
    quarter = len(head) // 4
    zeros = [head[at::4].count(0) for at in range(4)]
    which = "".join("0" if count > quarter // 2 else "x" for count in zeros)
    known = {"x000": "utf-32le", "000x": "utf-32be", "x0x0": "utf-16le", "0x0x": "utf-16be"}
    return known.get(which) if quarter else None


def _why_not_text(text: str, path: Path, packed: bool) -> str | None:
    for pattern, (what, filter) in _LINES_IN_TAGS.items():
        if pattern.match(text):
            return _said(what, f"take the tags out: {convert(filter, path, packed)}")
    if "\x1b$B" in text:
        return _encoded("iso-2022-jp", path, packed)
    prolog, root, attributes = _root(text)
    if root == "html" and (prolog or re.search(r"<(head|body|meta|title)\b", text, re.IGNORECASE)):
        return _said("a web page, perhaps one about an error", "download the text again")
    if root in ("xliff", "tmx", *_MARKUP) and (prolog or attributes):
        return _said(
            f"markup (<{root}>)", "attnmt new reads SGM, WMT's XML and TMX; else " + _BY_PROGRAM
        )
    if prolog:
        return _said("XML" if root is None else f"XML (<{root}>)", _BY_PROGRAM)
    return _why_json(text, path, packed)


def _root(text: str) -> tuple[bool, str | None, str]:
    """Return whether a document begins with a declaration, its first tag's name, and its attributes."""
    start = _PROLOG.match(text)
    assert start is not None  # it may be empty
    declared = bool(re.match(r"\s*<(\?xml\b|!DOCTYPE\b)", text, re.IGNORECASE))
    tag = _ROOT.match(text, start.end())
    return declared, tag and tag[1].lower(), tag[2] if tag else ""


def _why_json(text: str, path: Path, packed: bool) -> str | None:
    lines = [line for line in text.split("\n")[:10] if line.strip()]
    if text.count("\n") < 10 and len(lines) > 1:
        lines = lines[:-1]  # the last may be cut
    try:
        records = [json.loads(line) for line in lines]
    except ValueError:
        whole = re.match(r'\s*[\[{]\s*([\[{]\s*)*"[^"\n]*"\s*:', text)
        return _said("JSON", _BY_CODE) if whole and "\n" in whole[0] else None
    if not records or not all(isinstance(record, dict) and record for record in records):
        return None
    keys = _path_to_text(records[0], path)
    field = "".join(f"[{json.dumps(key)}]" for key in keys)
    code = f"import json, sys; [print(*json.loads(x){field}.split()) for x in sys.stdin]"
    read = f"python -c {shlex.quote(code)}"
    cure = f"take a text out: {convert(read, path, packed)}" if keys else _BY_CODE
    return _said("lines of JSON", cure)


def _path_to_text(record: dict[str, Any], path: Path) -> list[str]:
    """Return the keys that lead to a text of a record, if possible to the one that a suffix names."""
    found: list[list[str]] = []
    for key, value in record.items():
        if isinstance(value, str):
            found.append([key])
        elif isinstance(value, dict):
            found += [[key, inner] for inner, text in value.items() if isinstance(text, str)]
    suffixes = path.name.split(".")[1:]
    named = [keys for keys in found if keys[-1] in suffixes]
    return (named or found or [[]])[0]
