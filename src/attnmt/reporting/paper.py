"""The published numbers, from ``published/``, and which of our systems answers to each."""

import csv
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from attnmt.errors import InputError
from attnmt.files import read_text

PUBLISHED = Path(__file__).with_name("published")
METRICS = ("ppl", "bleu", "bleu_unk", "aer")  # the file's columns of numbers
RESTORE = (
    "it is part of the program: restore it, for example with git checkout, or install it again"
)
# The columns of each file, and what may stand in them. A metric may be words in place of a number.
SOME, NUMBER = r".+", r"\d+(\.\d+)?"
SYSTEM = {"system": SOME, "model": r"\w*", "replaced": "yes|no"}
COLUMNS = {
    "tables.csv": {
        "table": r"Table \d+|GRU table",
        "set": SOME,
        **SYSTEM,
        **dict.fromkeys(METRICS, rf"([<>]?{NUMBER})?|[^\W\d].*"),
        "gain": rf"([+-]{NUMBER})?",
        "source": SOME,
    },
    "figures.csv": {"figure": r"Figure \d+", **SYSTEM, "x": NUMBER, "y": NUMBER, "source": SOME},
}
DIAGONAL = (
    "diagonal"  # answers in place of a model: links of each word to the word at its own place
)
ALIGNER = "aligner"  # answers in place of a model: the word aligner that made the dictionary


@dataclass(frozen=True)
class Row:
    """One line of one table as published.

    ``model`` is the name of our model or ensemble, or ALIGNER; None where the project has none.
    ``replaced`` says whether unknown words were replaced before ``bleu`` was measured. ``printed``
    maps a metric to its cell as printed, which may be an "x" or a bound. ``gain`` is the printed
    gain; it is not always the difference of the printed scores.
    """

    table: str
    system: str
    model: str | None
    set: str = ""
    replaced: bool = False
    printed: dict[str, str] = field(default_factory=dict)
    gain: str = ""
    source: str = ""

    def number(self, metric: str) -> float | None:
        """Return a published number; None where none was printed."""
        try:
            return float(self.printed.get(metric, ""))
        except ValueError:
            return None


@dataclass(frozen=True)
class Point:
    """One point of one curve of a figure as published.

    ``model`` and ``replaced`` are as in :class:`Row`. In Figure 5, ``x`` counts mini-batches and ``y``
    is the cost in nats a word; in Figure 6, ``x`` is the longest reference of a group in words and
    ``y`` the group's BLEU.
    """

    system: str
    model: str | None
    replaced: bool
    x: float
    y: float
    source: str


def paper_rows(table: str | None = None) -> list[Row]:
    """Return the rows of one table, or of all, in the order of publication."""
    rows = map(_row, _read("tables.csv"))
    return [row for row in rows if table in (None, row.table)]


def paper_curves(figure: str) -> list[Point]:
    """Return the points of a figure, curve by curve, in the order of publication."""
    return [_point(cells) for cells in _read("figures.csv") if cells["figure"] == figure]


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


def _row(cells: dict[str, str]) -> Row:
    return Row(
        table=cells["table"],
        system=cells["system"],
        model=cells["model"] or None,
        set=cells["set"],
        replaced=cells["replaced"] == "yes",
        printed={metric: cells[metric] for metric in METRICS if cells[metric]},
        gain=cells["gain"],
        source=cells["source"],
    )


def _point(cells: dict[str, str]) -> Point:
    return Point(
        system=cells["system"],
        model=cells["model"] or None,
        replaced=cells["replaced"] == "yes",
        x=float(cells["x"]),
        y=float(cells["y"]),
        source=cells["source"],
    )
