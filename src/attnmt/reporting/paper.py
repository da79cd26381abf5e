"""The rows of tables and the curves of figures: systems.yaml's, with the numbers of ``published/``."""

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
METRICS = ("ppl", "bleu", "bleu_unk", "aer")  # the file's columns of numbers
RESTORE = (
    "it is part of the program: restore it, for example with git checkout, or install it again"
)
# The columns of each file, and what may stand in them. A metric may be words in place of a number.
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
    # Every curve is of a row of Table 1.
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
    """One line of one table, and what was published of it.

    ``system`` is its label, with ``mark`` at its end if its recipe is another than the other rows'.
    ``model`` is the name of our system or ensemble, ALIGNER or DIAGONAL; None where the project has
    none. ``over`` is the key of the row from which its gain counts. ``replaced`` says whether unknown
    words were replaced before ``bleu`` was measured. ``printed`` maps a metric to its cell as printed,
    which may be an "x" or a bound; it is empty of a row that was not published. ``gain`` is the printed
    gain; it is not always the difference of the printed scores.
    """

    key: str
    system: str
    model: str | None
    over: str | None = None
    mark: str = ""
    replaced: bool = False
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
    """One point of one curve of a figure as published.

    ``system``, ``model`` and ``replaced`` are as in :class:`Row`. In Figure 5, ``x`` counts mini-batches
    and ``y`` is the cost in nats a word; in Figure 6, ``x`` is the longest reference of a group in words
    and ``y`` the group's BLEU.
    """

    system: str
    model: str | None
    replaced: bool
    x: float
    y: float
    source: str


def table_rows(params: Params, table: str) -> list[Row]:
    """Return the rows of one table, in the order of systems.yaml, those of other recipes marked."""
    return marked(
        params, [_row(table, key, row) for key, row in params.rows.get(table, {}).items()]
    )


def rows_of(params: Params, model: str) -> list[Row]:
    """Return all rows of all tables that one model fills."""
    rows = [row for table in params.rows for row in table_rows(params, table)]
    return [row for row in rows if row.model == model]


def marked(params: Params, rows: list[Row]) -> list[Row]:
    """Return the rows with a mark on each whose recipe is another than that of most."""
    signs = marks(params, [row.model for row in rows]).signs
    found = [(row, signs.get(row.model or "", "")) for row in rows]
    return [replace(row, system=row.system + mark, mark=mark) for row, mark in found]


def paper_set(table: str) -> str:
    """Return the set on which the paper measured a table."""
    return _published(table)[0]["set"]


def paper_curves(params: Params, figure: str) -> list[Point]:
    """Return the points of a figure, curve by curve, in the order of publication."""
    rows = {row.key: row for row in table_rows(params, "table1")}
    points = [cells for cells in _read("figures.csv") if cells["figure"] == figure]
    return [_point(rows[cells["row"]], cells) for cells in points if cells["row"] in rows]


def _published(table: str) -> list[dict[str, str]]:
    return [cells for cells in _read("tables.csv") if cells["table"] == table]


@cache  # each label and each curve asks for it
def _read(name: str) -> list[dict[str, str]]:
    """Return the lines of a file of published numbers.

    Raises:
        InputError: if it is missing, or (naming the line and the column) is not as it was published.
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
    own = Row(key, row.label, row.system, over=row.over, replaced=row.replaced)
    for cells in _published(table):
        if cells["row"] == key:
            return replace(
                own,
                set=cells["set"],
                printed={metric: cells[metric] for metric in METRICS if cells[metric]},
                gain=cells["gain"],
                source=cells["source"],
            )
    return own


def _point(row: Row, cells: dict[str, str]) -> Point:
    return Point(
        system=row.system,
        model=row.model,
        replaced=row.replaced,
        x=float(cells["x"]),
        y=float(cells["y"]),
        source=cells["source"],
    )
