"""The lines to translate: from arguments, a file, or standard input that is read as it comes."""

import io
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from attnmt.commands.options import refuse_pipes
from attnmt.errors import InputError
from attnmt.files.text_file import decode_lines, iter_lines

CHUNK = 1024  # lines that are sorted by length and translated together; many make good batches
BLOCK = 65_536  # bytes that are read at once; a Linux pipe holds as many
STDIN = "standard input"

Item = TypeVar("Item")


class Line(NamedTuple):
    """One line to translate."""

    place: str  # file and line, from 1, for messages
    text: str


@dataclass(frozen=True)
class Given(Generic[Item]):
    """What a command is given, lines or pairs of them, and what is known about those that follow."""

    name: str
    items: Iterator[Item]
    total: int | None  # None if they are still coming
    waiting: Callable[[], bool]  # whether another one can be read without waiting for it
    typed: bool = False  # whether a person types them


Lines = Given[Line]


def lines_to_translate(text: list[str] | None, source: Path | None, most: int) -> Lines:
    """Return the lines of ``text``, or of the file ``source``, or of standard input if both are None.

    Each of ``text`` may have several lines, as a file may. Text and files are read through first, so
    that all their faults are reported before any work. Standard input is read as it comes.

    Args:
        most: the most characters that a line may have.

    Raises:
        InputError: if a line is longer than that, is not UTF-8 or holds a NUL byte (naming the line),
            or if the source cannot be read. Faults of standard input are raised when its lines are
            read.
    """
    if text:
        # BytesIO yields no line of an empty argument, which is an empty line.
        given = [line for one in text for line in io.BytesIO(os.fsencode(one) or b"\n")]
        name, read = "text", lambda: decode_lines(given, "text")
    elif source is not None:
        refuse_pipes([source])
        name, read = str(source), lambda: iter_lines(source, may_be_blank=True)
    else:
        return _standard_input(most)
    total = sum(1 for _ in _checked(read(), name, most))
    return Lines(name, _checked(read(), name, most), total, lambda: True)


def in_chunks(items: Iterator[Item], waiting: Callable[[], bool]) -> Iterator[list[Item]]:
    """Yield items in chunks: wait for the first of each, and add those that are there already.

    If an item raises an InputError, those before it are yielded first. So what is answered before the
    error does not depend on how fast the items come.
    """
    while True:
        chunk: list[Item] = []
        fault: InputError | None = None
        try:
            for item in items:
                chunk.append(item)
                if len(chunk) == CHUNK or not waiting():
                    break
        except InputError as error:
            fault = error
        if chunk:
            yield chunk
        if fault:
            raise fault
        if not chunk:
            return


class Arriving:
    """The lines of a stream as bytes, each as soon as it is there."""

    def __init__(self, descriptor: int, name: str, most: int) -> None:
        """Take an open file; no line may have more than ``most`` characters."""
        self._descriptor, self._name, self._most = descriptor, name, most
        self._there: deque[bytes] = deque()  # lines that were read together

    def __iter__(self) -> Iterator[bytes]:
        """Yield the lines with their ends.

        Raises:
            InputError: if the stream cannot be read, or a line is so long that it must not be kept.
        """
        number, rest = 1, b""
        while block := self._read():
            *whole, rest = (rest + block).split(b"\n")
            self._there.extend(line + b"\n" for line in whole)
            number += len(whole)
            while self._there:
                yield self._there.popleft()
            if len(rest) > 4 * self._most:  # a character has at most four bytes in UTF-8
                raise too_long(f"{self._name}:{number}", "more", self._most)
        if rest:
            yield rest

    def waiting(self) -> bool:
        """Return whether another line was read together with the last one."""
        return bool(self._there)

    def _read(self) -> bytes:
        try:
            return os.read(self._descriptor, BLOCK)
        except OSError as error:
            raise InputError(f"{self._name}: cannot be read: {error.strerror}") from None


def _standard_input(most: int) -> Lines:
    try:
        descriptor = sys.stdin.fileno()
    except (AttributeError, io.UnsupportedOperation):  # sys.stdin is None if the shell closed it
        raise InputError(
            f"no text is given, and {STDIN} is closed; give a text or a file, or leave out <&-"
        ) from None
    arriving = Arriving(descriptor, STDIN, most)
    lines = _checked(decode_lines(arriving, STDIN), STDIN, most)
    return Lines(STDIN, lines, None, arriving.waiting, os.isatty(descriptor))


def _checked(lines: Iterable[str], name: str, most: int) -> Iterator[Line]:
    for number, text in enumerate(lines, start=1):
        place = f"{name}:{number}"
        if "\0" in text:
            raise InputError(f"{place}: a NUL byte, which no text in UTF-8 has; convert the text")
        if len(text) > most:
            raise too_long(place, f"{len(text):,}", most)
        yield Line(place, text)


def too_long(place: str, characters: str, most: int) -> InputError:
    """Return what refuses a line for its length."""
    return InputError(
        f"{place}: {characters} characters, and a line may have at most {most:,}; divide it into "
        f"sentences, or raise --max-characters"
    )
