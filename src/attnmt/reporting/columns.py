"""What of a table's rows a reader sees: columns of text, and the numbers that sort them."""

from typing import Any, get_args

from attnmt.config import LinkStep
from attnmt.reporting.tables import METRICS, Column, TableSpec

Rows = list[dict[str, Any]]
LINK_STEPS: tuple[LinkStep, ...] = get_args(LinkStep)
LEVEL = 0.05  # a gain of this p or a larger one is called noise


def shown_columns(
    spec: TableSpec, rows: Rows, papers_text: bool, name_baselines: bool = False
) -> list[Column]:
    """Return the columns of a table of scores; those that would be empty are left out.

    Args:
        spec: of the table.
        rows: by the CSV file's columns.
        papers_text: whether ours were measured on the paper's own set; the difference from the
            paper's numbers means nothing elsewhere, and is then in the CSV file alone.
        name_baselines: whether a column names the row from which each gain counts.
    """
    made = [text_column("system", "system", rows)]
    for metric in spec.metrics:
        made += _of_metric(spec, metric, rows)
    for step in LINK_STEPS if spec.readings else ():
        made.append(number_column(f"aer_{step}", f"{step} step", rows, METRICS["aer"].shown))
    if spec.judged:
        if papers_text:
            digits = METRICS[spec.judged].shown
            cells = [signed(row["difference"], digits) for row in rows]
            made.append(Column("difference", "difference", cells, _values(rows, "difference")))
        if name_baselines:
            made.append(text_column("over", "gain over", rows))
        made.append(Column("p", "p", [_p(row["p"]) for row in rows], _values(rows, "p")))
        made.append(text_column("verdict", "verdict", rows))
    return filled(made)


def text_column(key: str, heading: str, rows: Rows) -> Column:
    """Return a column of words."""
    return Column(key, heading, [str(row[key] or "") for row in rows])


def number_column(key: str, heading: str, rows: Rows, digits: int) -> Column:
    """Return a column of numbers with ``digits`` decimals and commas between thousands."""
    return Column(key, heading, [decimal(row[key], digits) for row in rows], _values(rows, key))


def filled(columns: list[Column]) -> list[Column]:
    """Return the columns in which a cell has text."""
    return [column for column in columns if any(column.cells)]


def decimal(value: float | None, digits: int) -> str:
    """Return a number with ``digits`` decimals; an empty text for None."""
    return "" if value is None else f"{value:,.{digits}f}"


def _p(value: float | None) -> str:
    """Return p with three decimals, with more where these would belie on which side of LEVEL it is."""
    text = decimal(value, 3)
    belied = value is not None and (float(text) < LEVEL) != (value < LEVEL)
    return decimal(value, 5) if belied else text


def signed(value: float | None, digits: int) -> str:
    """Return a number with its sign; nothing for None."""
    return "" if value is None else f"{round(value, digits) + 0.0:+.{digits}f}"  # + 0.0: no -0.0


def _of_metric(spec: TableSpec, key: str, rows: Rows) -> list[Column]:
    """Return the paper's number, ours with its gain and deviation, and the interval of ours."""
    metric, judged, made = METRICS[key], key == spec.judged, []
    intervals = [_interval(row, key) for row in rows]
    if spec.published:
        cells = [
            (row[f"paper_{key}"] or "") + _in_brackets(judged and row["paper_gain"]) for row in rows
        ]
        made.append(Column(f"paper_{key}", f"paper {metric.heading}", cells, _printed(rows, key)))
    cells = [_ours(row, key, judged) for row in rows]
    if spec.inside:
        cells = [
            f"{cell} [{bounds}]" if bounds else cell
            for cell, bounds in zip(cells, intervals, strict=True)
        ]
    made.append(Column(key, metric.heading, cells, _values(rows, key)))
    if metric.interval and not spec.inside:
        lows = _values(rows, f"{key}_low")
        made.append(Column(f"{key}_interval", "95% interval", intervals, lows))
    return made


def _ours(row: dict[str, Any], key: str, judged: bool) -> str:
    digits, sd = METRICS[key].shown, row[f"{key}_sd"]
    deviation = f" ± {decimal(sd, digits)}" if sd is not None else ""
    gain = _in_brackets(signed(row["gain"], digits)) if judged else ""
    return decimal(row[key], digits) + deviation + gain


def _interval(row: dict[str, Any], key: str) -> str:
    ends = (decimal(row.get(f"{key}_{end}"), METRICS[key].shown) for end in ("low", "high"))
    return "–".join(ends).strip("–")


def _in_brackets(text: Any) -> str:
    return f" ({text})" if text else ""


def _values(rows: Rows, key: str) -> list[float | None]:
    return [row[key] for row in rows]


def _printed(rows: Rows, key: str) -> list[float | None]:
    """Return published cells as numbers; what was printed otherwise sorts as None."""
    found: list[float | None] = []
    for row in rows:
        try:
            found.append(float(row[f"paper_{key}"]))
        except (TypeError, ValueError):
            found.append(None)
    return found
