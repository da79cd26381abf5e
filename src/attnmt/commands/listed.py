"""Names in a message, few or many."""

from collections.abc import Iterable

SHOWN = 3  # names that a message lists


def listed(names: Iterable[str]) -> str:
    """Return names in a sentence, each once; of many, only the first and the number of the others."""
    first, *others = (listed := [*dict.fromkeys(names)])
    if len(listed) <= SHOWN:
        return ", ".join(listed)
    return f"{first} and {len(others)} others"
