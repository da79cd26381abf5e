"""The tables of scores: our numbers beside the published ones, with gains, tests and verdicts."""

from dataclasses import replace
from statistics import mean

from attnmt.config import DIAGONAL, Params
from attnmt.reporting.caption import caption, title
from attnmt.reporting.columns import LEVEL, LINK_STEPS, shown_columns
from attnmt.reporting.groups import deciding_rows, fault_rows, scored_rows, subword_pairs
from attnmt.reporting.lines import Compared, Gain, Line, Number, is_replaced, read_line
from attnmt.reporting.paper import Row, marked, paper_set, table_rows
from attnmt.reporting.provenance import common_conditions, provenance
from attnmt.reporting.tables import (
    ALIGNMENT,
    DECIDES,
    FAULTS,
    METRICS,
    PUBLISHED,
    SCORINGS,
    SUBWORDS,
    Cell,
    Table,
    TableSpec,
    other_alignments,
)
from attnmt.scoring.paired import alignment_p, translation_p
from attnmt.scoring.results import AttentionScores
from attnmt.scoring.seed_runs import Study

DIAGONAL_ROW = Row(DIAGONAL, "diagonal, no model", DIAGONAL)
# Columns of the CSV file that a table has only if a system in it has several seeds
NEED_SEEDS = ("verdict", "gain_low", "gain_high", "trainings")
P_DIGITS = 6  # decimals of p that are kept and judged; a reader sees fewer


def make_tables(study: Study) -> list[Table]:
    """Return the tables in which the study's experiment has at least one number.

    Raises:
        InputError: if scores or outputs that a table needs are missing, or were not measured alike.
    """
    params = study.params
    tables = [
        make_table(study, spec, table_rows(params, spec.name) + [DIAGONAL_ROW] * spec.readings)
        for spec in PUBLISHED
    ]
    tables += [
        make_table(study, spec, [*table_rows(params, ALIGNMENT.name), DIAGONAL_ROW])
        for spec in other_alignments(params.sets.aligned)
    ]
    rows_of = {SCORINGS: scored_rows, SUBWORDS: subword_pairs, FAULTS: fault_rows}
    tables += [
        make_table(study, spec, marked(params, rows(params))) for spec, rows in rows_of.items()
    ]
    tables += [make_table(study, spec, deciding_rows(params, spec.name)) for spec in DECIDES]
    return [table for table in tables if table is not None]


def make_table(study: Study, spec: TableSpec, rows: list[Row]) -> Table | None:
    """Return a table, or None if the experiment has no number in it."""
    params = study.params
    if not any(params.runs_of(row.model) for row in rows):
        return None
    test = params.sets.tests[spec.test]
    lines = [read_line(study, row, spec, test) for row in rows]
    by_key = {line.row.key: line for line in lines}
    main_metric = spec.judged or spec.metrics[0]
    if all(line.numbers[main_metric].value is None for line in lines):
        return None
    systems = [system for line in lines for system in line.systems]
    common = common_conditions(systems, spec, test)
    compared = [
        _compared(
            study, line, line if spec.gain_from else by_key.get(line.row.over or ""), spec, test
        )
        for line in lines
    ]
    left_out = () if any(len(line.systems) > 1 for line in lines) else NEED_SEEDS
    papers_text = spec.published and common.get("set") == paper_set(spec.printed_as or spec.name)
    return Table(
        spec.name,
        title(params, spec, compared),
        caption(params, spec, compared, common, papers_text),
        shown_columns(spec, compared, papers_text),
        [{k: v for k, v in row.cells.items() if k not in left_out} for row in compared],
        [row.line.row.key for row in compared],
    )


def _compared(study: Study, line: Line, base: Line | None, spec: TableSpec, test: str) -> Compared:
    """Return a row with its gain and verdict. Its gain counts from the line ``base``.

    The cells are in the order of the CSV file's columns.
    """
    row = line.row
    cells: dict[str, Cell] = {"system": row.system}
    if spec.questions:
        cells["question"] = row.question
    for metric in spec.metrics:
        cells |= _number_cells(line, metric, spec.published)
    gain, difference, verdict = Gain(), None, None
    if spec.judged:
        ours, published = line.numbers[spec.judged], row.number(spec.judged)
        gain = _gain(study, line, base, spec, test)
        if len(line.systems) > 1:
            verdict = _verdict(row, row.set == test, published, ours, gain)
        if spec.published:
            difference = _minus(ours.value, published, METRICS[spec.judged].digits)
            cells["difference"] = difference
        cells |= {"p": gain.p, "verdict": verdict}
    for metric, number in line.numbers.items():
        cells[f"{metric}_sd"] = number.sd
    if spec.published:
        cells["paper_gain"] = row.gain or None
    if spec.judged:
        cells["gain"] = gain.value
        cells["gain_low"], cells["gain_high"] = gain.interval or (None, None)
        if not spec.gain_from:
            cells["gain_over"] = gain.over
    if spec.has_aer:
        cells |= _readings(line)
    cells["trainings"] = len(line.scores) or None
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


def _gain(study: Study, line: Line, base: Line | None, spec: TableSpec, test: str) -> Gain:
    """Return the gain of a line over its base, tested where both have one seed or both have several."""
    judged, base_metric = spec.judged, spec.base_metric
    if judged is None or base_metric is None or base is None:
        return Gain()
    digits = METRICS[judged].digits
    value = _minus(line.numbers[judged].value, base.numbers[base_metric].value, digits)
    paper = _minus(line.row.number(judged), base.row.number(base_metric), digits)
    if line.row.gain:  # the printed gain is not always the difference of the printed scores
        paper = float(line.row.gain)
    known = value is not None or paper is not None
    gain = Gain(value, paper, over=base.row.system if known and base is not line else None)
    if value is None:
        return gain
    if len(line.systems) == len(base.systems) == 1:
        return replace(gain, p=_sentence_p(study.params, line, base, spec, test))
    ours, other = line.runs.get(judged), base.runs.get(base_metric)
    if ours is None or other is None:
        return gain
    estimate = study.gain(line.row.model or "", ours, base.row.model or "", other)
    if estimate is None:
        return gain
    test_of_gain = estimate.test("greater")
    value, low, high = (
        round(number, digits)
        for number in (test_of_gain.value, test_of_gain.low, test_of_gain.high)
    )
    return replace(gain, value=value, p=round(test_of_gain.p, P_DIGITS), interval=(low, high))


def _sentence_p(params: Params, line: Line, base: Line, spec: TableSpec, test: str) -> float:
    """Return p of the difference between two trainings, which is about the sentences alone."""
    judged, base_metric = spec.judged or "", spec.base_metric or ""
    (ours,), (other,) = line.systems, base.systems
    if judged == "aer":
        aligned = params.sets.aligned[spec.aligned]
        return round(alignment_p(params, aligned, ours.scores, other.scores), P_DIGITS)
    sides = (
        (system.name, is_replaced(metric, row))
        for system, metric, row in ((ours, judged, line.row), (other, base_metric, base.row))
    )
    return round(translation_p(params, spec.script_of(judged), test, *sides), P_DIGITS)


def _minus(number: float | None, other: float | None, digits: int) -> float | None:
    return None if number is None or other is None else round(number - other, digits)


def _verdict(
    row: Row, on_papers_set: bool, published: float | None, ours: Number, gain: Gain
) -> str | None:
    """Say whether the number of several seeds agrees with the paper's.

    On the paper's set the numbers are compared, and on other sets the signs of the gains. A row that was
    not published is higher or lower than the row that it is compared with.
    """
    if on_papers_set and published is not None and ours.interval is not None:
        low, high = ours.interval
        return "higher" if published < low else "lower" if published > high else "agrees"
    if gain.interval is None:  # p is not about the systems
        return None
    if gain.value is None or gain.p is None or (gain.paper is None and row.source):
        return None
    if gain.value == 0 or gain.p >= LEVEL:
        return "within noise"
    if gain.paper is None:
        return "higher" if gain.value > 0 else "lower"
    return "same order" if (gain.value > 0) == (gain.paper > 0) else "other order"


def _readings(line: Line) -> dict[str, float | None]:
    """Return the error rate under each reading of the weights, as a mean over the seeds."""
    scores = [system.links for system in line.systems]
    by_seed = [links.aer_by_link_step for links in scores if isinstance(links, AttentionScores)]
    means = {}
    for step in LINK_STEPS:
        rates = [rate for by_step in by_seed if (rate := by_step.get(step)) is not None]
        means[f"aer_{step}"] = round(mean(rates), METRICS["aer"].digits) if rates else None
    return means
