"""Luong, Pham and Manning (EMNLP 2015), from text to tables.

A program needs ``load``, ``Translator`` and ``Params``, which docs/extending.md explains.
They are loaded when they are first asked for.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attnmt.library import Params, Translator, __version__, load
else:

    def __getattr__(name: str) -> Any:
        """Return what :mod:`attnmt.library` offers to other programs."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from attnmt import library

        return getattr(library, name)


__all__ = ["Params", "Translator", "__version__", "load"]
