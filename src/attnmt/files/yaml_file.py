"""Read YAML files into pydantic models; an error names the line and the key of every fault.

ruamel.yaml reads them, as for DVC, by YAML 1.2: ``no`` and ``1:30`` are text, and ``1e-05`` is a number.
"""

import difflib
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from attnmt.errors import InputError
from attnmt.files.json_file import shown

Model = TypeVar("Model", bound=BaseModel)
MERGE = "tag:yaml.org,2002:merge"  # the tag of the key <<
MOST_VALUES = 100_000  # of a file, aliases and << written out; the largest file here has 3,400
NESTING = "[{-?:"  # each level of a file has one of these
MOST_NESTING = 10_000  # of these characters for the C parser, which takes a limited depth only
REFUSED = re.compile("[\0\ud800-\udfff]")  # characters that no file may have, but YAML can escape
# The type that YAML may read where a number was meant, and what to write instead.
NO_NUMBERS = {
    str: "; in YAML a number in quotes is text",
    bool: "; in YAML true and false are no numbers: write a number",
}
NO_TEXT = "; in YAML true and false are no text: put the word into quotes"
# The two forms of an experiment's seeds, as pydantic names them in a location. No key has these names.
SEEDS_OF_ALL, SEEDS_BY_NAME = "seeds-of-all", "seeds-by-name"
CHOICES = ("download", "choice", "local", SEEDS_OF_ALL, SEEDS_BY_NAME)
Location = list[str | int]  # the keys and list indices that lead to a value


def error_at(location: Location, message: str) -> PydanticCustomError:
    """Return an error for a validator to raise; ``location`` counts from the value that it checks."""
    return PydanticCustomError("fault", "{message}", {"message": message, "location": location})


def hint(name: str, known: Collection[str]) -> str:
    """Return the end of an error message: the known name that is nearest, or all known names."""
    close = difflib.get_close_matches(name[:100], known, n=1)  # a longer name would take minutes
    return f"; did you mean {close[0]!r}?" if close else f"; the known ones are {', '.join(known)}"


def parse(text: str, step: Callable[[YAML, str], Any] = YAML.load) -> Any:
    """Return the values in a text of YAML, or the nodes of ``YAML.compose``, which know their lines.

    The C parser is ten times as fast. It refuses some text that DVC writes, such as an address with a
    question mark in braces, so the other parser has the last word.
    """
    if sum(map(text.count, NESTING)) < MOST_NESTING:
        with suppress(YAMLError):
            return step(YAML(typ="safe"), text)
    return step(YAML(typ="safe", pure=True), text)


@dataclass(frozen=True)
class YamlFile:
    """A parsed file that remembers where everything stands."""

    path: Path
    node: Node | None
    values: Any

    @classmethod
    def read(cls, path: Path) -> Self:
        """Parse a file.

        Raises:
            InputError: if it cannot be read, is not YAML, or gives a key twice. YAML itself would
                silently keep the last of them. Also if its aliases stand for too many values, or a text
                has characters that no file name may have.
        """
        with yaml_faults(path):
            text = path.read_text(encoding="utf-8")
            node, repeated = parse(text, YAML.compose), list[str]()
            if node is not None and _written_out(node, path, repeated, {}) > MOST_VALUES:
                why = f"with its aliases written out it has more than {MOST_VALUES:,} values"
                raise InputError(f"{path}: {why}; use fewer aliases")
            if repeated:
                raise InputError("\n".join(repeated))
            return cls(path, node, parse(text))

    def into(self, model: type[Model]) -> Model:
        """Return the content as a ``model``.

        Raises:
            InputError: naming file, line and key of every fault: an unknown key (with the nearest
                known one), a missing one, a value of the wrong type or out of range.
        """
        try:
            return model.model_validate(self.values)
        except ValidationError as error:
            faults = [self._describe(details, model) for details in error.errors()]
            raise InputError("\n".join(faults)) from None

    def error(self, location: Location, message: str) -> InputError:
        """Return an error about what lies at ``location``."""
        key = ".".join(map(str, location))
        return InputError(f"{self.path}:{self.line(location)}: {key or 'the file'}: {message}")

    def line(self, location: Location) -> int:
        """Return the 1-based line of a value, or of the nearest section above that exists.

        A value that ``<<`` brings into a section has the line on which it is written.
        """
        line, node = 1, self.node
        for part in location:
            entries = _entries(node, ()) if node is not None else ()
            entry = next((entry for entry in entries if entry[0] == str(part)), None)
            if entry is None:
                break
            _, key, node = entry
            line = key.start_mark.line + 1
        return line

    def _describe(self, details: ErrorDetails, model: type[BaseModel]) -> str:
        """Name the place in the file of a fault that pydantic found, and say what is wrong there."""
        location, message = explained(details, model)
        if details["type"] in ("int_type", "float_type"):
            message += NO_NUMBERS.get(type(details["input"]), "")
        if details["type"] == "string_type" and isinstance(details["input"], bool):
            message += NO_TEXT
        return str(self.error(location, message))


def explained(details: ErrorDetails, model: type[BaseModel]) -> tuple[Location, str]:
    """Return where a fault that pydantic found in values of ``model`` lies, and what is wrong there."""
    kind, context = details["type"], details.get("ctx", {})
    # A union adds the name of its chosen branch to the location; the file has no such key.
    location = [part for part in details["loc"] if part not in CHOICES]
    location += context.get("location", [])
    if kind == "union_tag_not_found":
        location.append("kind")
    if kind == "extra_forbidden":
        known = _known_keys(model, location[:-1])
        return location, f"unknown key{hint(str(location[-1]), known)}"
    if kind in ("missing", "union_tag_not_found"):
        return location, "this key is missing"
    message = details["msg"].removeprefix("Value error, ")
    found = "" if kind in ("value_error", "fault") else f" (found {shown(details['input'])})"
    return location, f"{message}{found}"


@contextmanager
def yaml_faults(path: Path) -> Iterator[None]:
    """Turn the faults of a YAML file that is parsed into messages."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except RecursionError:
        raise InputError(f"{path}: not YAML that can be read: nested too deeply") from None
    except (YAMLError, ValueError) as error:
        # A ValueError is about bad UTF-8 or a date such as 2001-99-99.
        raise InputError(f"{path}: not YAML: {error}") from None


Entry = tuple[str, Node, Node]  # the name of a value, the node that it begins with, and the value


def _own_entries(node: Node) -> Iterator[Entry]:
    """Yield the entries of a section or a list as they are written."""
    if isinstance(node, MappingNode):
        yield from ((str(key.value), key, value) for key, value in node.value)
    elif isinstance(node, SequenceNode):
        yield from ((str(i), item, item) for i, item in enumerate(node.value))


def _entries(node: Node, around: tuple[Node, ...]) -> Iterator[Entry]:
    """Yield the entries of a section or a list, its own before those that ``<<`` brings in.

    ``around`` holds the sections that bring this one in. A section that brings itself in adds nothing.
    """
    merged: list[Node] = []
    for name, key, value in _own_entries(node):
        if key.tag == MERGE:
            merged += value.value if isinstance(value, SequenceNode) else [value]
        else:
            yield name, key, value
    for source in merged:
        if source is not node and source not in around:
            yield from _entries(source, (*around, node))


def _written_out(
    node: Node, path: Path, repeated: list[str], sizes: dict[int, int], section: str = ""
) -> int:
    """Return how many values a node has if each alias in it is written out.

    An error about each key that its section has for a second time is added to ``repeated``.

    Raises:
        ValueError: if a text has a character that no file may have.
    """
    if id(node) in sizes:  # an alias is the node that it names
        return sizes[id(node)]
    sizes[id(node)] = 1  # in itself, a node adds nothing
    if isinstance(node, ScalarNode) and REFUSED.search(node.value):
        line = node.start_mark.line + 1
        raise ValueError(f"line {line}: {shown(node.value)} has a character that no file may have")
    names = set()
    for name, key, value in _own_entries(node):
        if name in names:
            place = f"{path}:{key.start_mark.line + 1}: {section}{name}"
            repeated.append(f"{place}: this key is already in its section; give it once")
        names.add(name)
        for one in (key, value) if key is not value else (value,):
            size = _written_out(one, path, repeated, sizes, f"{section}{name}.")
            sizes[id(node)] += size
    return sizes[id(node)]


def _known_keys(kind: Any, location: Location) -> list[str]:
    """Return the keys of the section at ``location`` inside a value of type ``kind``."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        fields = kind.model_fields
        if not location:
            return list(fields)
        name = str(location[0])
        return _known_keys(fields[name].annotation, location[1:]) if name in fields else []
    if get_origin(kind) in (dict, list):
        return _known_keys(get_args(kind)[-1], location[1:])
    return [key for part in get_args(kind) for key in _known_keys(part, location)]
