"""What a file is, by its first bytes, and what makes lines of text of one that is none.

The libraries of file types that were tried (puremagic, filetype) know archives, but not a pointer of Git
LFS or SGM, and none of them has a cure.
"""

import json
import re
import shlex
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ruamel.yaml import YAML

Markup = Literal["sgm", "wmt", "tmx"]  # kinds of markup that attnmt.corpora reads

_PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip", ".7z")
_BY_PROGRAM = "save it as plain text in UTF-8, one sentence a line, with the program that wrote it"
_BY_CODE = "write each of its columns as lines of text, with the program that wrote it"
_AS_TMX = "save it as TMX, which attnmt new reads, with the program that wrote it"


class _Kind(NamedTuple):
    """A kind of file_kinds.yaml, which explains the fields."""

    what: str
    text: str | None = None
    filter: str | None = None
    how: str = "convert it"
    cure: str = ""
    begins: str | None = None

    def fits(self, head: bytes, text: str) -> bool:
        """Return whether a file that begins so is of this kind."""
        if self.begins is not None:
            return bool(re.match(self.begins.encode(), head, re.DOTALL))
        return bool(re.match(self.text or "", text, re.DOTALL))


@cache
def _kinds() -> list[_Kind]:
    listed = YAML(typ="safe").load(Path(__file__).with_name("file_kinds.yaml"))
    return [_Kind(**fields) for fields in listed]


# The first tag of a document, after what may stand before it. DOCTYPE may hold declarations in brackets.
_PROLOG = re.compile(
    r"\s*(?:<\?[^>]*\?>|<!--.*?-->|<!DOCTYPE(?:[^\[>]|\[[^\]]*\])*>|\s)*", re.DOTALL
)
# A value in quotes can be read in two ways. *+ keeps to the first, or the steps would double with each.
_ROOT = re.compile(r"<([A-Za-z][\w.-]*)(?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>]+))*+\s*>")
_NO_TEXT = re.compile(r"[ \t\r]*(?:\n|<|\Z)")  # after the first tag of a document
_MARKUP: dict[str, Markup] = {
    **dict.fromkeys(("srcset", "refset", "tstset", "mteval"), "sgm"),
    "dataset": "wmt",
    "tmx": "tmx",
}
_XML = ("corpus", "tei", "teicorpus")  # other tags with which documents begin


class _Root(NamedTuple):
    """The first tag of what may be a document.

    Attributes:
        declared: whether the document begins with a declaration, of XML or of its type.
        name: of the tag, in small letters; None if the first thing is no tag.
        begins: whether it begins a document, and not a sentence with a tag in it.
    """

    declared: bool
    name: str | None
    begins: bool


def markup_of(text: str, path: Path) -> Markup | None:
    """Return in which markup a test set or a memory is, or None if neither name nor text tell of one.

    Args:
        text: how the file begins.
    """
    name = path.name.removesuffix(".gz").lower()
    root = _root(text.removeprefix("\ufeff"))
    if root.name in _MARKUP and root.begins:
        return _MARKUP[root.name]
    return "sgm" if name.endswith((".sgm", ".sgml")) else None


def why_not_lines(head: bytes, path: Path, packed: bool) -> str | None:
    """Say what a file is if it is not lines of text, and what to do; None if it may be lines.

    Args:
        head: its first bytes, unpacked.
        packed: whether the file itself is compressed by gzip.
    """
    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    for kind in _kinds():
        if kind.fits(head, text):
            cure = kind.cure.format(file=shlex.quote(str(path)))
            if kind.filter is not None:
                cure = f"{kind.how}: {convert(kind.filter, path, packed)}"
            return _said(kind.what, cure)
    return _why_markup(text) or _why_json(text, path, packed)


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


def _why_markup(text: str) -> str | None:
    declared, root, begins = _root(text)
    if root == "html" and (
        declared or re.search(r"<(head|body|meta|title)\b", text, re.IGNORECASE)
    ):
        return _said("a web page, perhaps one about an error", "download the text again")
    if root == "xliff" and begins:
        return _said("markup (<xliff>)", _AS_TMX)
    if root in _MARKUP and begins:
        return _said(
            f"markup (<{root}>)", "attnmt new reads SGM, WMT's XML and TMX; else " + _BY_PROGRAM
        )
    if declared or (root in _XML and begins):
        return _said("XML" if root is None else f"XML (<{root}>)", _BY_PROGRAM)
    return None


def _root(text: str) -> _Root:
    start = _PROLOG.match(text)
    assert start is not None  # it may be empty
    declared = bool(re.match(r"\s*<(\?xml\b|!DOCTYPE\b)", text, re.IGNORECASE))
    tag = _ROOT.match(text, start.end())
    if tag is None:
        return _Root(declared, None, declared)
    return _Root(declared, tag[1].lower(), declared or bool(_NO_TEXT.match(text, tag.end())))


def _why_json(text: str, path: Path, packed: bool) -> str | None:
    lines = [line for line in text.split("\n")[:10] if line.strip()]
    if text.count("\n") < 10 and len(lines) > 1:
        lines = lines[:-1]  # the last may be cut
    try:
        records = [json.loads(line) for line in lines]
    except (ValueError, RecursionError):  # the second: many brackets
        whole = re.match(r'\s*[\[{]\s*([\[{]\s*)*"[^"\n]*"\s*:', text)
        return _said("JSON", _BY_CODE) if whole and "\n" in whole[0] else None
    if not records or not all(isinstance(record, dict) and record for record in records):
        return None
    keys = _path_to_text(records, path)
    if not keys:
        return _said("lines of JSON", _BY_CODE)
    read = f"python -c {shlex.quote(_code_that_takes(keys))}"
    return _said("lines of JSON", f"take a text out: {convert(read, path, packed)}")


def _code_that_takes(keys: Sequence[str]) -> str:
    """Return Python code that makes a line of a text of each record; a record without it gets a blank.

    It writes only when it has read all, so a file that is damaged or cut off leaves no part of the text.
    """
    value = "json.loads(x)"
    for key in keys:
        value = f"({value}.get({json.dumps(key)}) or {{}})"
    return (
        f"import json, sys; "
        f'rows = [{value} or "" for x in sys.stdin.buffer if x.strip()]; '
        f'text = "".join(" ".join(str(row).split()) + "\\n" for row in rows); '
        f'sys.stdout.buffer.write(text.encode("utf-8", "replace"))'
    )


def _path_to_text(records: Iterable[dict[str, Any]], path: Path) -> list[str]:
    """Return the keys that lead to a text of the records, if possible to one that a suffix names."""
    found: list[list[str]] = []
    for key, value in chain.from_iterable(record.items() for record in records):
        if isinstance(value, str):
            found.append([key])
        elif isinstance(value, dict):
            found += [[key, inner] for inner, text in value.items() if isinstance(text, str)]
    suffixes = path.name.split(".")[1:]
    named = [keys for keys in found if keys[-1] in suffixes]
    return (named or found or [[]])[0]
