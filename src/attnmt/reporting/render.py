"""Tables as CSV, Markdown and LaTeX, and all tables of a folder as JSON for the page."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from attnmt.files.text_file import write_text
from attnmt.reporting.tables import Table
from attnmt.reporting.tables_file import Sample, write_tables_file

_LATEX_ESCAPES = str.maketrans(
    {char: f"\\{char}" for char in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


def write_tables(
    experiment: str, tables: Sequence[Table], folder: Path, samples: Sequence[Sample] = ()
) -> None:
    """Write each table as CSV, Markdown and LaTeX, and ``tables.json`` with all tables and the samples.

    The same tables give the same bytes.
    """
    for table in tables:
        stem = folder / table.name
        frame = pd.DataFrame(table.rows, dtype=object)
        write_text(stem.with_suffix(".csv"), frame.to_csv(index=False, lineterminator="\n"))
        write_text(stem.with_suffix(".md"), markdown(table))
        write_text(stem.with_suffix(".tex"), latex(table))
    write_tables_file(folder / "tables.json", experiment, tables, samples)


def markdown(table: Table) -> str:
    """Return the title, the caption and the table as Markdown."""
    rules = ["--:" if column.numeric else "---" for column in table.columns]
    cells = zip(*(column.cells for column in table.columns), strict=True)
    lines = [[column.heading for column in table.columns], rules, *cells]
    return f"**{table.title}.** {table.caption}\n\n{pipe_table(lines)}"


def pipe_table(lines: Iterable[Sequence[str]]) -> str:
    """Return lines of cells as a Markdown table."""
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def latex(table: Table) -> str:
    """Return a floating LaTeX table that needs no package but booktabs."""
    frame = pd.DataFrame({column.key: column.cells for column in table.columns}, dtype=object)
    headings = [escaped(column.heading) for column in table.columns]
    styler = frame.style.hide(axis="index").format(escaped).relabel_index(headings, axis=1)
    return styler.to_latex(
        hrules=True,
        column_format="".join("r" if column.numeric else "l" for column in table.columns),
        position_float="centering",
        caption=escaped(f"{table.title}. {table.caption}"),
        label=f"tab:{table.name}",
    )


def escaped(text: object) -> str:
    """Return text with LaTeX's special characters escaped."""
    return str(text).translate(_LATEX_ESCAPES)
