"""A table: a data frame with a title and a caption, and four ways to print it.

The page is the fourth (``page.py``). The others are CSV, with numbers as they are, Markdown, and LaTeX
(``latex.py``).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import isnan
from types import MappingProxyType
from typing import NamedTuple, cast

import pandas as pd

from attnmt.scoring.verdicts import ALPHA

SMALLEST_P = 0.001
# Columns of the narrow version, each of headings whose cells stand below each other
NARROW = (("BLEU", "seeds", "set"), ("gain", "gain, 95%"), ("p", "verdict"))
OF_INTERVAL = ", 95%"  # ends the heading of a column of intervals
TAG = re.compile(r"<(?=[a-z/!?])", re.IGNORECASE)  # Markdown would read <unk> as HTML


class Interval(NamedTuple):
    """The bounds of a 95% interval."""

    low: float
    high: float


class Spread(NamedTuple):
    """A mean over trainings and the standard deviation between them."""

    value: float
    sd: float


class Size(NamedTuple):
    """A signed number that carries its own number of decimals."""

    value: float
    digits: int


Cell = str | float | Interval | Spread | Size | None


@dataclass(frozen=True)
class Format:
    """How the numbers of a column are printed: their decimals, and whether a plus is shown."""

    digits: int = 1
    signed: bool = False

    def show(self, cell: Cell) -> str:
        """Return a cell as a reader sees it; an empty text for None."""
        match cell:
            case None:
                return ""
            case str():
                return cell
            case Interval(low, high):
                return f"{self.show(low)}{' to ' if self.signed else '–'}{self.show(high)}"
            case Size(value, digits):
                return signed(value, digits)
            case Spread(value, sd):
                return f"{self.show(value)} ± {decimal(sd, self.digits)}"
        return signed(cell, self.digits) if self.signed else decimal(cell, self.digits)


class FormatOfP(Format):
    """How p is printed: never as zero, and never on the other side of ALPHA."""

    def show(self, cell: Cell) -> str:
        """Return p with three decimals, or with as many as put it on its side of ALPHA."""
        if not isinstance(cell, float):
            return ""
        if cell < SMALLEST_P:
            return f"<{SMALLEST_P}"
        texts = (decimal(cell, digits) for digits in range(3, 20))
        return next(text for text in texts if (float(text) < ALPHA) == (cell < ALPHA))


P = FormatOfP()


@dataclass(frozen=True)
class Table:
    """One table of one experiment.

    The index of the frame has a key for each row, and its columns are the headings; the first column
    names the row. Headings that begin with "paper" are those of published numbers.
    """

    name: str  # the stem of its files
    title: str  # what lists call it, such as "Table 1"
    caption: str  # what is measured, on which text, what the marks mean
    frame: pd.DataFrame
    formats: Mapping[str, Format] = field(default_factory=dict)  # one decimal where there is none
    about: str = ""  # more about its subject
    # By row, where its numbers come from and what else is to be known of them
    facts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    # A version for one column of a paper, if there is one: its columns, each of headings whose cells
    # stand below each other (the first names a row, and over which other row it has a gain); its
    # caption; and a table that stands above it
    narrow: Sequence[Sequence[str]] = ()
    narrow_caption: str = ""
    notes: Sequence[str] = ()  # sentences about verdicts, to stand below the table
    above: "Table | None" = None

    @property
    def headings(self) -> list[str]:
        """The headings of the columns."""
        return list(self.frame.columns)

    def is_number(self, heading: str) -> bool:
        """Return whether a column has numbers."""
        return any(cell is not None and not isinstance(cell, str) for cell in self.frame[heading])

    def cell(self, row: str, heading: str) -> Cell:
        """Return a cell as it is; None if it is empty."""
        cell = cast(Cell, self.frame.at[row, heading])
        return None if isinstance(cell, float) and isnan(cell) else cell

    def text(self, row: str, heading: str) -> str:
        """Return a cell as a reader sees it."""
        return self.formats.get(heading, Format()).show(self.cell(row, heading))

    def with_facts(self) -> list[str]:
        """Return the rows of which it is known where their numbers come from."""
        return [row for row in self.frame.index if self.facts.get(row)]

    def filled(self, rows: Sequence[str]) -> list[str]:
        """Return the headings of the columns in which one of some rows has a cell."""
        return [h for h in self.headings if any(self.text(row, h) for row in rows)]

    def is_extra(self, heading: str) -> bool:
        """Return whether a page leaves out a column where its window is narrow.

        It keeps what is on top in each column of the narrow version, the last heading of it, which is
        the verdict, and the paper's numbers of the same kind.
        """
        kept = (
            {column[0] for column in self.narrow} | {self.narrow[-1][-1]} if self.narrow else set()
        )
        return bool(kept) and heading.removeprefix("paper ") not in kept

    def has_interval(self, heading: str) -> bool:
        """Return whether another column has the intervals of a column."""
        return heading + OF_INTERVAL in self.headings

    def interval(self, row: str, heading: str) -> str:
        """Return the interval of a cell as a reader sees it; an empty text if there is none."""
        return self.text(row, heading + OF_INTERVAL) if self.has_interval(heading) else ""

    def apart(self, headings: Iterable[str]) -> list[str]:
        """Return some headings without those of intervals, for tables that have both in one cell."""
        intervals = {heading + OF_INTERVAL for heading in self.headings}
        return [heading for heading in headings if heading not in intervals]

    def texts(self) -> list[list[str]]:
        """Return all cells as a reader sees them, row by row."""
        return [[self.text(row, heading) for heading in self.headings] for row in self.frame.index]


def table_of(
    name: str,
    title: str,
    caption: str,
    rows: Mapping[str, Mapping[str, Cell]],
    formats: Mapping[str, Format],
    facts: Mapping[str, Mapping[str, str]],
    about: str = "",
    narrow: Sequence[Sequence[str]] = (),
    notes: Mapping[str, str] = MappingProxyType({}),
    above: Table | None = None,
    doubts: Sequence[str] = (),
) -> Table:
    """Return a table of rows of cells by their headings.

    Columns without any cell are left out, and so are rows with nothing but a name. The narrow version
    has the first column and, where ``narrow`` does not name others, those of NARROW. There is none
    without a gain or a second number.

    Args:
        notes: sentences of the caption, each by the heading of the column that it explains. They stand
            in the captions of those versions that have the column.
        above: a table that stands above the narrow version.
        doubts: sentences about verdicts, to stand below the table.
    """
    frame = pd.DataFrame.from_dict(dict(rows), orient="index", dtype=object)
    frame = frame.astype(object).where(frame.notna(), None)
    is_filled = frame.map(lambda cell: cell not in (None, ""))
    frame = frame[is_filled.iloc[:, 1:].any(axis=1)]
    kept = [str(heading) for heading in frame if is_filled[heading].any()]
    usual = [kept[:1], *NARROW] if "gain" in kept else []
    stacked = [[heading for heading in one if heading in kept] for one in narrow or usual]
    short = [one for one in stacked if one]
    short = short if len(short) > 2 else []

    def explained(headings: Iterable[str]) -> str:
        return " ".join([caption, *(notes[heading] for heading in headings if heading in notes)])

    captions = explained(kept), explained(chain.from_iterable(short))
    return Table(
        name,
        title,
        captions[0],
        frame[kept],
        formats,
        about=about,
        facts=facts,
        narrow=short,
        narrow_caption=captions[1],
        notes=doubts,
        above=above,
    )


def decimal(value: float, digits: int) -> str:
    """Return a number with ``digits`` decimals and commas between thousands."""
    return f"{round(value, digits) + 0.0:,.{digits}f}"  # + 0.0: no -0.0


def hours_of(minutes: float) -> str:
    """Return a time in hours, or in minutes if it is short."""
    if minutes >= 90:
        return f"{minutes / 60:.1f} hours"
    return "1 minute" if round(minutes) == 1 else f"{minutes:.0f} minutes"


def signed(value: float, digits: int) -> str:
    """Return a number with its sign."""
    return f"{round(value, digits) + 0.0:+.{digits}f}"


def csv(table: Table) -> str:
    """Return a table as CSV. An interval has two columns, and so have a mean and its deviation."""
    columns: dict[str, list[object]] = {}
    for heading in table.headings:
        cells = list(table.frame[heading])
        kinds = {type(cell) for cell in cells}
        if Interval in kinds:
            for bound in Interval._fields:
                columns[f"{heading} {bound}"] = [getattr(cell, bound, None) for cell in cells]
            continue
        columns[heading] = [getattr(cell, "value", cell) for cell in cells]
        if Spread in kinds:
            columns[f"{heading} sd"] = [getattr(cell, "sd", None) for cell in cells]
    return pd.DataFrame(columns, dtype=object).to_csv(index=False, lineterminator="\n")


def markdown(table: Table, experiment: str) -> str:
    """Return the title, the caption and the table as Markdown."""
    rules = ["--:" if table.is_number(heading) else "---" for heading in table.headings]
    rows = pipe_table([table.headings, rules, *table.texts()])
    caption = TAG.sub("&lt;", table.caption)
    below = "".join(f"\n{doubt}\n" for doubt in table.notes)
    return f"**{full_title(table, experiment)}.** {caption}\n\n{rows}{below}"


def pipe_table(lines: Iterable[Sequence[str]]) -> str:
    """Return lines of cells as a Markdown table."""
    safe = ([TAG.sub("&lt;", cell).replace("|", "\\|") for cell in line] for line in lines)
    return "".join("| " + " | ".join(line) + " |\n" for line in safe)


def full_title(table: Table, experiment: str) -> str:
    """Return the title with its subject and the experiment."""
    parts = (table.title, table.about, f"experiment {experiment}")
    return ", ".join(part for part in parts if part)
