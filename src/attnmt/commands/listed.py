"""Numbers in a message."""


def counted(count: int, noun: str) -> str:
    """Return a number of things: 1 column, 2 columns."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
