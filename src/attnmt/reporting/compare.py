"""Our numbers beside the published ones: rows with differences, gains, tests and verdicts."""

from dataclasses import dataclass
from statistics import mean
from typing import Any

from attnmt.config import DIAGONAL, Params
from attnmt.reporting.caption import caption, over_above, title
from attnmt.reporting.columns import LEVEL, LINK_STEPS, shown_columns
from attnmt.reporting.groups import fault_rows, scored_rows, subword_pairs
from attnmt.reporting.paired import alignment_p, translation_p
from attnmt.reporting.paper import Row, marked, paper_set, table_rows
from attnmt.reporting.provenance import common_conditions, provenance
from attnmt.reporting.scores import Line, Number, is_replaced, read_line
from attnmt.reporting.tables import (
    FAULTS,
    METRICS,
    PUBLISHED,
    SCORINGS,
    SUBWORDS,
    Table,
    TableSpec,
)

DIAGONAL_ROW = Row(DIAGONAL, "diagonal, no model", DIAGONAL)
P_DIGITS = 6  # kept and judged; fewer are shown


@dataclass(frozen=True)
class Gain:
    """A number of ours less another, the published gain beside it, and p of the paired test.

    What is not known is None.
    """

    value: float | None = None
    paper: float | None = None
    p: float | None = None


def make_tables(params: Params) -> list[Table]:
    """Return the tables in which the experiment has a number of its own.

    Raises:
        InputError: if scores or outputs that a table needs are missing, or were not measured alike.
    """
    made = [
        make_table(params, spec, table_rows(params, spec.name) + [DIAGONAL_ROW] * spec.readings)
        for spec in PUBLISHED
    ]
    own = {SCORINGS: scored_rows, SUBWORDS: subword_pairs, FAULTS: fault_rows}
    made += [make_table(params, spec, marked(params, rows(params))) for spec, rows in own.items()]
    return [table for table in made if table is not None]


def make_table(params: Params, spec: TableSpec, rows: list[Row]) -> Table | None:
    """Return a table, or None if the experiment has no number in it.

    Args:
        params: of the experiment.
        spec: of the table.
        rows: each with the row from which its gain counts.
    """
    if not any(params.runs_of(row.model) for row in rows):
        return None
    test = params.sets.tests[spec.test]
    lines = [read_line(params, row, spec, test) for row in rows]
    by_key = {line.row.key: line for line in lines}
    main = spec.judged or spec.metrics[0]
    if all(line.numbers[main].value is None for line in lines):
        return None
    common = common_conditions([s for line in lines for s in line.systems], spec, test)
    cells = [
        _cells(
            params, line, line if spec.gain_from else by_key.get(line.row.over or ""), spec, test
        )
        for line in lines
    ]
    papers_text = spec.published and common.get("set") == paper_set(spec.name)
    name_baselines = not (spec.gain_from or spec.baseline or over_above(rows, cells))
    return Table(
        spec.name,
        title(params, spec, common),
        caption(params, spec, rows, cells, common, papers_text),
        shown_columns(spec, cells, papers_text, name_baselines),
        cells,
    )


def _cells(
    params: Params, line: Line, base: Line | None, spec: TableSpec, test: str
) -> dict[str, Any]:
    """Put a row together, in the order of the CSV file's columns."""
    row = line.row
    cells: dict[str, Any] = {"system": row.system}
    for metric in spec.metrics:
        cells |= _number_cells(line, metric, spec.published)
    gain = Gain()
    if spec.judged:
        now, published = line.numbers[spec.judged], row.number(spec.judged)
        gain = _gain(params, line, base, spec, test)
        if spec.published:
            cells["difference"] = _minus(now.value, published, METRICS[spec.judged].digits)
        cells |= {"p": gain.p, "verdict": _verdict(row, row.set == test, published, now, gain)}
    for metric, number in line.numbers.items():
        cells[f"{metric}_sd"] = number.sd
    if spec.published:
        cells["paper_gain"] = row.gain or None
    if spec.judged:
        cells["gain"] = gain.value
        if not spec.gain_from:
            cells["over"] = base.row.system if base and gain.value is not None else None
    if spec.has_aer:
        cells |= _readings(line)
    cells |= provenance(line, spec, test)
    if spec.published:
        cells |= {"paper_set": row.set or None, "source": row.source or None}
    return cells


def _number_cells(line: Line, metric: str, published: bool) -> dict[str, Any]:
    number = line.numbers[metric]
    cells: dict[str, Any] = {}
    if published:
        cells[f"paper_{metric}"] = line.row.printed.get(metric)
    cells[metric] = number.value
    if METRICS[metric].interval:
        cells[f"{metric}_low"], cells[f"{metric}_high"] = number.interval or (None, None)
    return cells


def _gain(params: Params, line: Line, base: Line | None, spec: TableSpec, test: str) -> Gain:
    """Return the gain of a line over its base, tested where both have a number."""
    judged, start = spec.judged, spec.base_metric()
    if judged is None or start is None or base is None:
        return Gain()
    digits = METRICS[judged].digits
    value = _minus(line.numbers[judged].value, base.numbers[start].value, digits)
    paper = _minus(line.row.number(judged), base.row.number(start), digits)
    if line.row.gain:  # as printed, which is not always the difference
        paper = float(line.row.gain)
    p = None if value is None else _largest_p(params, line, base, spec, test)
    return Gain(value, paper, p)


def _largest_p(params: Params, line: Line, base: Line, spec: TableSpec, test: str) -> float:
    """Return the largest p of the pairs of seeds, first with first.

    The side with fewer seeds starts again from its first one.
    """
    judged, start = spec.judged or "", spec.base_metric() or ""
    found = []
    for pair in range(max(len(line.systems), len(base.systems))):
        ours, other = (side[pair % len(side)] for side in (line.systems, base.systems))
        if judged == "aer":
            found.append(alignment_p(params, ours, other))
        else:
            sides = (
                (scores["name"], is_replaced(metric, row))
                for scores, metric, row in ((ours, judged, line.row), (other, start, base.row))
            )
            found.append(translation_p(params, spec.script_of(judged), test, *sides))
    return round(max(found), P_DIGITS)


def _minus(number: float | None, other: float | None, digits: int) -> float | None:
    return None if number is None or other is None else round(number - other, digits)


def _verdict(
    row: Row, on_papers_set: bool, published: float | None, now: Number, gain: Gain
) -> str | None:
    """Say whether ours agrees: on the paper's set in the number, elsewhere in the sign of a gain.

    A row that was not published is higher or lower than the row that it is compared with.
    """
    if on_papers_set and published is not None and now.interval is not None:
        low, high = now.interval
        return "higher" if published < low else "lower" if published > high else "agrees"
    own = not row.source
    if gain.value is None or gain.p is None or (gain.paper is None and not own):
        return None
    if gain.value == 0 or gain.p >= LEVEL:
        return "within noise"
    if gain.paper is None:
        return "higher" if gain.value > 0 else "lower"
    return "same order" if (gain.value > 0) == (gain.paper > 0) else "other order"


def _readings(line: Line) -> dict[str, float | None]:
    """Return the error rate under each reading of the weights, the mean over the seeds."""
    found = [(s["alignment"] or {}).get("aer_by_link_step", {}) for s in line.systems]
    values = {step: [f[step] for f in found if f.get(step) is not None] for step in LINK_STEPS}
    digits = METRICS["aer"].digits
    return {f"aer_{k}": round(mean(v), digits) if v else None for k, v in values.items()}
