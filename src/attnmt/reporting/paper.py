"""The rows of systems.yaml, as rows of tables and as curves, with the numbers of ``published/``."""

import csv
import re
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from attnmt.config import Params, TableRow
from attnmt.errors import InputError
from attnmt.files.text_file import read_text
from attnmt.reporting.recipes import marks

PUBLISHED = Path(__file__).with_name("published")
METRICS = ("ppl", "bleu", "bleu_unk", "aer")  # the columns of numbers in tables.csv
RESTORE = (
    "the file is part of the program: restore it, for example with git checkout, or install the "
    "program again"
)
# The columns of each file, and what may stand in them. A metric may have words in place of a number.
SOME, NUMBER = r".+", r"\d+(\.\d+)?"
COLUMNS = {
    "tables.csv": {
        "table": r"table\d+|table_gru",
        "row": r"\w+",
        "set": SOME,
        **dict.fromkeys(METRICS, rf"([<>]?{NUMBER})?|[^\W\d].*"),
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
class Row:
    """One line of one table, with its published numbers.

    ``system`` is its label. It ends in ``mark`` if its recipe differs from the recipe of most rows.
    ``model`` is the name of our system or ensemble, or ALIGNER or DIAGONAL. It is None where the project
    has none. ``over`` is the key of the row from which its gain counts. ``replaced`` says whether
    unknown words were replaced before ``bleu`` was measured. ``question`` is what the gain answers, in
    a table of our own. ``printed`` maps a metric to its cell as
    printed, which may be an "x" or a bound. It is empty for a row that was not published. ``gain`` is
    the printed gain, which is not always the difference of the printed scores.
    """

    key: str
    system: str
    model: str | None
    over: str | None = None
    mark: str = ""
    replaced: bool = False
    question: str | None = None
    set: str = ""
    printed: dict[str, str] = field(default_factory=dict)
    gain: str = ""
    source: str = ""

    @property
    def label(self) -> str:
        """The label without the mark."""
        return self.system.removesuffix(self.mark)

    def number(self, metric: str) -> float | None:
        """Return a published number; None where none was printed."""
        try:
            return float(self.printed.get(metric, ""))
        except ValueError:
            return None


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


def table_rows(params: Params, table: str) -> list[Row]:
    """Return the rows of one table in the order of systems.yaml, with marks for other recipes."""
    return marked(
        params, [_row(table, key, row) for key, row in params.rows.get(table, {}).items()]
    )


def rows_of(params: Params, model: str) -> list[Row]:
    """Return all rows of all tables that one model fills."""
    rows = [row for table in params.rows for row in table_rows(params, table)]
    return [row for row in rows if row.model == model]


def marked(params: Params, rows: list[Row]) -> list[Row]:
    """Return the rows, each with a mark if its recipe differs from that of most rows."""
    signs = marks(params, [row.model for row in rows]).signs
    with_marks = [(row, signs.get(row.model or "", "")) for row in rows]
    return [replace(row, system=row.system + mark, mark=mark) for row, mark in with_marks]


def paper_set(table: str) -> str:
    """Return the set on which the paper measured a table."""
    return _published(table)[0]["set"]


def paper_curves(params: Params, figure: str) -> list[Point]:
    """Return the points of a figure, curve by curve, in the order of publication."""
    rows = {row.key: row for row in table_rows(params, "table1")}
    return [
        Point(rows[cells["row"]], float(cells["x"]), float(cells["y"]), cells["source"])
        for cells in _read("figures.csv")
        if cells["figure"] == figure and cells["row"] in rows
    ]


def _published(table: str) -> list[dict[str, str]]:
    return [cells for cells in _read("tables.csv") if cells["table"] == table]


@cache  # every label and every curve needs it
def _read(name: str) -> list[dict[str, str]]:
    """Return the lines of a file of published numbers, each as cells by column.

    Raises:
        InputError: if the file is missing, or a cell is not what its column may hold.
    """
    path = PUBLISHED / name
    columns = COLUMNS[name]
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


def _row(table: str, key: str, row: TableRow) -> Row:
    """Join a row to its published numbers."""
    unpublished = Row(
        key,
        row.label,
        row.system,
        over=row.over,
        replaced=row.replaced,
        question=row.question,
    )
    for cells in _published(table):
        if cells["row"] == key:
            return replace(
                unpublished,
                set=cells["set"],
                printed={metric: cells[metric] for metric in METRICS if cells[metric]},
                gain=cells["gain"],
                source=cells["source"],
            )
    return unpublished
