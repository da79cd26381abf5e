"""Elements of markup with their lines, and the texts in a file of XML."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

import regex

from attnmt.corpora.writing import TOUCHING
from attnmt.errors import InputError
from attnmt.files.text_file import open_unpacked

BLOCK = 1 << 16  # bytes
_BREAK = "\0"  # which no XML may have
_BREAKS = regex.compile(rf"(?<=[\w--[{TOUCHING}]]){_BREAK}+(?=[\w--[{TOUCHING}]])", flags=regex.V1)


class Element(NamedTuple):
    """An element, where it begins."""

    path: Path
    line: int
    name: str
    attributes: dict[str, str]

    def needed(self, *names: str) -> str:
        """Return the first of some attributes that has a value; raise an InputError if none has."""
        for name in names:
            if value := self.attributes.get(name):
                return value
        raise self.fault(f"<{self.name}> without {names[0]}")

    def fault(self, what: str) -> InputError:
        """Return an error about the element."""
        return InputError(f"{self.path}:{self.line}: {what}; get a good copy of the file")


class Text(NamedTuple):
    """The text of an element, with white space made one space, and the elements around it by name."""

    text: str
    element: Element
    around: dict[str, Element]


def xml_texts(
    path: Path,
    names: Collection[str],
    without: Collection[str] = (),
    breaks: Collection[str] = (),
) -> Iterator[Text]:
    """Yield the text of each element with one of some names, in a file, plain or compressed by gzip.

    Args:
        without: the names of elements whose text is left out.
        breaks: the names of elements that become a space between two words.

    Raises:
        InputError: if the file cannot be read, is not XML, or uses an entity that it does not define
            (naming the line).
    """
    texts: list[Text] = []
    opened: list[Element] = []
    pieces: list[str] = []
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def start(tag: str, attributes: dict[str, str]) -> None:
        opened.append(Element(path, parser.CurrentLineNumber, tag, attributes))
        if tag in names:
            pieces.clear()

    def end(tag: str) -> None:
        element = opened.pop()
        if tag in names:
            around = {other.name: other for other in opened}
            text = _BREAKS.sub(" ", "".join(pieces)).replace(_BREAK, "")
            texts.append(Text(" ".join(text.split()), element, around))
        elif tag in breaks:
            pieces.append(_BREAK)

    def add(text: str) -> None:
        if not any(element.name in without for element in opened):
            pieces.append(text)

    def refuse_used(entity: str, *_: object) -> None:
        raise InputError(
            f"{path}:{parser.CurrentLineNumber}: the entity {entity!r} is not known; write its text"
        )

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.SkippedEntityHandler = add, refuse_used
    try:
        with open_unpacked(path) as stream:
            while block := stream.read(BLOCK):
                parser.Parse(block, False)
                yield from texts
                texts.clear()
            parser.Parse(b"", True)
            yield from texts
    except (ValueError, LookupError) as error:  # of an encoding that expat does not read
        raise InputError(
            f"{path}: {error}; convert it to UTF-8, and name this encoding in its first line"
        ) from None
    except expat.ExpatError as error:
        raise InputError(
            f"{path}:{error.lineno}: not XML ({expat.ErrorString(error.code)}); get a good copy "
            f"of the file"
        ) from None
