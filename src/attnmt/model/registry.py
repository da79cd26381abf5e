"""The classes that the configuration names, such as scores, windows and encoders."""

from typing import Any, ClassVar, TypeVar

from attnmt.errors import InputError
from attnmt.files.yaml_file import suggestion

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
        raise InputError(f"no {self.kind} {name!r}{suggestion(name, self)}")


class Part:
    """The base of each kind of such classes, which gives the kind a registry with all its classes.

    A class is known by its ``name``, or else by the name of the class.
    """

    name: ClassVar[str]
    known: ClassVar[Registry[Any]]

    def __init_subclass__(cls, kind: str = "", abstract: bool = False) -> None:
        """Make a registry for a kind, or add a class that is not abstract to that of its kind."""
        if kind:
            cls.known = Registry(kind)
        elif not abstract:
            cls.known.add(cls)
