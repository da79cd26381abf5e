"""All numbers of an experiment, gathered from the files of its trainings and scores, with tested gains.

Over several seeds a system's number is their mean, and its interval holds for a new training on a new
sample of sentences. With one seed the interval is from the bootstrap and holds for other sentences.
A gain between systems of several seeds is tested over seeds and sentences, and a gain between two
trainings over sentences (:mod:`attnmt.scoring.seed_statistics`, :mod:`attnmt.scoring.significance`).
No text is read: the stage evaluate kept the counts of every sentence.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from statistics import mean, stdev
from typing import Any

from attnmt.config import Params
from attnmt.layout import Layout
from attnmt.model.luong import ModelConfig, parameter_count
from attnmt.scoring.compared import compared
from attnmt.scoring.comparisons import compared_pairs
from attnmt.scoring.counts import counted
from attnmt.scoring.experiment_scores import ExperimentScores
from attnmt.scoring.metrics import SCORES
from attnmt.scoring.published import published_lines
from attnmt.scoring.score_table import (
    BASELINES,
    DIGITS,
    ScoreRow,
    ScoreTable,
    name_of,
    significant,
)
from attnmt.scoring.seed_statistics import Outcome, Runs, prediction
from attnmt.scoring.significance import Comparison, compare
from attnmt.scoring.verdicts import ALPHA
from attnmt.training.trained import read_config, read_history, read_metrics

# Of the sentences of two single trainings there are so many for each comparison that is judged, divided
# by the level: the smallest p, 1 / (shuffles + 1), is then well below Holm's strictest level.
SHUFFLES = 2
OF_MODEL = ("kind", "system", "model", "seed", "trainings", "family", "direction")


def gather(study: ExperimentScores) -> ScoreTable:
    """Return all numbers of an experiment, each once, the published ones first.

    Raises:
        InputError: if a file is missing or damaged, or two systems that are compared were measured
            against different references.
    """
    params = study.params
    lines = list(published_lines(params))
    for system in params.systems_and_ensembles:
        runs = [_training_lines(study, name) for name in study.params.runs_of(system)]
        if len(runs) == 1:  # its only training is the system
            lines += (line.model_copy(update={"kind": "system"}) for line in runs[0])
        else:
            lines += (line for run in runs for line in run)
            lines += _means(study, runs)
    lines += (line for name in BASELINES for line in study.scores(name).lines)
    numbers, tests = ScoreTable(lines), params.sets.tests
    on_own_text = [compared_pairs(params, numbers, test) for test in tests]
    pairs = dict.fromkeys(chain(compared(params, numbers), *on_own_text))
    least = round(SHUFFLES / ALPHA) * max(map(len, on_own_text), default=0)
    shuffles = max(params.evaluation.bootstrap_samples, least)
    return ScoreTable([*lines, *(gain(study, *pair, shuffles) for pair in pairs)])


def _training_lines(study: ExperimentScores, name: str) -> list[ScoreRow]:
    """Return every number of one model, or of one ensemble."""
    lines = study.scores(name).lines
    if name not in study.params.trainings:
        return lines
    same = {key: getattr(lines[0], key) for key in OF_MODEL}
    return [*lines, *(ScoreRow(**same, **one) for one in _cost_values(study.params, name))]


def _cost_values(params: Params, name: str) -> Iterator[dict[str, Any]]:
    """Yield what a model's curve says of the development set, and what its training cost."""
    folder = Layout(params.experiment).model(name)
    metrics = read_metrics(folder)
    config = read_config(folder)
    words = config.source_words, config.target_words
    size = parameter_count(ModelConfig(config.system, config.shape, *words))
    last = read_history(folder, "epoch", "target_words")[-1]
    learned, cost = {"set": params.sets.dev}, dict[str, str]()
    for where, metric, value in (
        (learned, "ppl", round(metrics.dev_perplexity, DIGITS)),
        (learned, "jumps", metrics.jumps),
        (learned, "late_fall", round(100 * metrics.late_fall, DIGITS)),
        (cost, "parameters", size),
        (cost, "steps", metrics.steps),
        (cost, "epochs", int(last["epoch"])),
        (cost, "target_words", int(last["target_words"])),
    ):
        yield {**where, "metric": metric, "value": value}


def _means(study: ExperimentScores, runs: Sequence[Sequence[ScoreRow]]) -> Iterator[ScoreRow]:
    """Yield the mean of each number over a system's seeds."""
    groups: dict[tuple[Any, ...], list[ScoreRow]] = {}
    for lines in runs:
        met = Counter[tuple[Any, ...]]()
        for line in lines:
            key = counted(line), line.max_words
            nth = met[key]  # two groups of sentences may have equally long references
            groups.setdefault((*key, nth), []).append(line)
            met[key] += 1
    for alike in groups.values():
        yield _mean(study, alike)


def _mean(study: ExperimentScores, lines: Sequence[ScoreRow]) -> ScoreRow:
    """Return the mean of the seeds' numbers, with an interval where its sentences are counted."""
    first = lines[0]
    if len(lines) == 1:  # the other seeds lack it
        return first.model_copy(update={"kind": "system", "model": None})
    changes: dict[str, Any] = {
        "kind": "system",
        "model": None,
        "seed": None,
        "trainings": len(lines),
        "note": first.note if all(line.note == first.note for line in lines) else None,
        "signature": _each(line.signature for line in lines if line.signature) or None,
    }
    values, (low, high) = [line.value for line in lines if line.value is not None], (None, None)
    scores = SCORES.get((first.metric, first.script))
    if scores and first.max_words is None:
        low, high = prediction(Runs.measured(study.numbers(lines), scores))
    numbers = _rounded(value=mean(values), sd=stdev(values), low=low, high=high)
    return first.model_copy(update=changes | numbers)


def _each(texts: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(texts))


def _rounded(**values: float | None) -> dict[str, float | None]:
    return {key: None if v is None else round(v, DIGITS) for key, v in values.items()}


def gain(study: ExperimentScores, ours: ScoreRow, other: ScoreRow, shuffles: int) -> ScoreRow:
    """Return the gain of one system's number over another's, with its test."""
    study.check_references(ours, other)
    one, two = str(ours.system), str(other.system)
    counts = [len(study.params.runs_of(system)) or 1 for system in (one, two)]
    value, note = (ours.value or 0.0) - (other.value or 0.0), None
    tested: Comparison | Outcome | None = None
    estimate = None
    if counts == [1, 1]:
        first, second = (study.array(name_of(line), counted(line)) for line in (ours, other))
        tested = compare(first, second, SCORES[ours.metric, ours.script], shuffles)
    elif min(counts) > 1:
        estimate = study.gain(ours.key, other.key)
        if estimate is not None:
            tested, value = estimate.test("greater"), estimate.value
        pairs = study.pairs(one, two)
        if pairs and counts[0] != counts[1]:
            note = f"over the {len(pairs[0])} seeds that both have"
    low, high = (tested.low, tested.high) if tested else (None, None)
    changes = {
        "kind": "gain",
        "model": None,
        "over": other.system,
        "over_replacement": other.replacement,
        **_rounded(value=value, low=low, high=high, sd=None),
        "p": significant(tested.p) if tested else None,
        "error": significant(estimate.error) if estimate else None,
        "freedom": significant(estimate.freedom) if estimate else None,
        "trainings": min(ours.trainings or 1, other.trainings or 1),
        "note": note,
    }
    return ours.model_copy(update=changes)
