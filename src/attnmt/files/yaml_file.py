"""Read YAML files into pydantic models; an error names the line and the key of every fault."""

import difflib
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from attnmt.errors import InputError
from attnmt.files.json_file import shown

Model = TypeVar("Model", bound=BaseModel)
MERGE = "tag:yaml.org,2002:merge"  # the tag of the key <<
MOST_VALUES = 100_000  # of a file, aliases and << written out; the largest file here has 3,400
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


def fault(location: Location, message: str) -> PydanticCustomError:
    """Return an error for a validator to raise; ``location`` counts from the value that it checks."""
    return PydanticCustomError("fault", "{message}", {"message": message, "location": location})


def hint(name: str, known: Collection[str]) -> str:
    """Return the end of an error message: the known name that is nearest, or all known names."""
    close = difflib.get_close_matches(name[:100], known, n=1)  # a longer name would take minutes
    return f"; did you mean {close[0]!r}?" if close else f"; the known ones are {', '.join(known)}"


class Loader(yaml.SafeLoader):
    """Reads YAML 1.2 as DVC does, which writes params.yaml again at ``dvc exp run -S``.

    DVC takes away quotes that YAML 1.2 does not need. So ``no`` and ``1:30`` are text, ``1e-05`` is a
    number, and a text in braces may have a question mark. PyYAML's own rules are those of YAML 1.1.
    """

    in_plain_text = False

    def scan_plain(self) -> Any:
        """Return a text without quotes. PyYAML would end it at a question mark if it is in braces."""
        self.in_plain_text = True
        try:
            return super().scan_plain()
        finally:
            self.in_plain_text = False

    def peek(self, index: int = 0) -> str:
        """Return the character at an index; a question mark in a text counts as any other letter."""
        character: str = super().peek(index)
        return "x" if self.in_plain_text and character == "?" else character


FORMS = {  # of values that are not text, by what YAML calls their type
    "bool": r"true|True|TRUE|false|False|FALSE",
    "int": r"[-+]?(0|[1-9][0-9_]*|0x[0-9a-fA-F]+)",
    "float": r"[-+]?([0-9][0-9_]*\.[0-9_]*|\.[0-9]+|[0-9]+(?=[eE]))([eE][-+]?[0-9]+)?"
    r"|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
}
Loader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in forms if tag.rpartition(":")[2] not in FORMS]
    for first, forms in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
for kind, form in FORMS.items():
    tag = f"tag:yaml.org,2002:{kind}"
    Loader.add_implicit_resolver(tag, re.compile(f"(?:{form})$"), list("tTfF-+.0123456789"))


@dataclass(frozen=True)
class YamlFile:
    """A parsed file that remembers where everything stands."""

    path: Path
    node: yaml.Node | None
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
            node = yaml.compose(text, Loader=Loader)
            if _written_out(node, {}) > MOST_VALUES:
                why = f"with its aliases written out it has more than {MOST_VALUES:,} values"
                raise InputError(f"{path}: {why}; use fewer aliases")
            values = yaml.load(text, Loader=Loader)
        repeated = [
            f"{path}:{line}: {key}: this key is already in its section; give it once"
            for line, key in _repeated_keys(node)
        ]
        if repeated:
            raise InputError("\n".join(repeated))
        return cls(path, node, values)

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
            if isinstance(node, yaml.MappingNode):
                entry = next(((k, v) for k, v in _entries(node) if k.value == str(part)), None)
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
                entry = (node.value[part], node.value[part])
            else:
                entry = None
            if entry is None:
                return line
            line, node = entry[0].start_mark.line + 1, entry[1]
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
    except (yaml.YAMLError, ValueError) as error:
        # A ValueError is about bad UTF-8 or a date such as 2001-99-99.
        raise InputError(f"{path}: not YAML: {error}") from None


def _written_out(node: yaml.Node | None, sizes: dict[int, int]) -> int:
    """Return how many values a node has if each alias in it is written out.

    Raises:
        ValueError: if a text has a NUL or half of a pair of surrogates, which YAML can escape.
    """
    if id(node) in sizes:
        return sizes[id(node)]
    sizes[id(node)] = 1  # in itself, a node adds nothing
    if isinstance(node, yaml.ScalarNode) and ("\0" in node.value or _half(node.value)):
        line = node.start_mark.line + 1
        raise ValueError(f"line {line}: {shown(node.value)} has a character that no file may have")
    inside = node.value if isinstance(node, yaml.CollectionNode) else ()
    for part in inside:
        for one in part if isinstance(part, tuple) else (part,):
            sizes[id(node)] += _written_out(one, sizes)
    return sizes[id(node)]


def _half(text: str) -> bool:
    """Return whether a text has half of a pair of surrogates, which no encoding can write."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def _entries(
    section: yaml.MappingNode, around: tuple[yaml.Node, ...] = ()
) -> Iterator[tuple[yaml.Node, yaml.Node]]:
    """Yield the keys and values of a section, its own before those that ``<<`` brings in.

    ``around`` holds the sections that bring this one in. A section that brings itself in adds nothing.
    """
    merged: list[yaml.Node] = []
    for key, value in section.value:
        if key.tag == MERGE:
            merged += value.value if isinstance(value, yaml.SequenceNode) else [value]
        else:
            yield key, value
    for source in merged:
        assert isinstance(source, yaml.MappingNode)  # otherwise the file would not load
        if source is not section and source not in around:
            yield from _entries(source, (*around, section))


def _repeated_keys(
    node: Any, section: str = "", visited: set[int] | None = None
) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of every key that its section has for a second time.

    An alias is the same node as the one that it names, so nodes in ``visited`` are skipped.
    """
    visited = set() if visited is None else visited
    if id(node) in visited:
        return
    visited.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for i, item in enumerate(node.value):
            yield from _repeated_keys(item, f"{section}{i}.", visited)
    elif isinstance(node, yaml.MappingNode):
        keys = set()
        for key, value in node.value:
            if key.value in keys:
                yield key.start_mark.line + 1, section + key.value
            keys.add(key.value)
            yield from _repeated_keys(value, f"{section}{key.value}.", visited)


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
