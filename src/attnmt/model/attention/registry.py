"""The names by which the configuration knows scores and windows."""

from typing import Any


def register(entry: type, known: dict[str, Any], kind: str) -> None:
    """Add a class to those that are ``known``, if the class itself defines a ``name``.

    Args:
        entry: the class.
        known: the classes so far, by name.
        kind: what the error message calls such a class.

    Raises:
        ValueError: if another class already has this name.
    """
    name = vars(entry).get("name")
    if name is not None and known.setdefault(name, entry) is not entry:
        raise ValueError(f"two {kind}s are called {name!r}; rename {entry.__qualname__}")
