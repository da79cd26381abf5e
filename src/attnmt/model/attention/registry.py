"""The names by which the configuration knows scores and windows."""

from typing import Any


def register(entry: type, known: dict[str, Any], kind: str) -> None:
    """Enter a class of its ``kind`` among those that are ``known``, if it has a ``name`` of its own.

    Raises:
        ValueError: if another class has this name.
    """
    name = vars(entry).get("name")
    if name is not None and known.setdefault(name, entry) is not entry:
        raise ValueError(f"two {kind}s are called {name!r}; rename {entry.__qualname__}")
