"""The classes that the configuration names: scores, windows, encoders."""

from typing import Any, TypeVar

from attnmt.errors import InputError
from attnmt.files.yaml_file import hint

T = TypeVar("T")


class Registry(dict[str, type[T]]):
    """Classes of one kind by their names in the configuration. An unknown name is an ``InputError``."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind  # what an error message calls such a class

    def add(self, part: Any) -> None:
        """Add a class under its own ``name``, or else under the name of the class.

        Raises:
            ValueError: if another class already has this name.
        """
        if "name" not in vars(part):
            part.name = part.__name__
        if self.setdefault(part.name, part) is not part:
            raise ValueError(
                f"two {self.kind}s are called {part.name!r}; rename {part.__qualname__}"
            )

    def __missing__(self, name: str) -> type[T]:
        raise InputError(f"no {self.kind} {name!r}{hint(name, self)}")
