"""Read YAML files into pydantic models; an error names the line and the key of every fault.

ruamel.yaml reads them, as for DVC, by YAML 1.2: ``no`` and ``1:30`` are text, and ``1e-05`` is a number.
"""

import difflib
import reprlib
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedBase
from ruamel.yaml.error import YAMLError

from attnmt.errors import InputError
from attnmt.files.text_file import read_text

Model = TypeVar("Model", bound=BaseModel)
CHOICES = ("download", "choice", "local")  # what pydantic adds to a location of the corpus
Location = list[str | int]  # the keys and list indices that lead to a value


def error_at(location: Location, message: str) -> PydanticCustomError:
    """Return an error for a validator to raise; ``location`` counts from the value that it checks."""
    return PydanticCustomError("fault", "{message}", {"message": message, "location": location})


def suggestion(name: str, known: Collection[str]) -> str:
    """Return the end of an error message: the known name that is nearest, or all known names."""
    close = difflib.get_close_matches(name[:100], known, n=1)  # a longer name would take minutes
    return f"; did you mean {close[0]!r}?" if close else f"; the known ones are {', '.join(known)}"


def parse(text: str) -> Any:
    """Return the values in a text of YAML.

    The C parser is ten times as fast. It refuses some text that DVC writes, such as an address with a
    question mark in braces, so the other parser has the last word.
    """
    with suppress(YAMLError):
        return YAML(typ="safe").load(text)
    return YAML(typ="safe", pure=True).load(text)


@dataclass(frozen=True)
class YamlFile:
    """The text and the values of a file."""

    path: Path
    text: str
    values: Any

    @classmethod
    def read(cls, path: Path) -> Self:
        """Parse a file.

        Raises:
            InputError: if it cannot be read, is not UTF-8 or not YAML, or gives a key twice (naming the
                line).
        """
        text = read_text(path)
        try:
            return cls(path, text, parse(text))
        except (YAMLError, ValueError) as error:  # a ValueError is about a date
            mark = getattr(error, "problem_mark", None)
            place = f"{path}:{mark.line + 1}" if mark else path
            what = getattr(error, "problem", None) or error
            raise InputError(f"{place}: not YAML: {what}") from None

    def into(self, model: type[Model]) -> Model:
        """Return the content as a ``model``.

        Raises:
            InputError: naming file, line and key of every fault: an unknown key (with the nearest
                known one), a missing one, a value of the wrong type or out of range.
        """
        try:
            return model.model_validate(self.values)
        except ValidationError as error:
            faults = (self.error(*explained(details, model)) for details in error.errors())
            raise InputError("\n".join(map(str, faults))) from None

    def error(self, location: Location, message: str) -> InputError:
        """Return an error about what lies at ``location``."""
        key = ".".join(map(str, location))
        return InputError(f"{self.path}:{self.line(location)}: {key or 'the file'}: {message}")

    def line(self, location: Location) -> int:
        """Return the 1-based line of a value, or of the nearest section above that is written there."""
        node: Any = None
        line = 1
        # This parser refuses a tab before a comment; the C parser does not.
        with suppress(YAMLError):
            node = YAML().load(self.text)
        for part in location:
            places: Any = isinstance(node, CommentedBase) and node.lc.data
            if not places or part not in places:
                break
            line, node = places[part][0] + 1, node[part]
        return line


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
        return location, f"unknown key{suggestion(str(location[-1]), known)}"
    if kind in ("missing", "union_tag_not_found"):
        return location, "this key is missing"
    message = details["msg"].removeprefix("Value error, ")
    if kind in ("value_error", "fault"):
        return location, message
    return location, f"{message} (found {reprlib.repr(details['input'])})"


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
