"""Reading text strictly, and writing files all or nothing."""

import codecs
import gzip
import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from attnmt.errors import InputError
from attnmt.files.atomic import atomic_path

UTF_16 = "UTF-16; convert it with iconv -f utf-16 -t utf-8"
# What files are that begin so, and what makes lines of UTF-8 of them
NO_LINES = {
    b"\x1f\x8b": "gzip; give it a name that ends in .gz, or unpack it with gzip -dc",
    b"\xfd7zXZ": "xz; unpack it with xz -dc",
    b"PK\x03\x04": "zip; unpack it with unzip",
    codecs.BOM_UTF16_LE: UTF_16,
    codecs.BOM_UTF16_BE: UTF_16,
    b"<?xml": "XML; make lines of a TMX with tmxt, of WMT's XML with wmt-unwrap; name SGM .sgm",
}


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file, all or nothing."""
    with atomic_path(path) as partial:
        partial.write_bytes(content)


def write_text(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8 with Unix line ends, all or nothing."""
    write_bytes(path, text.encode())


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write each item as one line, all or nothing."""
    with atomic_path(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(f"{line}\n" for line in lines)


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
    try:
        return json.loads(read_text(path))
    except ValueError as error:
        raise InputError(f"{path}: not JSON ({error}); delete it and run its stage again") from None


def iter_lines(path: Path, may_be_blank: bool = False, encoding: str = "UTF-8") -> Iterator[str]:
    """Yield the lines of a text file, plain or ``.gz``, without their ends, one at a time.

    Only a line feed ends a line; U+2028 and the like stay inside it. A carriage return before the line
    feed is dropped, and so is a byte-order mark at the start. ``may_be_blank`` accepts a file whose
    lines are all empty, such as the translations of a model that has hardly learned.

    Raises:
        InputError: if the file is missing, cannot be read, is empty, or is not in its encoding (naming
            the line).
    """
    empty = True
    try:
        with ExitStack() as stack:
            stream = stack.enter_context(path.open("rb"))
            packed = path.suffix == ".gz"
            content = stack.enter_context(gzip.open(stream)) if packed else stream
            for line in decode_lines(content, str(path), encoding):
                empty = empty and not line.strip()
                yield line
    except FileNotFoundError:
        raise InputError(
            f"{path}: no such file; check its name, or run the stage that makes it"
        ) from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path}: cannot be unpacked: {error}; get a good copy of it") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    if empty and not may_be_blank:
        raise InputError(f"{path}: the file is empty; it must hold one sentence per line")


def decode_lines(stream: Iterable[bytes], name: str, encoding: str = "UTF-8") -> Iterator[str]:
    """Yield the lines of a stream as :func:`iter_lines` does; an error calls the stream ``name``.

    Raises:
        InputError: if the stream begins as what is no lines of text, or a line is not in its encoding.
    """
    for number, raw in enumerate(stream, start=1):
        line = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
        for begin, what in NO_LINES.items() if number == 1 else ():
            if line.startswith(begin):
                raise InputError(f"{name}: not lines of UTF-8 but {what}")
        try:
            yield line.decode(encoding).removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError:
            raise InputError(
                f"{name}:{number}: not {encoding}; convert the file, for example with iconv -f "
                f"cp1252 -t utf-8, or correct its encoding in the parameters"
            ) from None


def read_lines(path: Path, may_be_blank: bool = False) -> list[str]:
    """Read all lines at once; see :func:`iter_lines`."""
    return list(iter_lines(path, may_be_blank))


def read_text(path: Path) -> str:
    """Read a file whose lines count together, with a line feed between each two."""
    return "\n".join(iter_lines(path, may_be_blank=True))


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
