"""XML as a stream of tags and text, each with its line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple
from xml.parsers import expat

from attnmt.errors import InputError
from attnmt.files.text_file import open_unpacked

BLOCK = 1 << 16  # bytes


class Event(NamedTuple):
    """A tag that opens or closes, with its name and attributes, or a piece of text."""

    kind: Literal["start", "end", "text"]
    text: str
    attributes: dict[str, str]
    line: int


def xml_events(path: Path) -> Iterator[Event]:
    """Yield the tags and the text of a file, plain or compressed by gzip.

    Raises:
        InputError: if the file cannot be read, is not XML, declares entities (a few lines of them can
            stand for gigabytes of text), or uses one that XML does not define. The message names the
            line.
    """
    events: list[Event] = []
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def add(kind: Literal["start", "end", "text"], text: str, attributes: dict[str, str]) -> None:
        events.append(Event(kind, text, attributes, parser.CurrentLineNumber))

    def refuse_declared(name: str, *_: object) -> None:
        raise InputError(
            f"{path}:{parser.CurrentLineNumber}: declares the entity {name!r}, which is not allowed "
            f"here; write its text in place of it, and take the declaration out"
        )

    def refuse_used(name: str, *_: object) -> None:
        raise InputError(
            f"{path}:{parser.CurrentLineNumber}: the entity {name!r} is not known; write its text"
        )

    parser.StartElementHandler = lambda name, attributes: add("start", name, attributes)
    parser.EndElementHandler = lambda name: add("end", name, {})
    parser.CharacterDataHandler = lambda text: add("text", text, {})
    parser.EntityDeclHandler = refuse_declared
    parser.SkippedEntityHandler = refuse_used
    try:
        with open_unpacked(path) as (stream, _):
            while block := stream.read(BLOCK):
                parser.Parse(block, False)
                yield from events
                events.clear()
            parser.Parse(b"", True)
            yield from events
    except expat.ExpatError as error:
        raise InputError(
            f"{path}:{error.lineno}: not XML ({expat.ErrorString(error.code)}); get a good copy "
            f"of the file"
        ) from None
