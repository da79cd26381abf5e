"""The tables of scores: the paper's numbers and ours side by side, with tested gains and verdicts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from attnmt.config import Column, Params, TableEntry
from attnmt.reporting.caveats import POORLY_ALIGNED, notes_of, poorly_aligned
from attnmt.reporting.rows import Row, baseline_rows, own_rows, seeds_of, settings_of, table_rows
from attnmt.reporting.table import Cell, Format, P, Table, interval_of, table_of, value_of
from attnmt.scoring.compared import is_shown
from attnmt.scoring.constant_baseline import is_above_constant
from attnmt.scoring.ranking import learning_sign
from attnmt.scoring.score_table import DIGITS, Replacement, ScoreRow, ScoreTable
from attnmt.scoring.verdicts import ALPHA, BELOW_BASELINE


@dataclass(frozen=True)
class Measure:
    """A kind of number: what a heading calls it, and how ``scores.csv`` does."""

    heading: str
    metric: str
    replacement: Replacement | None = None  # None where it depends on the row, or does not apply
    digits: int = 1  # the decimals that a reader sees


OF_TRANSLATIONS = ("bleu", "chrf", "ter")  # the metrics that unknown words change
BLEU, AER = Measure("BLEU", "bleu"), Measure("AER", "aer", digits=2)
MEASURES: dict[Column, Measure] = {
    "ppl": Measure("ppl", "ppl"),
    "bleu": BLEU,
    "bleu_replaced": Measure("BLEU after replacement", "bleu", "after"),
    "chrf": Measure("chrF2", "chrf"),
    "ter": Measure("TER", "ter"),
    "aer": AER,
}
GAIN_HEADINGS = ("difference", "paper gain", "gain", "gain, 95%", "p", "gain over", "verdict")
SYSTEMS = TableEntry(
    title="Systems",
    caption="Every system on every test set, with unknown words replaced where attention can do that.",
    columns=["ppl", "bleu", "chrf", "ter", "aer"],
)


def score_tables(params: Params, numbers: ScoreTable) -> list[Table]:
    """Return the tables of scores in which the experiment has at least one number of its own.

    On one's own text, a table of all its systems stands in the place of the paper's tables.
    """
    scores = [scores_of(params, numbers, name) for name in params.tables if is_shown(params, name)]
    if params.own_text:
        rows = [*own_rows(params), *baseline_rows()]
        sets = list(dict.fromkeys([*params.sets.tests, *params.sets.aligned]))
        scores = [Scores(params, numbers, "table_systems", SYSTEMS, rows, sets), *scores]
    return [table_of_scores(one) for one in scores if one.has_ours()]


def scores_of(params: Params, numbers: ScoreTable, name: str) -> "Scores":
    """Return the numbers of a table of systems.yaml."""
    entry = params.tables[name]
    test = params.sets.numbered(entry.test)
    sets = params.sets.aligned if entry.gain == "aer" else [test]
    return Scores(params, numbers, name, entry, table_rows(params, name), sets)


class Scores:
    """The rows of one table and their numbers.

    Attributes:
        rows: by their keys.
        measures: its columns of numbers.
        sets: those on which each row is scored, the first one by default.
        gain: the measure whose gain the table shows.
        base: the measure from which that gain counts.
    """

    def __init__(
        self,
        params: Params,
        numbers: ScoreTable,
        name: str,
        entry: TableEntry,
        rows: Iterable[Row],
        sets: Sequence[str],
    ) -> None:
        """Keep all that numbers are found by."""
        self.params, self.numbers, self.name, self.entry = params, numbers, name, entry
        self.rows, self.sets = {row.key: row for row in rows}, sets
        self.measures = [MEASURES[column] for column in entry.columns]
        self.in_place = entry.gain == "replacement"
        self.gain = MEASURES["bleu_replaced" if entry.gain == "replacement" else entry.gain]
        self.base = BLEU if self.in_place else self.gain

    def has_ours(self) -> bool:
        """Return whether the experiment has a number of its own in the table's main column."""
        main = self.gain if self.gain in self.measures else self.measures[0]
        rows = [row for row in self.rows.values() if self.params.runs_of(row.system)]
        return any(self.ours(row, main) for row in rows)

    def over(self, row: Row) -> Row | None:
        """Return the row from which the gain of a row counts."""
        return row if self.in_place else self.rows.get(row.over or "")

    def ours(self, row: Row, measure: Measure, test: str | None = None) -> ScoreRow | None:
        """Return our number in a row, by default on the first set.

        The error rate is that of the first set with links if the table has none of these sets.
        """
        aligned, test = self.params.sets.aligned, test or self.sets[0]
        if measure is AER and not {*aligned} & {*self.sets}:
            test = aligned[0]
        script = self.entry.script if measure.metric == "bleu" else None
        replacement = _replacement(row, measure)
        return self.numbers.system(row.system, measure.metric, test, script, replacement)

    def printed(self, row: Row, measure: Measure, kind: str = "system") -> ScoreRow | None:
        """Return what was printed in a row: the number, or with ``kind="gain"`` its gain."""
        replacement = _replacement(row, measure) if measure.metric == "bleu" else None
        return self.numbers.paper(f"{self.name}/{row.key}", measure.metric, replacement, kind)

    def tested(self, row: Row, test: str | None = None) -> ScoreRow | None:
        """Return the gain of a row; None if it has none."""
        over = self.over(row)
        if over is None:
            return None
        ours, other = self.ours(row, self.gain, test), self.ours(over, self.base, test)
        return self.numbers.gain(ours, other)

    def label(self, row: Row) -> str:
        """Return the name of a row, marked if it was still learning."""
        return row.label + learning_sign(self.params, self.numbers, row.system)

    def poor(self, row: Row, gain: ScoreRow | None) -> str:
        """Return the mark of a row that loses by a decided gain and links words badly."""
        if gain is None or gain.p is None or gain.p >= ALPHA or (gain.trainings or 1) < 2:
            return ""
        return POORLY_ALIGNED * (row.system == poorly_aligned(self.params, self.numbers, gain))


def _replacement(row: Row, measure: Measure) -> Replacement | None:
    if measure.metric not in OF_TRANSLATIONS:
        return None
    return measure.replacement or ("after" if row.replaced else "before")


def table_of_scores(scores: Scores) -> Table:
    """Return a table of scores. Its rows stand there once for each of its sets."""
    rows: dict[str, dict[str, Cell]] = {}
    for test, row in product(scores.sets, scores.rows.values()):
        lines = [scores.ours(row, measure, test) for measure in scores.measures]
        if test != scores.sets[0] and not any(lines):
            continue  # what was only published stands there once
        key = row.key if test == scores.sets[0] else f"{row.key}/{test}"
        cells = _cells(scores, row, test, lines)
        label = scores.label(row) + scores.poor(row, scores.tested(row, test))
        # Where rows repeat, the set stands beside their names.
        names = {"system": label} | dict.fromkeys(["set"] if len(scores.sets) > 1 else [])
        rows[key] = names | cells | {"settings": settings_of(scores.params, row.system)}
    labels = [str(cells[name]) for cells in rows.values() for name in ("system", "gain over")]
    formats = _formats(scores.measures)
    signed = ("difference", "paper gain", "gain", "gain, 95%")
    formats |= dict.fromkeys(signed, Format(scores.gain.digits, signed=True))
    entry, notes = scores.entry, notes_of(labels)
    return table_of(scores.name, entry.title, entry.caption, rows, formats, notes)


def _formats(measures: Iterable[Measure]) -> dict[str, Format]:
    formats: dict[str, Format] = {"p": P, "seeds": Format(0), "lines": Format(0)}
    for measure in measures:
        name = measure.heading
        headings = (f"paper {name}", name, f"{name}, 95%")
        formats |= dict.fromkeys(headings, Format(measure.digits))
    return formats


def _cells(
    scores: Scores, row: Row, test: str, lines: Sequence[ScoreRow | None]
) -> dict[str, Cell]:
    """Return the numbers of a row on one set by their headings, the published ones beside ours."""
    cells: dict[str, Cell] = {}
    for measure, line in zip(scores.measures, lines, strict=True):
        printed = scores.printed(row, measure)
        cells[f"paper {measure.heading}"] = value_of(printed) or (printed.note if printed else None)
        cells |= _scored(measure, line)
    seeds = {"seeds": seeds_of(scores.params, row.system)}
    return cells | _gain_cells(scores, row, test) | _measured(lines) | seeds


def _scored(measure: Measure, line: ScoreRow | None) -> dict[str, Cell]:
    return {measure.heading: value_of(line), f"{measure.heading}, 95%": interval_of(line)}


def _measured(lines: Iterable[ScoreRow | None]) -> dict[str, Cell]:
    """Return on what our lines were measured. Links are gold, or silver ones of the outside aligner."""
    known = [line for line in lines if line]
    first = next(iter(known), None)
    rate = next((line for line in known if line.metric == "aer"), None)
    elsewhere = f", {rate.set}" if rate and first and rate.set != first.set else ""
    return {
        "links": f"{rate.links}{elsewhere}" if rate else None,
        "set": first.set if first else None,
        "lines": float(first.lines) if first and first.lines else None,
    }


def _gain_cells(scores: Scores, row: Row, test: str) -> dict[str, Cell]:
    """Return the paper's gain and ours, its test, and what the two say together."""
    published, ours = scores.printed(row, scores.gain), scores.ours(row, scores.gain, test)
    if published is None or ours is None or published.set != ours.set:
        published = None  # measured on another text
    cells: dict[str, Cell] = dict.fromkeys(GAIN_HEADINGS)
    if published and ours and published.value is not None:
        cells["difference"] = round((ours.value or 0.0) - published.value, DIGITS)
    paper, gain, over = None, scores.tested(row, test), scores.over(row)
    if over is not None:
        paper = _paper_gain(scores, row, over)
        cells |= {"paper gain": paper, "gain": value_of(gain), "gain, 95%": interval_of(gain)}
        cells["p"] = gain.p if gain else None
        if over is not row and (gain or paper is not None):
            cells["gain over"] = over.label + scores.poor(over, gain)
    names = (row.system, over.system) if over is not None else (row.system,)
    above = (is_above_constant(scores.params, scores.numbers, name, test) for name in names)
    verdict = _verdict(ours, published, gain, paper)
    return cells | {"verdict": verdict if all(above) or verdict is None else BELOW_BASELINE}


def _paper_gain(scores: Scores, row: Row, over: Row) -> float | None:
    """Return the printed gain, or the difference of the printed numbers where none was printed."""
    if printed := scores.printed(row, scores.gain, "gain"):
        return printed.value
    one, two = scores.printed(row, scores.gain), scores.printed(over, scores.base)
    if one is None or two is None or one.value is None or two.value is None:
        return None
    return round(one.value - two.value, DIGITS)


def _verdict(
    ours: ScoreRow | None, published: ScoreRow | None, gain: ScoreRow | None, paper: float | None
) -> str | None:
    """Say whether the number of several seeds agrees with the paper's; one seed has no verdict.

    On the paper's set the numbers are compared, and on other sets the signs of the gains. A row that was
    not published is higher or lower than the row that it is compared with.
    """
    if ours is None or (ours.trainings or 1) < 2:
        return None
    if published is not None and published.value is not None and ours.low is not None:
        low, high = ours.low, ours.high or ours.low
        return (
            "higher" if published.value < low else "lower" if published.value > high else "agrees"
        )
    if gain is None or gain.p is None or gain.value is None or (gain.trainings or 1) < 2:
        return None
    if gain.value == 0 or gain.p >= ALPHA:
        return "within noise"
    if not paper:  # none, or no difference that has a sign
        return "higher" if gain.value > 0 else "lower"
    return "same order" if (gain.value > 0) == (paper > 0) else "other order"
