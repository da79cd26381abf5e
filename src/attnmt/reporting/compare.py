"""Our numbers beside the published ones: rows with differences, gains and verdicts."""

from dataclasses import dataclass
from statistics import mean
from typing import Any, get_args

from attnmt.config import LinkStep, Params
from attnmt.reporting.caption import caption, title
from attnmt.reporting.paper import Row, paper_rows
from attnmt.reporting.provenance import common_conditions, provenance
from attnmt.reporting.scores import Line, Number, read_line
from attnmt.reporting.subwords import subword_pairs
from attnmt.reporting.tables import METRICS, PUBLISHED, SUBWORDS, TableSpec

LINK_STEPS = get_args(LinkStep)


@dataclass(frozen=True)
class Table:
    """One table of one profile. A row maps the CSV file's columns to cells; None is an empty one."""

    spec: TableSpec
    title: str
    caption: str
    rows: list[dict[str, Any]]


def make_tables(params: Params) -> list[Table]:
    """Return the tables in which the profile has a number of its own.

    Raises:
        InputError: if scores that a table needs are missing, or were not measured alike.
    """
    made = [make_table(params, spec, [paper_rows(spec.title)]) for spec in PUBLISHED]
    made.append(make_table(params, SUBWORDS, subword_pairs(params)))
    return [table for table in made if table is not None]


def make_table(params: Params, spec: TableSpec, groups: list[list[Row]]) -> Table | None:
    """Return a table, or None if the profile has no number in it.

    Args:
        params: of the profile.
        spec: of the table.
        groups: its rows. A gain is one over the row above of the same group.
    """
    own = params.models.keys() | params.ensembles.keys()
    if not any(row.model in own for group in groups for row in group):
        return None
    test = params.sets.tests[spec.test]
    filled = [[read_line(params, row, spec, test) for row in group] for group in groups]
    lines = [line for group in filled for line in group]
    if all(line.numbers[spec.judged].value is None for line in lines):
        return None
    common = common_conditions([s for line in lines for s in line.systems], spec, test)
    cells = [
        _cells(line, above, spec, test)
        for group in filled
        for above, line in zip([None, *group], group, strict=False)
    ]
    return Table(spec, title(params, spec, common), caption(params, spec, cells, common), cells)


def _cells(line: Line, above: Line | None, spec: TableSpec, test: str) -> dict[str, Any]:
    """Put a row together, in the order of the CSV file's columns."""
    row, now = line.row, line.numbers[spec.judged]
    base = line if spec.gain_over else above
    before = base.numbers[spec.gain_over or spec.judged] if base else Number()
    digits = METRICS[spec.judged].digits
    cells: dict[str, Any] = {"system": row.system}
    for metric in spec.metrics:
        cells |= _number_cells(line, metric, spec.published)
    if spec.published:
        cells["difference"] = _minus(now.value, row.number(spec.judged), digits)
    paper_gain = _paper_gain(row, base.row if base else None, spec)
    cells["verdict"] = _verdict(row, spec, test, now, before, paper_gain)
    for metric, number in line.numbers.items():
        cells[f"{metric}_sd"] = number.sd
    if spec.published:
        cells["paper_gain"] = row.gain or None
    cells["gain"] = _minus(now.value, before.value, digits)
    if spec.has_aer:
        cells |= _readings(line)
    cells |= provenance(line, spec, test)
    if spec.published:
        cells |= {"paper_set": row.set, "source": row.source}
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


def _minus(number: float | None, other: float | None, digits: int) -> float | None:
    return None if number is None or other is None else round(number - other, digits)


def _paper_gain(row: Row, base: Row | None, spec: TableSpec) -> float | None:
    """Return the published gain: as printed, or by subtraction where none is."""
    if row.gain:
        return float(row.gain)
    before = base.number(spec.gain_over or spec.judged) if base else None
    return _minus(row.number(spec.judged), before, METRICS[spec.judged].digits)


def _verdict(
    row: Row,
    spec: TableSpec,
    test: str,
    now: Number,
    before: Number,
    paper_gain: float | None,
) -> str | None:
    """Say whether ours agrees: on the paper's set in BLEU, elsewhere in the sign of a gain.

    A gain is one only where the intervals of the two numbers, if they have any, do not overlap.
    """
    published = row.number(spec.judged)
    if test == row.set and published is not None and now.interval is not None:
        low, high = now.interval
        return "higher" if published < low else "lower" if published > high else "agrees"
    if now.value is None or before.value is None or (spec.published and paper_gain is None):
        return None
    if now.value == before.value or _overlap(now.interval, before.interval):
        return "within noise"
    rises = now.value > before.value
    if paper_gain is None:
        return "higher" if rises else "lower"
    return "same order" if rises == (paper_gain > 0) else "other order"


def _overlap(one: tuple[float, float] | None, other: tuple[float, float] | None) -> bool:
    return one is not None and other is not None and one[0] <= other[1] and other[0] <= one[1]


def _readings(line: Line) -> dict[str, float | None]:
    """Return the error rate under each reading of the weights, the mean over the seeds."""
    found = [(s["alignment"] or {}).get("aer_by_link_step", {}) for s in line.systems]
    values = {step: [f[step] for f in found if f.get(step) is not None] for step in LINK_STEPS}
    digits = METRICS["aer"].digits
    return {f"aer_{k}": round(mean(v), digits) if v else None for k, v in values.items()}
