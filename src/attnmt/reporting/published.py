"""What the paper and the course report print: the lines of their tables, the points of their figures."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import StringConstraints

from attnmt.config import Params, TableRow
from attnmt.files.csv_file import CsvLine, read_csv
from attnmt.reporting.own_text import on_own_text
from attnmt.reporting.rows import Row, table_rows
from attnmt.scoring.numbers import Line

PUBLISHED = Path(__file__).with_name("printed")
RESTORE = (
    "the file is part of the program: restore it, for example with git checkout, or install the "
    "program again"
)
# What was printed: a number, a bound such as >7.0, or words such as "x"
Printed = Annotated[str, StringConstraints(pattern=r"^([<>]?\d+(\.\d+)?|[^\W\d].*)$")] | None


class PublishedRow(CsvLine):
    """A line of ``printed/tables.csv``: what was printed in one row of one table."""

    table: str
    row: str  # its key in systems.yaml
    set: str
    ppl: Printed
    bleu: Printed
    bleu_unk: Printed
    aer: Printed
    gain: float | None  # as printed, which is not always the difference of the printed scores
    source: str


class PublishedPoint(CsvLine):
    """A line of ``printed/figures.csv``: a point on the curve of a row of Table 1."""

    figure: str
    row: str
    x: float
    y: float
    source: str


@dataclass(frozen=True)
class Point:
    """One published point of a figure, on the curve of a row of Table 1.

    In Figure 5, ``x`` counts mini-batches and ``y`` is the cost in nats a word. In Figure 6, ``x`` is
    the longest reference of a group in words and ``y`` is the group's BLEU.
    """

    row: Row
    x: float
    y: float
    source: str


def published_lines(params: Params) -> Iterator[Line]:
    """Yield the published numbers of the experiment's rows, and the printed gains.

    What was not printed as a number stands in the note. On one's own text there are none.
    """
    for printed in () if on_own_text(params) else _tables():
        row = params.rows.get(printed.table, {}).get(printed.row)
        if row is not None:
            yield from _lines(printed, row)


def _lines(printed: PublishedRow, row: TableRow) -> Iterator[Line]:
    def line(kind: str, metric: str, text: str, after: bool) -> Line:
        is_bleu, is_number = metric == "bleu", text.lstrip("+-")[:1].isdigit()
        script = "nist" if printed.table == "table2" else "tokenized"
        return Line.model_validate(
            {
                "source": printed.source,
                "kind": kind,
                "row": f"{printed.table}/{printed.row}",
                "system": row.system,
                "set": printed.set,
                "metric": metric,
                "script": script if is_bleu else None,
                "replacement": ("after" if after else "before") if is_bleu else None,
                "value": text if is_number else None,
                "note": None if is_number else text,
            }
        )

    for metric in ("ppl", "bleu", "aer"):
        if text := getattr(printed, metric):
            yield line("system", metric, text, row.replaced)
    if printed.bleu_unk:
        yield line("system", "bleu", printed.bleu_unk, after=True)
    if printed.gain is not None:
        after = row.replaced or printed.bleu_unk is not None
        yield line("gain", "bleu", str(printed.gain), after)


def paper_set(table: str) -> str:
    """Return the set on which the paper measured a table."""
    return next(printed.set for printed in _tables() if printed.table == table)


def paper_curves(params: Params, figure: str) -> list[Point]:
    """Return the points of a figure, curve by curve, in the order of publication."""
    rows = {row.key: row for row in table_rows(params, "table1")}
    return [
        Point(rows[point.row], point.x, point.y, point.source)
        for point in _figures()
        if point.figure == figure and point.row in rows
    ]


@cache  # every table asks for its set
def _tables() -> list[PublishedRow]:
    return read_csv(PUBLISHED / "tables.csv", PublishedRow, RESTORE)


@cache
def _figures() -> list[PublishedPoint]:
    return read_csv(PUBLISHED / "figures.csv", PublishedPoint, RESTORE)
