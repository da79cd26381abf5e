"""Our numbers for a row of a table, read from the files of scores; over several seeds, their means."""

from dataclasses import dataclass, field
from statistics import mean, stdev

from attnmt.config import ALIGNER, DIAGONAL, LINKS, Params
from attnmt.layout import Layout
from attnmt.reporting.paper import Row
from attnmt.reporting.tables import METRICS, Cell, TableSpec
from attnmt.scoring.paired import aligner_score, diagonal_score
from attnmt.scoring.reference_links import link_kind
from attnmt.scoring.results import LinkScores, SystemScores, read_aligner, read_system_scores
from attnmt.scoring.seed_runs import Study
from attnmt.scoring.seed_statistics import Runs, summary


@dataclass(frozen=True)
class Measured:
    """One thing of ours that was measured: a model, an ensemble, the outside aligner or the diagonal.

    Attributes:
        stage: the stage that measured it.
        file: the file with its numbers.
        scores: the scores of a model or an ensemble; None for the aligner and the diagonal.
        links: how good its links are; None for a system without attention.
    """

    stage: str
    name: str
    file: str
    scores: SystemScores | None
    links: LinkScores | None


@dataclass(frozen=True)
class Number:
    """A number of ours and the bounds of its 95% interval.

    The number of several seeds is their mean, and ``sd`` is the standard deviation between them. Their
    interval holds for a new training on a new sample of sentences. The interval of one seed is from the
    bootstrap and holds for the sentences. A field is None if it was not measured.
    """

    value: float | None = None
    interval: tuple[float, float] | None = None
    sd: float | None = None


@dataclass(frozen=True)
class Line:
    """A row of a table, our systems for it, and our numbers.

    ``systems`` has one for each seed. It is empty where the experiment has no system for the row.
    ``runs`` has the scores of several seeds by metric, where sentences are known.
    """

    row: Row
    systems: list[Measured]
    numbers: dict[str, Number]
    runs: dict[str, Runs] = field(default_factory=dict)

    @property
    def scores(self) -> list[SystemScores]:
        """The scores of each seed; the aligner and the diagonal have none."""
        return [system.scores for system in self.systems if system.scores is not None]

    @property
    def seeds(self) -> tuple[str, ...]:
        """The seeds of its models."""
        return tuple(str(scores.seed) for scores in self.scores if scores.seed is not None)


@dataclass(frozen=True)
class Gain:
    """One number of ours less another, the published gain beside it, and p of the test.

    Where both numbers have several seeds, p and ``interval`` are about the systems. Where both have one,
    p is about the sentences, and there is no interval. ``over`` names the row of the other number. It is
    None where both numbers stand in the same row. A number that is not known is None.
    """

    value: float | None = None
    paper: float | None = None
    p: float | None = None
    over: str | None = None
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class Compared:
    """A line compared with the published row and with the line that its gain counts from.

    Attributes:
        difference: our judged number less the paper's.
        cells: the cells of the CSV file, by column.
    """

    line: Line
    gain: Gain
    difference: float | None
    verdict: str | None
    cells: dict[str, Cell]


def read_line(study: Study, row: Row, spec: TableSpec, test: str) -> Line:
    """Read our numbers for a row on a test set.

    Raises:
        InputError: if a file is missing or damaged, has no scores of the test set, or belongs to
            another system.
    """
    systems = read_systems(study.params, row.model, test, spec.aligned)
    values = {metric: _values_of(systems, metric, row, spec, test) for metric in spec.metrics}
    runs = {
        metric: _runs(study, metric, row, spec, test)
        for metric in spec.metrics
        if METRICS[metric].interval and len(values[metric]) > 1
    }
    numbers = {
        metric: _number(by_seed, METRICS[metric].digits, runs.get(metric))
        for metric, by_seed in values.items()
    }
    return Line(row, systems, numbers, runs)


def is_replaced(metric: str, row: Row) -> bool:
    """Return whether unknown words are replaced before a metric of a row is measured."""
    fixed = METRICS[metric].replaced
    return row.replaced if fixed is None else fixed


def read_systems(
    params: Params, model: str | None, test: str, aligned_at: int = 0
) -> list[Measured]:
    """Read what was measured of a row's system, once for each seed.

    ``aligned_at`` is the index of the aligned set among the experiment's.

    Raises:
        InputError: as :func:`read_line` does.
    """
    aligned = params.sets.aligned[aligned_at]
    if model == ALIGNER:
        return [_aligner(params, aligned)]
    if model == DIAGONAL:
        return [_diagonal(params, aligned)]
    return [_read(params, name, test, aligned) for name in params.runs_of(model)]


def _read(params: Params, name: str, test: str, aligned: str) -> Measured:
    scores, path = read_system_scores(params, name, test), Layout(params.experiment).scores(name)
    return Measured(scores.stage, name, path.as_posix(), scores, scores.alignment(aligned))


def _aligner(params: Params, aligned: str) -> Measured:
    """Return the outside aligner, with the interval of its error rate."""
    path, result = Layout(params.experiment).dictionary / "aligner.json", read_aligner(params)
    links = aligner_score(params, aligned)
    return Measured("dictionary", result.system, path.as_posix(), None, links)


def _diagonal(params: Params, aligned: str) -> Measured:
    layout, kind = Layout(params.experiment), link_kind(params, aligned)
    folder = layout.tokens if kind == "gold" else layout.dictionary
    path = folder / f"{aligned}.{LINKS}"
    return Measured("tables", "none", path.as_posix(), None, diagonal_score(params, aligned))


def _number(by_seed: list[tuple[float, ...]], digits: int, runs: Runs | None) -> Number:
    """Return the number of a row.

    Args:
        by_seed: for each seed its number and the bounds of its interval, if it has one.
        runs: the same seeds with what their sentences add; None for a single seed and where the
            sentences are not known.
    """
    if not by_seed:
        return Number()
    values = [seed[0] for seed in by_seed]
    bounds = summary(runs).prediction if runs else by_seed[0][1:] if len(values) == 1 else ()
    sd = round(stdev(values), digits) if len(values) > 1 else None
    low_high = [round(bound, digits) for bound in bounds]
    interval = (low_high[0], low_high[1]) if low_high else None
    return Number(round(mean(values), digits), interval, sd)


def _runs(study: Study, metric: str, row: Row, spec: TableSpec, test: str) -> Runs:
    model = row.model or ""
    if metric == "aer":
        return study.alignments(model, study.params.sets.aligned[spec.aligned])
    return study.translations(model, spec.script_of(metric), test, is_replaced(metric, row))


def _values_of(
    systems: list[Measured], metric: str, row: Row, spec: TableSpec, test: str
) -> list[tuple[float, ...]]:
    """Return what :func:`_values` returns for each seed for which it returns something."""
    by_seed = (_values(system, metric, row, spec, test) for system in systems)
    return [values for values in by_seed if values is not None]


def _values(
    system: Measured, metric: str, row: Row, spec: TableSpec, test: str
) -> tuple[float, ...] | None:
    """Return a system's number, followed by the bounds of its interval where it has one."""
    if metric == "aer":
        links = system.links
        return None if links is None else (links.aer, links.low, links.high)
    if system.scores is None:
        return None
    result = system.scores.sets[test]
    if metric == "ppl":
        return None if result.perplexity is None else (result.perplexity,)
    if metric == "nist_unreplaced" and not row.replaced:
        return None  # the column of NIST has this number already
    scores = result.after if is_replaced(metric, row) else result.before
    score = scores.by(spec.script_of(metric))
    return score.value, score.low, score.high
