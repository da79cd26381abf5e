"""Forget what was found in the files of the package, after they have changed."""

from attnmt.workflow import code, reached


def fresh_code() -> None:
    """Have every file read again."""
    for cached in (*vars(code).values(), *vars(reached).values()):
        if hasattr(cached, "cache_clear"):
            cached.cache_clear()
