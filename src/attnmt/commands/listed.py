"""Names and numbers in a message, few or many."""

from collections.abc import Iterable

SHOWN = 3  # names that a message lists


def listed(names: Iterable[str]) -> str:
    """Return names in a sentence, each once; of many, only the first and the number of the others."""
    different = [*dict.fromkeys(names)]
    if len(different) <= SHOWN:
        return ", ".join(different)
    return f"{different[0]} and {len(different) - 1} others"


def counted(count: int, noun: str) -> str:
    """Return a number of things: 1 column, 2 columns."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
