"""A table: a data frame with a title and a caption, and four ways to print it.

The page is the fourth (``page.py``). The others are CSV, with numbers as they are, Markdown, and LaTeX
(``latex.py``).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import NamedTuple, cast

import pandas as pd

from attnmt.scoring.score_table import ScoreRow
from attnmt.scoring.verdicts import ALPHA

SMALLEST_P = 0.001
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
    title: str
    caption: str  # what is measured
    frame: pd.DataFrame
    formats: Mapping[str, Format] = field(default_factory=dict)  # one decimal where there is none
    notes: Sequence[str] = ()  # sentences to stand below the table, about its marks and verdicts

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

    def texts(self) -> list[list[str]]:
        """Return all cells as a reader sees them, row by row."""
        return [[self.text(row, heading) for heading in self.headings] for row in self.frame.index]


def table_of(
    name: str,
    title: str,
    caption: str,
    rows: Mapping[str, Mapping[str, Cell]],
    formats: Mapping[str, Format],
    notes: Sequence[str] = (),
) -> Table:
    """Return a table of rows of cells by their headings.

    Columns without any cell are left out, and so are rows with nothing but a name.
    """
    frame = pd.DataFrame.from_dict(dict(rows), orient="index", dtype=object)
    frame = frame.astype(object).where(frame.notna(), None)
    is_filled = frame.map(lambda cell: cell not in (None, ""))
    frame = frame[is_filled.iloc[:, 1:].any(axis=1)]
    kept = [str(heading) for heading in frame if is_filled[heading].any()]
    return Table(name, title, caption, frame[kept], formats, notes)


def value_of(line: ScoreRow | None) -> float | Spread | None:
    """Return the number of a line, with its standard deviation if it has one."""
    if line is None or line.value is None:
        return None
    return line.value if line.sd is None else Spread(line.value, line.sd)


def interval_of(line: ScoreRow | None) -> Interval | None:
    """Return the interval of a line, if it has one."""
    if line is None or line.low is None or line.high is None:
        return None
    return Interval(line.low, line.high)


def decimal(value: float, digits: int) -> str:
    """Return a number with ``digits`` decimals and commas between thousands."""
    return f"{round(value, digits) + 0.0:,.{digits}f}"  # + 0.0: no -0.0


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
    below = "".join(f"\n{note}\n" for note in table.notes)
    return f"**{full_title(table, experiment)}.** {caption}\n\n{rows}{below}"


def pipe_table(lines: Iterable[Sequence[str]]) -> str:
    """Return lines of cells as a Markdown table."""
    safe = ([TAG.sub("&lt;", cell).replace("|", "\\|") for cell in line] for line in lines)
    return "".join("| " + " | ".join(line) + " |\n" for line in safe)


def full_title(table: Table, experiment: str) -> str:
    """Return the title with the experiment."""
    return f"{table.title}, experiment {experiment}"
