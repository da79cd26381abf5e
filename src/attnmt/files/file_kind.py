"""What a file is, by its first bytes, and what makes lines of text of one that is none.

The libraries of file types that were tried (puremagic, filetype) know archives, but not a pointer of Git
LFS or SGM, and none of them has a cure.
"""

import re
import shlex
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from ruamel.yaml import YAML

Markup = Literal["sgm", "wmt", "tmx"]  # kinds of markup that attnmt.corpora reads

GZIP = b"\x1f\x8b"  # begins what it has packed, and no text in UTF-8
_PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip", ".7z")
_MARKUP: dict[str, Markup] = {
    **dict.fromkeys(("srcset", "refset", "tstset", "mteval"), "sgm"),
    "dataset": "wmt",
    "tmx": "tmx",
}
# The first tag of a document, after declarations and comments. No text follows it on its line, because
# a sentence may begin with a tag, too.
_ROOT = re.compile(r"\s*(?:<[?!][^>]*>[\]>\s]*)*<(\w+)\b[^<>]*>[ \t\r]*(?:\n|<|\Z)")


class _Kind(NamedTuple):
    """A kind of file_kinds.yaml, which explains the fields."""

    begins: str
    what: str
    filter: str | None = None
    how: str = "convert it"
    cure: str = ""


@cache
def _kinds() -> list[_Kind]:
    listed = YAML(typ="safe").load(Path(__file__).with_name("file_kinds.yaml"))
    return [_Kind(**fields) for fields in listed]


def markup_of(text: str, path: Path) -> Markup | None:
    """Return in which markup a test set or a memory is, or None if neither name nor text tell of one.

    Args:
        text: how the file begins.
    """
    root = _ROOT.match(text.removeprefix("\ufeff"))
    if root and root[1].lower() in _MARKUP:
        return _MARKUP[root[1].lower()]
    is_sgm = path.name.removesuffix(".gz").lower().endswith((".sgm", ".sgml"))
    return "sgm" if is_sgm else None


def why_not_lines(head: bytes, path: Path) -> str | None:
    """Say what a file is if it is not lines of text, and what to do; None if it may be lines.

    Args:
        head: its first bytes, unpacked.
    """
    characters = head.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    fitting = (kind for kind in _kinds() if re.match(kind.begins, characters, re.DOTALL))
    if (kind := next(fitting, None)) is None:
        return None
    cure = kind.cure.format(file=shlex.quote(str(path)))
    if kind.filter is not None:
        cure = f"{kind.how}: {command_for(kind.filter, path)}"
    return f"this is {kind.what}, not lines of UTF-8; {cure}"


def command_for(filter: str, path: Path, target: Path | None = None) -> str:
    """Return the command line that writes what ``filter`` makes of a file, plain or packed by gzip.

    Args:
        target: where it is written; None for a new file beside it.
    """
    if target is None:
        suffix = path.suffix if path.suffix.lower() in _PACKED else ""
        target = path.with_name(path.name.removesuffix(suffix))
        if not suffix or target.exists():
            target = target.with_name(f"{target.stem}.plain{target.suffix}")
    source, written = shlex.quote(str(path)), shlex.quote(str(target))
    with path.open("rb") as stream:
        packed = stream.read(2) == GZIP
    read = f"gzip -dc < {source} | {filter}" if packed else f"{filter} < {source}"
    return f"{read} > {written}"
