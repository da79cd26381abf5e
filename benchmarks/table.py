"""Figures of several rounds as a table in Markdown."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any


def table(header: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1) -> str:
    """Return a table in Markdown; its first ``texts`` columns are aligned left, the others right."""
    aligned = ["---"] * texts + ["--:"] * (len(header) - texts)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, aligned, *rows))


def spread(values: Sequence[float], form: str) -> list[str]:
    """Return the median and the range of a figure over the rounds."""
    return [f"{median(values):{form}}", f"{min(values):{form}} to {max(values):{form}}"]


def described(machine: Mapping[str, Any]) -> str:
    """Return the device, the version of torch, the day and the commit."""
    digest, changes, _ = machine["git_commit"].partition("-dirty")
    commit = f"commit {digest[:10]}" + " with changes" * bool(changes)
    return f"{machine['device']}, torch {machine['torch']}, {machine['started'][:10]}, {commit}"
