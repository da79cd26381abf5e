"""Our scores, read from their files and averaged over seeds."""

from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from attnmt.config import ALIGNER, DIAGONAL, Params
from attnmt.layout import Layout
from attnmt.metrics.scored import read_aligner, read_system_scores
from attnmt.reporting.paired import aligner_interval, diagonal_score
from attnmt.reporting.paper import Row
from attnmt.reporting.tables import METRICS, TableSpec

Scores = dict[str, Any]  # the content of a scores file, and the file's path under "file"


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
    """A row of a table, the scores of the system of ours that answers to it, and its numbers.

    ``systems`` has the scores of each seed; it is empty where no system of the experiment answers.
    """

    row: Row
    systems: list[Scores]
    numbers: dict[str, Number]


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


def _systems(params: Params, model: str | None, test: str) -> list[Scores]:
    if model == ALIGNER:
        return [_aligner(params)]
    if model == DIAGONAL:
        return [_diagonal(params)]
    return [_read(params, name, test) for name in params.runs_of(model)]


def _read(params: Params, name: str, test: str) -> Scores:
    path = Layout(params.experiment).scores(name)
    return read_system_scores(params, name, test) | {"file": path.as_posix()}


def _aligner(params: Params) -> Scores:
    """Return the outside aligner's error rate in the form of a scores file."""
    path = Layout(params.experiment).lexicon / "aligner.json"
    alignment = read_aligner(params)
    scores = _of_no_model("lexicon", alignment["system"], path)
    known = alignment["aer"] is not None
    low, high = aligner_interval(params, scores) if known else (None, None)
    return scores | {"alignment": alignment | {"low": low, "high": high, "aer_by_link_step": {}}}


def _diagonal(params: Params) -> Scores:
    """Return the diagonal's error rate in the form of a scores file."""
    aligned = params.sets.aligned
    alignment = {"set": aligned, "aer_by_link_step": {}, **diagonal_score(params)}
    path = Layout(params.experiment).tokens / f"{aligned}.links"
    return _of_no_model("tables", "none", path) | {"alignment": alignment}


def _of_no_model(stage: str, name: str, path: Path) -> Scores:
    """Return what a scores file says of links that no model made."""
    unknown = ["average", "seed", "family", "direction", "dataset_digest", "reading"]
    return {"stage": stage, "name": name, "file": path.as_posix(), **dict.fromkeys(unknown)}


def _number(systems: list[Scores], metric: str, row: Row, spec: TableSpec, test: str) -> Number:
    found = [_measured(scores, metric, row, spec, test) for scores in systems]
    measured = [one for one in found if one is not None]
    if not measured:
        return Number()
    digits, columns = METRICS[metric].digits, list(zip(*measured, strict=True))
    sd = round(stdev(columns[0]), digits) if len(measured) > 1 else None
    value, *bounds = (round(mean(column), digits) for column in columns)
    return Number(value, (bounds[0], bounds[1]) if bounds else None, sd)


def _measured(
    scores: Scores, metric: str, row: Row, spec: TableSpec, test: str
) -> tuple[float, ...] | None:
    """Return the value, followed by the bounds of its interval where it has one."""
    if metric == "aer":
        found = scores["alignment"] or {}
        return None if found.get("aer") is None else (found["aer"], found["low"], found["high"])
    if metric == "ppl":
        perplexity = scores["sets"][test]["perplexity"]
        return None if perplexity is None else (perplexity,)
    if metric == "nist_unreplaced" and not row.replaced:
        return None  # the row's own NIST is it already
    when = "after" if is_replaced(metric, row) else "before"
    score = scores["sets"][test][when][spec.script_of(metric)]
    return score["value"], score["low"], score["high"]
