"""Sentences of a set whose attention is kept whole, for figures and the report."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from attnmt.files import write_text


@dataclass(frozen=True)
class Attended:
    """The attention of one sentence and one translation of it, in units: words, or pieces."""

    line: int  # of the set, from 0
    source: list[str]
    target: list[str]  # ends in </s>
    weights: list[list[float]]  # a row a target unit, a column a source unit, four decimals


def sampled_lines(lines: int, samples: int) -> list[int]:
    """Return so many lines of a set, evenly spread and ascending; all of a set that has fewer."""
    if lines <= samples:
        return list(range(lines))
    return [i * lines // samples for i in range(samples)]


def write_attention(path: Path, samples: Iterable[Attended]) -> None:
    """Write a JSON list, a sample a line."""
    rows = (json.dumps(asdict(sample), ensure_ascii=False) for sample in samples)
    write_text(path, "[\n" + ",\n".join(rows) + "\n]\n")
