"""What the paper, the course report and others print: lines of tables, points of figures."""

from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Annotated

from pydantic import StringConstraints

from attnmt.config import Params, TableRow
from attnmt.files.csv_file import CsvLine, read_csv
from attnmt.scoring.score_table import ScoreRow

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
    """A line of ``printed/figures.csv``: a point on the curve of a row of Table 1.

    In Figure 5, ``x`` counts mini-batches and ``y`` is the cost in nats a word. In Figure 6, ``x`` is
    the longest reference of a group in words and ``y`` is the group's BLEU.
    """

    figure: str
    row: str
    x: float
    y: float
    source: str


def published_lines(params: Params) -> Iterator[ScoreRow]:
    """Yield the published numbers of each table of which the experiment trains a row, and the gains.

    What was not printed as a number stands in the note. On one's own text there are none.
    """
    for printed in () if params.own_text else _tables():
        table = params.tables.get(printed.table)
        rows = table.rows if table else {}
        if table and printed.row in rows and any(params.runs_of(x.system) for x in rows.values()):
            yield from _lines(printed, rows[printed.row], table.script)


def _lines(printed: PublishedRow, row: TableRow, script: str) -> Iterator[ScoreRow]:
    shown = "after" if row.replaced else "before"
    unk = shown if printed.bleu_unk is None else "after"
    numbers = (
        ("system", "ppl", printed.ppl, None),
        ("system", "bleu", printed.bleu, shown),
        ("system", "aer", printed.aer, None),
        ("system", "bleu", printed.bleu_unk, "after"),
        ("gain", "bleu", None if printed.gain is None else str(printed.gain), unk),
    )
    for kind, metric, text, replacement in numbers:
        if text is None:
            continue
        is_number = text.lstrip("+-")[:1].isdigit()
        fields = {
            "source": printed.source,
            "kind": kind,
            "row": f"{printed.table}/{printed.row}",
            "system": row.system,
            "set": printed.set,
            "metric": metric,
            "script": script if metric == "bleu" else None,
            "replacement": replacement,
            "value": text if is_number else None,
            "note": None if is_number else text,
        }
        yield ScoreRow.model_validate(fields)


def printed_tables() -> set[str]:
    """Return the tables that have published numbers."""
    return {printed.table for printed in _tables()}


def printed_curves(figure: str) -> dict[str, list[PublishedPoint]]:
    """Return the points of a figure in the order of publication, by their row of Table 1."""
    points = (one for one in _figures() if one.figure == figure)
    return {key: list(curve) for key, curve in groupby(points, key=lambda point: point.row)}


@cache  # every table asks for its set
def _tables() -> list[PublishedRow]:
    return read_csv(PUBLISHED / "tables.csv", PublishedRow, RESTORE)


@cache
def _figures() -> list[PublishedPoint]:
    return read_csv(PUBLISHED / "figures.csv", PublishedPoint, RESTORE)
