"""YAML files read into pydantic models, every fault named with its line and key."""

import difflib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError

from attnmt.errors import InputError

Model = TypeVar("Model", bound=BaseModel)
MERGE = "tag:yaml.org,2002:merge"  # of the key <<
# What YAML makes of an attempt at a number, and what to write for it.
NO_NUMBERS = {
    str: "; in YAML a number in quotes is text, and so is 1e-3: write 0.001",
    bool: "; in YAML yes, no, on and off mean true and false: write a number",
}
# The two forms of an experiment's seeds, as pydantic names them in a location; no key has such a name.
SEEDS_OF_ALL, SEEDS_BY_NAME = "seeds-of-all", "seeds-by-name"
CHOICES = ("grammar", "download", "choice", SEEDS_OF_ALL, SEEDS_BY_NAME)
Location = list[str | int]  # the keys and list indices that lead to a value


def fault(location: Location, message: str) -> PydanticCustomError:
    """Return an error of what lies at ``location`` below the value that a validator checks."""
    return PydanticCustomError("fault", "{message}", {"message": message, "location": location})


def hint(name: str, known: Collection[str]) -> str:
    """Return an error's ending that names the nearest known name, or all of them."""
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; known are {', '.join(known)}"


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
            InputError: if it cannot be read, is not YAML, or gives a key twice, of which YAML would
                silently keep the last.
        """
        try:
            text = path.read_text(encoding="utf-8")
            node = yaml.compose(text, Loader=yaml.SafeLoader)
            values = yaml.safe_load(text)
        except OSError as error:
            raise InputError(f"{path}: cannot read the parameters: {error.strerror}") from None
        except RecursionError:
            raise InputError(f"{path}: not YAML that can be read: nested too deeply") from None
        except (
            yaml.YAMLError,
            ValueError,
        ) as error:  # of bad UTF-8, or of a date such as 2001-99-99
            raise InputError(f"{path}: not YAML: {error}") from None
        repeated = [
            f"{path}:{line}: {key}: this key stands in its section already; give it once"
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
            schema = model.model_json_schema()
            faults = [self._describe(found, schema) for found in error.errors()]
            raise InputError("\n".join(faults)) from None

    def error(self, location: Location, message: str) -> InputError:
        """Return an error of what lies at ``location``."""
        key = ".".join(map(str, location))
        return InputError(f"{self.path}:{self.line(location)}: {key or 'the file'}: {message}")

    def line(self, location: Location) -> int:
        """Return the 1-based line of a value, or of the nearest section above that exists.

        What ``<<`` brings into a section lies where it is written.
        """
        line, node = 1, self.node
        for part in location:
            if isinstance(node, yaml.MappingNode):
                found = next(((k, v) for k, v in _entries(node) if k.value == str(part)), None)
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
                found = (node.value[part], node.value[part])
            else:
                found = None
            if found is None:
                return line
            line, node = found[0].start_mark.line + 1, found[1]
        return line

    def _describe(self, found: Any, schema: dict[str, Any]) -> str:
        """Say where in the file a fault of pydantic's lies and what to do."""
        location, message = explained(found, schema)
        if found["type"] in ("int_type", "float_type"):
            message += NO_NUMBERS.get(type(found["input"]), "")
        return str(self.error(location, message))


def explained(found: Any, schema: dict[str, Any]) -> tuple[Location, str]:
    """Return where in the values a fault of pydantic's lies, and what is wrong there."""
    kind, context = found["type"], found.get("ctx", {})
    # A union puts what was chosen into the location; the file has no such key.
    location = [part for part in found["loc"] if part not in CHOICES]
    location += context.get("location", [])
    if kind == "union_tag_not_found":
        location.append("kind")
    if kind == "extra_forbidden":
        known = _known_keys(schema, location[:-1])
        return location, f"unknown key{hint(str(location[-1]), known)}"
    if kind in ("missing", "union_tag_not_found"):
        return location, "this key is missing"
    message = re.sub(r"^Value error, ", "", found["msg"])
    shown = "" if kind in ("value_error", "fault") else f" (found {found['input']!r})"
    return location, f"{message}{shown}"


def _entries(
    section: yaml.MappingNode, around: tuple[yaml.Node, ...] = ()
) -> Iterator[tuple[yaml.Node, yaml.Node]]:
    """Yield the keys and values of a section, its own before those that ``<<`` brings.

    ``around`` are the sections that bring this one; a section may bring itself, which adds nothing.
    """
    merged: list[yaml.Node] = []
    for key, value in section.value:
        if key.tag == MERGE:
            merged += value.value if isinstance(value, yaml.SequenceNode) else [value]
        else:
            yield key, value
    for other in merged:
        assert isinstance(other, yaml.MappingNode)  # or the file would not have loaded
        if other is not section and other not in around:
            yield from _entries(other, (*around, section))


def _repeated_keys(
    node: Any, section: str = "", known: set[int] | None = None
) -> Iterator[tuple[int, str]]:
    """Yield line and name of every key that its section has already.

    Nodes in ``known`` are skipped: an alias is the node that it names, which is judged once.
    """
    known = set() if known is None else known
    if id(node) in known:
        return
    known.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for i, item in enumerate(node.value):
            yield from _repeated_keys(item, f"{section}{i}.", known)
    elif isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            if key.value in seen:
                yield key.start_mark.line + 1, section + key.value
            seen.add(key.value)
            yield from _repeated_keys(value, f"{section}{key.value}.", known)


def _known_keys(schema: dict[str, Any], location: Location) -> list[str]:
    """Return the keys that a JSON schema allows in the section at ``location``."""

    def resolve(part: Any) -> list[Any]:
        options = part.get("oneOf") or part.get("anyOf") or [part]
        definitions = schema["$defs"]
        return [definitions[o["$ref"].rsplit("/", 1)[1]] if "$ref" in o else o for o in options]

    sections = [schema]
    for name in location:
        below = []
        for section in sections:
            patterns = section.get("patternProperties", {}).values()
            child = section.get("properties", {}).get(name, next(iter(patterns), None))
            child = section.get("items") if isinstance(name, int) else child
            below += resolve(child) if child else []
        sections = below
    return [key for section in sections for key in section.get("properties", {})]
