"""The columns of a table that a reader sees: their text, and the numbers that sort them."""

from collections.abc import Sequence
from typing import get_args

from attnmt.config import ALIGNER, LinkStep
from attnmt.reporting.lines import Compared
from attnmt.reporting.tables import METRICS, Column, ColumnRole, TableSpec

LINK_STEPS: tuple[LinkStep, ...] = get_args(LinkStep)
COMMON = "Base + reverse + dropout + "  # all attentional systems of Table 1 share these words
LEVEL = 0.05  # where p is this or larger, a gain is called noise


def shown_columns(spec: TableSpec, rows: Sequence[Compared], papers_text: bool) -> list[Column]:
    """Return the columns of a table of scores without those that would be empty.

    Args:
        papers_text: whether our numbers were measured on the paper's own set. Elsewhere the difference
            from the paper's numbers means nothing, so only the CSV file has it.
    """
    columns = [text_column("system", "system", [_system(row) for row in rows], "name")]
    if spec.questions:
        questions = [row.line.row.question for row in rows]
        columns.append(text_column("question", "question", questions, "name"))
    if any(len(row.line.systems) > 1 for row in rows):
        counts = [len(row.line.scores) or None for row in rows]
        columns.append(
            Column("trainings", "seeds", [decimal(n, 0) for n in counts], list(counts), "detail")
        )
    for metric in spec.metrics:
        columns += _metric_columns(spec, metric, rows)
    for step in LINK_STEPS if spec.readings else ():
        rates = [_aer_at(row, step) for row in rows]
        columns.append(number_column(f"aer_{step}", f"{step} step", rates, METRICS["aer"].shown))
    if spec.judged:
        if papers_text:
            differences = [row.difference for row in rows]
            cells = [signed(value, METRICS[spec.judged].shown) for value in differences]
            columns.append(Column("difference", "difference", cells, differences, role="detail"))
        over = [short_system(row.gain.over) if row.gain.over else None for row in rows]
        columns.append(text_column("gain_over", "gain over", over))
        columns.append(_gain_interval(rows, METRICS[spec.judged].shown))
        p_values = [row.gain.p for row in rows]
        columns.append(Column("p", "p", [_p(value) for value in p_values], p_values, "detail"))
        columns.append(text_column("verdict", "verdict", [row.verdict for row in rows]))
    return filled(columns)


def short_system(system: str) -> str:
    """Return a system's name without the words that all attentional systems of Table 1 share."""
    return system.removeprefix(COMMON)


def text_column(
    key: str, heading: str, texts: Sequence[str | None], role: ColumnRole = "detail"
) -> Column:
    """Return a column of words."""
    return Column(key, heading, [text or "" for text in texts], role=role)


def number_column(key: str, heading: str, values: Sequence[float | None], digits: int) -> Column:
    """Return a column of numbers with ``digits`` decimals and commas between thousands."""
    return Column(key, heading, [decimal(value, digits) for value in values], list(values))


def filled(columns: list[Column]) -> list[Column]:
    """Return the columns in which a cell has text."""
    return [column for column in columns if any(column.cells)]


def decimal(value: float | None, digits: int) -> str:
    """Return a number with ``digits`` decimals; an empty text for None."""
    return "" if value is None else f"{value:,.{digits}f}"


def _p(value: float | None) -> str:
    """Return p with three decimals, or with five where three would put it on the other side of LEVEL."""
    text = decimal(value, 3)
    misleading = value is not None and (float(text) < LEVEL) != (value < LEVEL)
    return decimal(value, 5) if misleading else text


def signed(value: float | None, digits: int) -> str:
    """Return a number with its sign; an empty text for None."""
    return "" if value is None else f"{round(value, digits) + 0.0:+.{digits}f}"  # + 0.0: no -0.0


def _metric_columns(spec: TableSpec, key: str, rows: Sequence[Compared]) -> list[Column]:
    """Return the columns of the paper's number, of ours with deviation and gain, and of its interval."""
    metric, judged, columns = METRICS[key], key == spec.judged, []
    intervals = [_interval(row, key) for row in rows]
    if spec.published:
        published = [row.line.row for row in rows]
        cells = [
            row.printed.get(key, "") + _in_brackets(row.gain if judged else "") for row in published
        ]
        numbers = [row.number(key) for row in published]
        heading = f"paper {metric.heading}"
        columns.append(Column(f"paper_{key}", heading, cells, numbers, role="paper"))
    cells = [_ours(row, key, judged) for row in rows]
    if spec.inside:
        cells = [
            f"{cell} [{bounds}]" if bounds else cell
            for cell, bounds in zip(cells, intervals, strict=True)
        ]
    columns.append(
        Column(key, metric.heading, cells, [row.line.numbers[key].value for row in rows])
    )
    if metric.interval and not spec.inside:
        bounds_of = [row.line.numbers[key].interval for row in rows]
        lows = [bounds[0] if bounds else None for bounds in bounds_of]
        columns.append(Column(f"{key}_interval", "95% interval", intervals, lows, role="detail"))
    return columns


def _system(row: Compared) -> str:
    """Return the paper's name of a system, and the name of ours where that is another system."""
    published = row.line.row
    names = [system.name for system in row.line.systems] if published.model == ALIGNER else []
    return published.system + "".join(f" (ours: {name})" for name in names)


def _ours(row: Compared, key: str, judged: bool) -> str:
    digits, number = METRICS[key].shown, row.line.numbers[key]
    deviation = f" ± {decimal(number.sd, digits)}" if number.sd is not None else ""
    gain = _in_brackets(signed(row.gain.value, digits)) if judged else ""
    return decimal(number.value, digits) + deviation + gain


def _interval(row: Compared, key: str) -> str:
    bounds = row.line.numbers[key].interval
    return "–".join(decimal(bound, METRICS[key].shown) for bound in bounds or ())


def _gain_interval(rows: Sequence[Compared], digits: int) -> Column:
    bounds = [row.gain.interval for row in rows]
    cells = [" to ".join(signed(bound, digits) for bound in pair or ()) for pair in bounds]
    lows = [pair[0] if pair else None for pair in bounds]
    return Column("gain_interval", "95% interval of the gain", cells, lows, "detail")


def _in_brackets(text: str) -> str:
    return f" ({text})" if text else ""


def _aer_at(row: Compared, step: LinkStep) -> float | None:
    rate = row.cells[f"aer_{step}"]
    return None if rate is None else float(rate)
