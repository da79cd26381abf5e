"""What the commands of several benchmarks read from their options."""

from collections.abc import Sequence

from attnmt.errors import InputError


def listed(option: str, text: str, allowed: Sequence[str]) -> list[str]:
    """Return the names that an option lists, separated by commas.

    Raises:
        InputError: if one of them is not allowed.
    """
    chosen = [name.strip() for name in text.split(",")]
    for name in chosen:
        if name not in allowed:
            raise InputError(f"{option} {name}: unknown; choose from {', '.join(allowed)}")
    return chosen
