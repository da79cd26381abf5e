"""The sample of sentences whose full attention is kept, for figures and the report."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from pydantic import Field, RootModel

from attnmt.files.json_file import STRICT, Count, Record, read_model
from attnmt.files.text_file import write_text

Weight = Annotated[float, Field(ge=0, le=1)]


class Attended(Record):
    """The attention of one sentence and one translation of it, in units: words or pieces."""

    line: Count  # number in the set, from 0
    source: Annotated[list[str], Field(min_length=1)]
    target: Annotated[list[str], Field(min_length=1)]  # ends in </s>
    weights: list[list[Weight]]  # a row per target unit, a column per source unit, 4 decimals


class _Samples(RootModel[Annotated[list[Attended], Field(min_length=1)]]):
    model_config = STRICT


def sampled_lines(lines: int, samples: int) -> list[int]:
    """Return ``samples`` lines of a set, evenly spread and ascending; all lines if it has fewer."""
    if lines <= samples:
        return list(range(lines))
    return [i * lines // samples for i in range(samples)]


def write_attention(path: Path, samples: Iterable[Attended]) -> None:
    """Write a JSON list with one sample per line."""
    rows = (json.dumps(sample.model_dump(), ensure_ascii=False) for sample in samples)
    write_text(path, "[\n" + ",\n".join(rows) + "\n]\n")


def read_attention(path: Path, cure: str) -> list[Attended]:
    """Read what :func:`write_attention` wrote."""
    return read_model(path, _Samples, cure).root
