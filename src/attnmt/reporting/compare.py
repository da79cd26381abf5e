"""Our numbers beside the published ones: rows with differences, gains, tests and verdicts."""

from statistics import mean

from attnmt.config import DIAGONAL, Params
from attnmt.reporting.caption import caption, title
from attnmt.reporting.columns import LEVEL, LINK_STEPS, shown_columns
from attnmt.reporting.groups import fault_rows, scored_rows, subword_pairs
from attnmt.reporting.lines import Compared, Gain, Line, Number, is_replaced, read_line
from attnmt.reporting.paper import Row, marked, paper_set, table_rows
from attnmt.reporting.provenance import common_conditions, provenance
from attnmt.reporting.tables import (
    FAULTS,
    METRICS,
    PUBLISHED,
    SCORINGS,
    SUBWORDS,
    Cell,
    Table,
    TableSpec,
)
from attnmt.scoring.paired import alignment_p, translation_p
from attnmt.scoring.results import AttentionScores

DIAGONAL_ROW = Row(DIAGONAL, "diagonal, no model", DIAGONAL)
P_DIGITS = 6  # kept and judged; fewer are shown


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
    compared = [
        _compared(
            params, line, line if spec.gain_from else by_key.get(line.row.over or ""), spec, test
        )
        for line in lines
    ]
    papers_text = spec.published and common.get("set") == paper_set(spec.name)
    return Table(
        spec.name,
        title(params, spec, compared),
        caption(params, spec, compared, common, papers_text),
        shown_columns(spec, compared, papers_text),
        [row.cells for row in compared],
    )


def _compared(
    params: Params, line: Line, base: Line | None, spec: TableSpec, test: str
) -> Compared:
    """Put a row together, its cells in the order of the CSV file's columns."""
    row = line.row
    cells: dict[str, Cell] = {"system": row.system}
    for metric in spec.metrics:
        cells |= _number_cells(line, metric, spec.published)
    gain, difference, verdict = Gain(), None, None
    if spec.judged:
        now, published = line.numbers[spec.judged], row.number(spec.judged)
        gain = _gain(params, line, base, spec, test)
        verdict = _verdict(row, row.set == test, published, now, gain)
        if spec.published:
            difference = _minus(now.value, published, METRICS[spec.judged].digits)
            cells["difference"] = difference
        cells |= {"p": gain.p, "verdict": verdict}
    for metric, number in line.numbers.items():
        cells[f"{metric}_sd"] = number.sd
    if spec.published:
        cells["paper_gain"] = row.gain or None
    if spec.judged:
        cells["gain"] = gain.value
        if not spec.gain_from:
            cells["gain_over"] = gain.over
    if spec.has_aer:
        cells |= _readings(line)
    cells |= provenance(line, spec, test)
    if spec.published:
        cells |= {"paper_set": row.set or None, "source": row.source or None}
    return Compared(line, gain, difference, verdict, cells)


def _number_cells(line: Line, metric: str, published: bool) -> dict[str, Cell]:
    number = line.numbers[metric]
    cells: dict[str, Cell] = {}
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
    known = value is not None or paper is not None
    return Gain(value, paper, p, base.row.system if known and base is not line else None)


def _largest_p(params: Params, line: Line, base: Line, spec: TableSpec, test: str) -> float:
    """Return the largest p of the pairs of seeds, first with first.

    The side with fewer seeds starts again from its first one.
    """
    judged, start = spec.judged or "", spec.base_metric() or ""
    found = []
    for pair in range(max(len(line.systems), len(base.systems))):
        ours, other = (side[pair % len(side)] for side in (line.systems, base.systems))
        if judged == "aer":
            found.append(alignment_p(params, ours.scores, other.scores))
        else:
            sides = (
                (system.name, is_replaced(metric, row))
                for system, metric, row in ((ours, judged, line.row), (other, start, base.row))
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
    links = [system.links for system in line.systems]
    rates = [one.aer_by_link_step for one in links if isinstance(one, AttentionScores)]
    means = {}
    for step in LINK_STEPS:
        values = [rate for by_step in rates if (rate := by_step.get(step)) is not None]
        means[f"aer_{step}"] = round(mean(values), METRICS["aer"].digits) if values else None
    return means
