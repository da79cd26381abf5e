"""Tables as CSV, Markdown and LaTeX, and all of an experiment's as JSON for the page."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from attnmt.files import write_json, write_text
from attnmt.reporting.provenance import facts
from attnmt.reporting.tables import Table

_LATEX_ESCAPES = str.maketrans(
    {char: f"\\{char}" for char in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


def write_tables(experiment: str, tables: list[Table], folder: Path) -> None:
    """Write each table's CSV, Markdown and LaTeX, and ``tables.json``.

    The same tables give the same bytes.
    """
    for table in tables:
        stem = folder / table.name
        frame = pd.DataFrame(table.rows, dtype=object)
        write_text(stem.with_suffix(".csv"), frame.to_csv(index=False, lineterminator="\n"))
        write_text(stem.with_suffix(".md"), markdown(table))
        write_text(stem.with_suffix(".tex"), latex(table))
    found = {"experiment": experiment, "tables": [for_page(table) for table in tables]}
    write_json(folder / "tables.json", found)


def markdown(table: Table) -> str:
    """Return the caption and the table for a README."""
    rules = ["--:" if column.numeric else "---" for column in table.columns]
    cells = zip(*(column.cells for column in table.columns), strict=True)
    lines = [[column.heading for column in table.columns], rules, *cells]
    return f"**{table.title}.** {table.caption}\n\n{pipe_table(lines)}"


def pipe_table(lines: Iterable[Sequence[str]]) -> str:
    """Return lines of cells as Markdown's table."""
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def latex(table: Table) -> str:
    """Return a floating table that needs the package booktabs and no other."""
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


def for_page(table: Table) -> dict[str, Any]:
    """Return what the page shows of a table, and where each row's numbers come from."""
    columns = table.columns
    return {
        "name": table.name,
        "title": table.title,
        "caption": table.caption,
        "columns": [{"key": c.key, "heading": c.heading, "numeric": c.numeric} for c in columns],
        "rows": [
            {
                "cells": {c.key: c.cells[at] for c in columns},
                "sort": {c.key: c.sort[at] if c.sort else None for c in columns},
                "facts": facts(row),
            }
            for at, row in enumerate(table.rows)
        ],
    }


def escaped(text: object) -> str:
    """Return text as LaTeX must read it to show it."""
    return str(text).translate(_LATEX_ESCAPES)
