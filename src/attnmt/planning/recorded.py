"""How long trainings took when their report was made, from the report's table of costs.

Nothing here imports torch, because that would make Snakemake start more slowly.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attnmt.layout import Layout


@dataclass(frozen=True)
class Recorded:
    """The times of trainings that the report has."""

    seconds: dict[str, float]  # by model
    machines: list[str]  # where they were trained

    @classmethod
    def read(cls, experiment: str, root: Path = Path()) -> "Recorded":
        """Read the table of costs. Without one, or with a damaged one, no time is known."""
        table = Layout(experiment, root).reports / "cost/table_cost.csv"
        try:
            with table.open(encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
            seconds = {row["model"]: 60 * float(row["minutes"]) for row in rows}
            machines = [machine(row["device"], int(row["threads"])) for row in rows]
        except (OSError, KeyError, TypeError, ValueError):
            return cls({}, [])
        return cls(seconds, list(dict.fromkeys(machines)))


def wall_time(times: Sequence[float], at_once: int) -> float:
    """Return the shortest time for trainings of these lengths, if ``at_once`` run at a time."""
    return max([sum(times) / at_once, *times])


def machine(device: str, threads: int) -> str:
    """Return how messages name a device and the number of threads of a training."""
    return f"{device}, {threads} thread{'s' if threads > 1 else ''}"


def time_text(seconds: float) -> str:
    """Return a time as people say it: in seconds, minutes, hours or days."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds / 60:.{int(seconds < 600)}f} min"
    hours = seconds / 3600
    return f"{hours:,.1f} h" if hours < 48 else f"{hours / 24:,.1f} days"
