"""Our numbers for a row of a table, read from their files and averaged over seeds."""

from dataclasses import dataclass
from statistics import mean, stdev

from attnmt.config import ALIGNER, DIAGONAL, Params
from attnmt.layout import Layout
from attnmt.reporting.paper import Row
from attnmt.reporting.tables import METRICS, Cell, TableSpec
from attnmt.scoring.paired import aligner_interval, diagonal_score
from attnmt.scoring.results import LinkScores, SystemScores, read_aligner, read_system_scores


@dataclass(frozen=True)
class Measured:
    """One thing of ours that was measured: a model, an ensemble, the outside aligner or the diagonal.

    Attributes:
        stage: that measured it.
        name: of the system.
        file: with its numbers.
        scores: of a model or an ensemble; None of links that no model made.
        links: how good its links are; None of a system without attention.
    """

    stage: str
    name: str
    file: str
    scores: SystemScores | None
    links: LinkScores | None


@dataclass(frozen=True)
class Number:
    """A number of ours: the mean over seeds, as are the bounds of its 95% bootstrap interval.

    ``sd`` is the standard deviation between the seeds. What was not measured is None.
    """

    value: float | None = None
    interval: tuple[float, float] | None = None
    sd: float | None = None


@dataclass(frozen=True)
class Line:
    """A row of a table, what of ours answers to it, and our numbers.

    ``systems`` has one for each seed; it is empty where no system of the experiment answers.
    """

    row: Row
    systems: list[Measured]
    numbers: dict[str, Number]

    @property
    def scores(self) -> list[SystemScores]:
        """The scores of each seed; none of links that no model made."""
        return [one.scores for one in self.systems if one.scores is not None]

    @property
    def seeds(self) -> tuple[str, ...]:
        """The seeds of its models."""
        return tuple(str(one.seed) for one in self.scores if one.seed is not None)


@dataclass(frozen=True)
class Gain:
    """A number of ours less another, the published gain beside it, and p of the paired test.

    ``over`` names the row of the other number; None where that is another number of the same row.
    What is not known is None.
    """

    value: float | None = None
    paper: float | None = None
    p: float | None = None
    over: str | None = None


@dataclass(frozen=True)
class Compared:
    """A line beside the published row and the line that its gain is over.

    Attributes:
        line: with our numbers.
        gain: over the other line.
        difference: our judged number less the paper's.
        verdict: on them.
        cells: of the CSV file, by column.
    """

    line: Line
    gain: Gain
    difference: float | None
    verdict: str | None
    cells: dict[str, Cell]


def read_line(params: Params, row: Row, spec: TableSpec, test: str) -> Line:
    """Find our numbers for a row on a test set.

    Raises:
        InputError: if a file is missing or damaged, has no scores of the test set or is of another
            system.
    """
    systems = _systems(params, row.model, test)
    numbers = {metric: _number(systems, metric, row, spec, test) for metric in spec.metrics}
    return Line(row, systems, numbers)


def is_replaced(metric: str, row: Row) -> bool:
    """Return whether unknown words are replaced before a metric of a row is measured."""
    fixed = METRICS[metric].replaced
    return row.replaced if fixed is None else fixed


def _systems(params: Params, model: str | None, test: str) -> list[Measured]:
    if model == ALIGNER:
        return [_aligner(params)]
    if model == DIAGONAL:
        return [_diagonal(params)]
    return [_read(params, name, test) for name in params.runs_of(model)]


def _read(params: Params, name: str, test: str) -> Measured:
    scores, path = read_system_scores(params, name, test), Layout(params.experiment).scores(name)
    return Measured(scores.stage, name, path.as_posix(), scores, scores.alignment)


def _aligner(params: Params) -> Measured:
    """Return the outside aligner, with the interval of its error rate."""
    path, result = Layout(params.experiment).dictionary / "aligner.json", read_aligner(params)
    low, high = (None, None) if result.aer is None else aligner_interval(params)
    links = LinkScores(
        set=result.set,
        lines=result.lines,
        aer=result.aer,
        low=low,
        high=high,
        sure=result.sure,
        possible=result.possible,
    )
    return Measured("dictionary", result.system, path.as_posix(), None, links)


def _diagonal(params: Params) -> Measured:
    path = Layout(params.experiment).tokens / f"{params.sets.aligned}.links"
    return Measured("tables", "none", path.as_posix(), None, diagonal_score(params))


def _number(systems: list[Measured], metric: str, row: Row, spec: TableSpec, test: str) -> Number:
    found = [_values(system, metric, row, spec, test) for system in systems]
    known = [values for values in found if values is not None]
    if not known:
        return Number()
    digits, columns = METRICS[metric].digits, list(zip(*known, strict=True))
    sd = round(stdev(columns[0]), digits) if len(known) > 1 else None
    value, *bounds = (round(mean(column), digits) for column in columns)
    return Number(value, (bounds[0], bounds[1]) if bounds else None, sd)


def _values(
    system: Measured, metric: str, row: Row, spec: TableSpec, test: str
) -> tuple[float, ...] | None:
    """Return the value, followed by the bounds of its interval where it has one."""
    if metric == "aer":
        links = system.links
        if links is None or links.aer is None or links.low is None or links.high is None:
            return None
        return links.aer, links.low, links.high
    if system.scores is None:
        return None
    result = system.scores.sets[test]
    if metric == "ppl":
        return None if result.perplexity is None else (result.perplexity,)
    if metric == "nist_unreplaced" and not row.replaced:
        return None  # the row's own NIST is it already
    scores = result.after if is_replaced(metric, row) else result.before
    score = scores.by(spec.script_of(metric))
    return score.value, score.low, score.high
