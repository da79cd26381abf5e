"""What preprocessing takes, as a table in Markdown."""

from collections.abc import Mapping
from typing import Any

from benchmarks.page import table
from benchmarks.recombined import LANGUAGES


def render(found: Mapping[str, Any]) -> str:
    """Return a machine's results as tables in Markdown."""
    machine, count = found["machine"], found["workers"]
    workers = f"{count} workers" if count > 1 else "1 worker"
    title = (
        f"**Preprocessing, {workers}.** {machine['device']}, {machine['started']}. "
        "Minutes on the clock and of the processors, and the most memory that all processes of a stage "
        "held at once, and that its first one held."
    )
    header = ["stage", "pairs", "minutes", "CPU minutes", "pairs/s", "peak MB", "first process, MB"]
    rows = [
        [stage, f"{int(size):,}", *_cells(int(size), of["stages"][stage])]
        for stage in dict.fromkeys(name for of in found["sizes"].values() for name in of["stages"])
        for size, of in found["sizes"].items()
        if stage in of["stages"]
    ]
    speeds = ", ".join(f"{name} {speed:,.0f}" for name, speed in found["tokenisers"].items())
    size, of = list(found["sizes"].items())[-1]
    words = next(iter(of["train"].values()))
    means = ", ".join(f"{words[k]['tokens'] / words['lines']:.1f} {k}" for k in LANGUAGES)
    different = ", ".join(f"{of['different_words'][k]:,} {k}" for k in LANGUAGES)
    note = (
        f"Lines that a processor tokenizes a second: {speeds}. Of {int(size):,} pairs "
        f"{words['lines']:,} were kept; tokens a line: {means}; different tokens: {different}."
    )
    return "\n\n".join([title, table(header, rows), note])


def _cells(pairs: int, used: Mapping[str, float]) -> list[str]:
    return [
        f"{used['seconds'] / 60:.1f}",
        f"{used['cpu_seconds'] / 60:.1f}",
        f"{pairs / used['seconds']:,.0f}",
        f"{used['all_mb']:,.0f}",
        f"{used['first_mb']:,.0f}",
    ]
