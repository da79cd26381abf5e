"""Tables as CSV, Markdown and LaTeX."""

from pathlib import Path
from typing import Any

import pandas as pd

from attnmt.files import write_text
from attnmt.reporting.compare import Table
from attnmt.reporting.tables import METRICS

_LATEX_ESCAPES = str.maketrans(
    {char: f"\\{char}" for char in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


def write_table(table: Table, folder: Path) -> None:
    """Write the table's CSV, Markdown and LaTeX; the same table gives the same bytes."""
    stem = folder / table.spec.name
    frame = pd.DataFrame(table.rows, dtype=object)
    write_text(stem.with_suffix(".csv"), frame.to_csv(index=False, lineterminator="\n"))
    write_text(stem.with_suffix(".md"), markdown(table))
    write_text(stem.with_suffix(".tex"), latex(table))


def markdown(table: Table) -> str:
    """Return the caption and the table for a README or a page."""
    cells = shown(table)
    rules = ["---"] + ["--:"] * (len(cells.columns) - 1)
    lines = [list(cells.columns), rules, *cells.to_numpy().tolist()]
    body = "".join("| " + " | ".join(line) + " |\n" for line in lines)
    return f"**{table.title}.** {table.caption}\n\n{body}"


def latex(table: Table) -> str:
    """Return a floating table that needs the package booktabs and no other."""
    cells = shown(table)
    styler = cells.style.hide(axis="index").format(_escaped).format_index(_escaped, axis=1)
    return styler.to_latex(
        hrules=True,
        column_format="l" + "r" * (len(cells.columns) - 1),
        position_float="centering",
        caption=_escaped(f"{table.title}. {table.caption}"),
        label=f"tab:{table.spec.name}",
    )


def shown(table: Table) -> pd.DataFrame:
    """Return the columns that a reader sees, as text; those that would be empty are left out."""
    frame = pd.DataFrame([_shown(table, row) for row in table.rows], dtype=object)
    return frame.loc[:, (frame != "").any()]


def _shown(table: Table, row: dict[str, Any]) -> dict[str, str]:
    cells = {"system": row["system"]}
    for key in table.spec.metrics:
        metric, judged = METRICS[key], key == table.spec.judged
        published, sd = row.get(f"paper_{key}") or "", row[f"{key}_sd"]
        paper_gain = _in_brackets(row.get("paper_gain") or "") if judged else ""
        gain = _in_brackets(_signed(row["gain"], metric.shown)) if judged else ""
        deviation = f" ± {_decimal(sd, metric.shown)}" if sd is not None else ""
        cells[f"paper {metric.heading}"] = published + paper_gain
        cells[metric.heading] = _decimal(row[key], metric.shown) + deviation + gain
        if metric.interval:
            bounds = (_decimal(row[f"{key}_{end}"], metric.shown) for end in ("low", "high"))
            cells[metric.interval] = "–".join(bounds).strip("–")
    cells["difference"] = _signed(row.get("difference"), METRICS[table.spec.judged].shown)
    cells["verdict"] = row["verdict"] or ""
    return cells


def _decimal(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _signed(value: float | None, digits: int) -> str:
    return "" if value is None else f"{round(value, digits) + 0.0:+.{digits}f}"  # + 0.0: no -0.0


def _in_brackets(text: str) -> str:
    return f" ({text})" if text else ""


def _escaped(text: object) -> str:
    return str(text).translate(_LATEX_ESCAPES)
