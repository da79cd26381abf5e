"""Our numbers beside the published ones: rows with differences, gains, tests and verdicts."""

from statistics import mean

from attnmt.config import Params
from attnmt.metrics.paired import alignment_p, translation_p
from attnmt.metrics.results import AttentionScores
from attnmt.reporting.caption import caption, title
from attnmt.reporting.columns import LEVEL, LINK_STEPS, shown_columns
from attnmt.reporting.groups import fault_groups, scored_rows, subword_pairs
from attnmt.reporting.lines import Compared, Gain, Line, Number, is_replaced, read_line
from attnmt.reporting.paper import DIAGONAL, Row, paper_rows
from attnmt.reporting.provenance import common_conditions, provenance
from attnmt.reporting.tables import (
    FAULTS,
    FIRST,
    METRICS,
    PUBLISHED,
    SCORINGS,
    SUBWORDS,
    Cell,
    Table,
    TableSpec,
)

DIAGONAL_ROW = Row("Table 6", "diagonal, no model", DIAGONAL)
P_DIGITS = 6  # kept and judged; fewer are shown


def make_tables(params: Params) -> list[Table]:
    """Return the tables in which the experiment has a number of its own.

    Raises:
        InputError: if scores or outputs that a table needs are missing, or were not measured alike.
    """
    made = [
        make_table(params, spec, [paper_rows(spec.title)] + [[DIAGONAL_ROW]] * spec.readings)
        for spec in PUBLISHED
    ]
    own = {SCORINGS: scored_rows, SUBWORDS: subword_pairs, FAULTS: fault_groups}
    made += [make_table(params, spec, groups(params)) for spec, groups in own.items()]
    return [table for table in made if table is not None]


def make_table(params: Params, spec: TableSpec, groups: list[list[Row]]) -> Table | None:
    """Return a table, or None if the experiment has no number in it.

    Args:
        params: of the experiment.
        spec: of the table.
        groups: its rows. A gain is one over a row of the same group.
    """
    own = params.models.keys() | params.ensembles.keys()
    if not any(row.model in own for group in groups for row in group):
        return None
    test = params.sets.tests[spec.test]
    filled = [[read_line(params, row, spec, test) for row in group] for group in groups]
    lines = [line for group in filled for line in group]
    main = spec.judged or spec.metrics[0]
    if all(line.numbers[main].value is None for line in lines):
        return None
    common = common_conditions([s for line in lines for s in line.systems], spec, test)
    rows = [
        _compared(params, line, _base(spec, group, at), spec, test)
        for group in filled
        for at, line in enumerate(group)
    ]
    papers_text = spec.published and common.get("set") == lines[0].row.set
    return Table(
        spec.name,
        title(params, spec, rows),
        caption(params, spec, rows, common, papers_text),
        shown_columns(spec, rows, papers_text),
        [row.cells for row in rows],
    )


def _base(spec: TableSpec, group: list[Line], at: int) -> Line | None:
    """Return the line from which the gain of a group's line counts."""
    if spec.gain_over in METRICS:
        return group[at]
    return None if at == 0 else group[0 if spec.gain_over == FIRST else at - 1]


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
        verdict = _verdict(row.set == test, published, now, gain, spec)
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
        if spec.gain_over not in METRICS:
            cells["gain_over"] = gain.over
    if spec.has_aer:
        cells |= _readings(line)
    cells |= provenance(line, spec, test)
    if spec.published:
        cells |= {"paper_set": row.set, "source": row.source}
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
    on_papers_set: bool, published: float | None, now: Number, gain: Gain, spec: TableSpec
) -> str | None:
    """Say whether ours agrees: on the paper's set in the number, elsewhere in the sign of a gain."""
    if on_papers_set and published is not None and now.interval is not None:
        low, high = now.interval
        return "higher" if published < low else "lower" if published > high else "agrees"
    if gain.value is None or gain.p is None or (spec.published and gain.paper is None):
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
