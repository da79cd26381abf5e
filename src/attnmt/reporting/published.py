"""What the paper and the course report print: the lines of their tables, the points of their figures."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from attnmt.config import Params, TableRow
from attnmt.errors import InputError
from attnmt.files.text_file import read_text
from attnmt.reporting.rows import Row, table_rows
from attnmt.scoring.numbers import Line

PUBLISHED = Path(__file__).with_name("published")
RESTORE = (
    "the file is part of the program: restore it, for example with git checkout, or install the "
    "program again"
)
# The columns of each file, and what may stand in them. A metric may have words in place of a number.
SOME, NUMBER = r".+", r"\d+(\.\d+)?"
METRIC = rf"([<>]?{NUMBER})?|[^\W\d].*"
COLUMNS = {
    "tables.csv": {
        "table": r"table\d+|table_gru",
        "row": r"\w+",
        "set": SOME,
        **dict.fromkeys(("ppl", "bleu", "bleu_unk", "aer"), METRIC),
        "gain": rf"([+-]{NUMBER})?",
        "source": SOME,
    },
    # Every curve belongs to a row of Table 1.
    "figures.csv": {
        "figure": r"Figure \d+",
        "row": r"\w+",
        "x": NUMBER,
        "y": NUMBER,
        "source": SOME,
    },
}


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

    A printed gain is not always the difference of the printed scores. A number that was not printed as
    one, such as an "x" or a bound, stands in the note.
    """
    for cells in _read("tables.csv"):
        table, key = cells["table"], cells["row"]
        row = params.rows.get(table, {}).get(key)
        if row is not None:
            yield from _lines(table, key, row, cells)


def _lines(table: str, key: str, row: TableRow, cells: dict[str, str]) -> Iterator[Line]:
    def line(kind: str, metric: str, text: str, after: bool) -> Line:
        is_bleu = metric == "bleu"
        number = re.fullmatch(rf"[+-]?{NUMBER}", text)
        return Line.model_validate(
            {
                "source": cells["source"],
                "kind": kind,
                "row": f"{table}/{key}",
                "system": row.system,
                "set": cells["set"],
                "metric": metric,
                "script": ("nist" if table == "table2" else "tokenized") if is_bleu else None,
                "replacement": ("after" if after else "before") if is_bleu else None,
                "value": float(text) if number else None,
                "note": None if number else text,
            }
        )

    for metric in ("ppl", "bleu", "aer"):
        if cells[metric]:
            yield line("system", metric, cells[metric], row.replaced)
    if cells["bleu_unk"]:
        yield line("system", "bleu", cells["bleu_unk"], after=True)
    if cells["gain"]:
        yield line("gain", "bleu", cells["gain"], row.replaced or bool(cells["bleu_unk"]))


def paper_set(table: str) -> str:
    """Return the set on which the paper measured a table."""
    return next(cells["set"] for cells in _read("tables.csv") if cells["table"] == table)


def paper_curves(params: Params, figure: str) -> list[Point]:
    """Return the points of a figure, curve by curve, in the order of publication."""
    rows = {row.key: row for row in table_rows(params, "table1")}
    return [
        Point(rows[cells["row"]], float(cells["x"]), float(cells["y"]), cells["source"])
        for cells in _read("figures.csv")
        if cells["figure"] == figure and cells["row"] in rows
    ]


@cache  # every label and every curve needs it
def _read(name: str) -> list[dict[str, str]]:
    """Return the lines of a file of published numbers, each as cells by column.

    Raises:
        InputError: if the file is missing, or a cell is not what its column may hold.
    """
    path, columns = PUBLISHED / name, COLUMNS[name]
    header, *lines = list(csv.reader(read_text(path, "utf-8").splitlines())) or [[]]
    if header != list(columns):
        raise InputError(f"{path}:1: the columns must be {', '.join(columns)}; {RESTORE}")
    if not lines:
        raise InputError(f"{path}: no line below the columns; {RESTORE}")
    rows = []
    for number, cells in enumerate(lines, start=2):
        if len(cells) != len(columns):
            raise InputError(
                f"{path}:{number}: {len(cells)} cells in {len(columns)} columns; {RESTORE}"
            )
        row = dict(zip(header, cells, strict=True))
        for column, cell in row.items():
            if not re.fullmatch(columns[column], cell):
                raise InputError(
                    f"{path}:{number}: {column}: {cell!r} cannot stand here; {RESTORE}"
                )
        rows.append(row)
    return rows
