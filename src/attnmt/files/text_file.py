"""Reading text strictly, and writing files all or nothing."""

import codecs
import gzip
import hashlib
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any

from attnmt.errors import InputError
from attnmt.files.atomic import atomic_path
from attnmt.files.encodings import cure_of_encoding, why_not_utf8, wide_encoding
from attnmt.files.file_kind import GZIP, Markup, markup_of, why_not_lines

_HEAD = 4096  # bytes that tell what a file is


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file, all or nothing."""
    with atomic_path(path) as partial:
        partial.write_bytes(content)


def write_text(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8 with Unix line ends, all or nothing."""
    write_bytes(path, text.encode())


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write each item as one line, all or nothing."""
    write_text(path, "".join(f"{line}\n" for line in lines))


def update_text(path: Path, text: str) -> bool:
    """Write ``text`` unless the file has it already; return whether it was written.

    A file that already has this text keeps its modification time, by which Snakemake judges it.
    """
    current = path.is_file() and path.read_bytes() == text.encode()
    if not current:
        write_text(path, text)
    return not current


def json_text(value: Any) -> str:
    """Return ``value`` as indented JSON. The same value gives the same text."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def write_json(path: Path, value: Any) -> None:
    """Write ``value`` as :func:`json_text` gives it, all or nothing."""
    write_text(path, json_text(value))


def read_json(path: Path) -> Any:
    """Read a JSON file.

    Raises:
        InputError: if it is missing, cannot be read or is not JSON.
    """
    with _reading(path, missing="no such file; run the stage that makes it first"):
        text = path.read_bytes()
    try:
        return json.loads(text.decode())
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON ({error}); delete it and run its stage again") from None


@contextmanager
def _reading(path: Path, missing: str = "no such file") -> Iterator[None]:
    """Turn the faults of a file that is read into messages."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{path}: {missing}") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(
            f"{path}: cannot be unpacked: {error}; the file is damaged or cut off: get it again"
        ) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None


@contextmanager
def open_unpacked(path: Path) -> Iterator[BufferedReader | gzip.GzipFile]:
    """Open a file, and unpack it if it is compressed by gzip, whatever its name.

    Raises:
        InputError: if it is missing, cannot be read or is damaged, also while it is being read.
    """
    with _reading(path), ExitStack() as stack:
        stream = stack.enter_context(path.open("rb"))
        packed = stream.peek(2)[:2] == GZIP
        yield stack.enter_context(gzip.GzipFile(fileobj=stream)) if packed else stream


def find_markup(path: Path) -> Markup | None:
    """Return the markup that a file's first bytes or its name tell of; None if it may be lines of text.

    Raises:
        InputError: if the file is missing or cannot be read.
    """
    with open_unpacked(path) as stream:
        head = stream.peek(_HEAD)[:_HEAD]
    return markup_of(head.decode(wide_encoding(head) or "utf-8", "replace"), path)


def iter_lines(path: Path, may_be_blank: bool = False) -> Iterator[str]:
    """Yield the lines of a text file, plain or compressed by gzip, without their ends, one at a time.

    Only a line feed ends a line; U+2028 and the like stay inside it. A carriage return before the line
    feed is dropped, and so is a byte-order mark at the start. ``may_be_blank`` accepts a file whose
    lines are all empty, such as the translations of a model that has hardly learned.

    Raises:
        InputError: if the file is missing, cannot be read, is empty, is something else than lines, or is
            not UTF-8 (naming the line). The message says how to convert it.
    """
    empty = True
    with open_unpacked(path) as stream:
        head = stream.peek(_HEAD)[:_HEAD]
        if why := why_not_lines(head, path) or why_not_utf8(head, path):
            raise InputError(f"{path}: {why}")
        lines = decode_lines(stream, str(path), lambda: _encoding_cure(path))
        for line in lines:
            empty = empty and not line.strip()
            yield line
    if empty and not may_be_blank:
        raise InputError(f"{path}: the file is empty; it must hold one sentence per line")


def _encoding_cure(path: Path) -> str:
    with open_unpacked(path) as stream:
        return cure_of_encoding(stream, path)


def decode_lines(
    stream: Iterable[bytes], name: str, cure: Callable[[], str] | None = None
) -> Iterator[str]:
    """Yield the lines of a stream as :func:`iter_lines` does; an error calls the stream ``name``.

    Args:
        cure: says what to do about bytes that are not UTF-8.

    Raises:
        InputError: if a line is not UTF-8.
    """
    for number, raw in enumerate(stream, start=1):
        line = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
        try:
            yield line.decode("utf-8").removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError as error:
            made = cure() if cure else "convert it, for example with iconv -f latin1 -t utf-8"
            raise InputError(
                f"{name}:{number}: byte 0x{line[error.start]:02x} is not UTF-8; {made}"
            ) from None


def read_lines(path: Path, may_be_blank: bool = False) -> list[str]:
    """Read all lines at once; see :func:`iter_lines`."""
    return list(iter_lines(path, may_be_blank))


def read_text(path: Path, encoding: str) -> str:
    """Read a whole text file, plain or compressed by gzip, in any encoding.

    Line ends stay; a byte-order mark is dropped.

    Raises:
        InputError: if it is missing, cannot be read or is not in that encoding (naming line and byte).
            The message says how to make UTF-8 of it if that was meant.
    """
    with open_unpacked(path) as stream:
        content = stream.read()
    if encoding == "utf-8" and (why := why_not_utf8(content[:_HEAD], path)):
        raise InputError(f"{path}: {why}")
    try:
        return content.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        what = f"{path}:{line}: byte 0x{error.object[error.start]:02x} is not"
        if encoding == "utf-8":
            raise InputError(f"{what} UTF-8; {_encoding_cure(path)}") from None
        raise InputError(
            f"{what} {encoding}; convert the file, or correct its encoding in the parameters"
        ) from None


def sha256_of_lines(lines: Iterable[str]) -> str:
    """Return the SHA-256 of the file that ``write_lines`` would write, as hexadecimal digits."""
    digest = hashlib.sha256()
    for line in lines:
        digest.update(f"{line}\n".encode())
    return digest.hexdigest()


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
