"""What an experiment says about a claim of ``claims.yaml``: whether it can test it, and the outcome."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from statistics import mean

import numpy as np

from attnmt.config import Params
from attnmt.config.claims import Claim, Measure, Variant
from attnmt.scoring.experiment_scores import ExperimentScores
from attnmt.scoring.lengths import slopes, spread_by_length
from attnmt.scoring.metrics import METRICS
from attnmt.scoring.score_table import ScoreKey
from attnmt.scoring.seed_statistics import FEWEST, Outcome, Runs
from attnmt.scoring.verdicts import judge

EARLY = 4  # the shortest curve is cut into 4 equal parts; the early cost is that of the first part
NEAR = 0.05  # the last evaluation in the first part may be at most this share of it before its end
COSTS: tuple[Measure, Measure] = ("early_cost", "final_cost")


def set_of(params: Params, claim: Claim) -> str:
    """Return the set of sentences on which a claim is measured."""
    return params.sets.numbered(claim.test, of_links=claim.measure == "aer")


def is_testable(study: ExperimentScores, claim: Claim, variant: Variant) -> bool:
    """Return whether the experiment can test one variant of a claim.

    It needs ``FEWEST`` seeds or more of every system. A claim that compares in pairs also needs as
    many seeds that share trainings, and in any other no two systems may share one. Error rates need
    attention, and slopes need sentences of several lengths. Ensembles have no perplexity and no cost.
    Costs need an evaluation that all trainings have, and an early one that is near the end of the first
    quarter.
    """
    params, names, measure = study.params, variant.names, claim.measure
    if not all(len(params.runs_of(name)) >= FEWEST for name in names):
        return False
    if claim.compare == "paired":
        pairs = study.pairs(*names)
        if pairs is None or len(pairs[0]) < FEWEST:
            return False
    elif any(study.shared(one, other) for one, other in combinations(names, 2)):
        return False
    if measure == "aer":
        return all(params.attends(name) for name in names)
    if measure in ("perplexity", *COSTS) and not all(name in params.trainings for name in names):
        return False
    test = set_of(params, claim)
    if measure == "length_slope":
        first = next(iter(params.trainings))
        words = study.words(first, test)
        return len({words[group[-1]] for group in study.groups(first, test)}) > 1
    if measure in COSTS:
        return bool(_steps(measure, _common_steps(study.curves(name, test) for name in names)))
    return True


def outcome_of(study: ExperimentScores, claim: Claim, variant: Variant) -> Outcome:
    """Test one variant of a claim, which the experiment must be able to test.

    All systems of the experiment lend to those of the claim (:mod:`attnmt.scoring.variances`).

    Raises:
        InputError: if a file of a system is missing or damaged, or if the systems were measured against
            different references.
    """
    names, key = variant.names, _key(claim.measure, set_of(study.params, claim))
    first, *others = (study.line(key._replace(system=name)) for name in names)
    for other in others:
        study.check_references(first, other)
    if claim.measure in COSTS:
        curves = (study.curves(name, str(key.set)) for name in names)
        steps = _steps(claim.measure, _common_steps(curves))
        lent = study.squeezed(names, key, lambda name: _costs(study, name, str(key.set), steps))
    else:
        lent = study.squeezed(names, key, lambda name: _measured(study, name, claim.measure, key))
    runs = [lent[name] for name in names]
    if claim.compare == "paired" and (pairs := study.pairs(*names)):
        runs = [one.of(seeds) for one, seeds in zip(runs, pairs, strict=True)]
    count = len(variant.systems)
    return judge(claim, runs[:count], runs[count:])


def seeds_of(study: ExperimentScores, claim: Claim, variant: Variant) -> str:
    """Return the number of seeds of each system: "5", or "3 to 5" where they differ."""
    if claim.compare == "paired" and (pairs := study.pairs(*variant.names)):
        return str(len(pairs[0]))
    counts = [len(study.params.runs_of(name)) for name in variant.names]
    return " to ".join(map(str, sorted({min(counts), max(counts)})))


def _key(measure: Measure, test: str) -> ScoreKey:
    """Return what the scores behind a measure are found by, without the system."""
    if measure == "aer":
        return ScoreKey(None, "aer", test)
    if measure in ("perplexity", *COSTS):
        return ScoreKey(None, "ppl", test)
    return ScoreKey(None, "bleu", test, "tokenized", "before" if measure == "bleu" else "after")


def _measured(study: ExperimentScores, name: str, measure: Measure, key: ScoreKey) -> Runs:
    """Return the seeds of a system, scored by a measure."""
    key = key._replace(system=name)
    if measure == "gain_by_replacement":
        return study.runs(key).minus(study.runs(key._replace(replacement="before")))
    lines = [study.line(key._replace(system=run)) for run in study.params.runs_of(name)]
    if measure == "perplexity":
        return Runs.of_values([line.value or 0.0 for line in lines])
    if measure == "length_slope":
        test = str(key.set)
        groups, words = study.groups(name, test), study.words(name, test)
        lengths = np.array([words[group].mean() for group in groups])
        score = slopes(METRICS["tokenized"].scores, lengths)
        return Runs.measured(spread_by_length(study.numbers(lines), groups), score)
    return study.runs(key)


def _costs(study: ExperimentScores, name: str, test: str, steps: Sequence[int]) -> Runs | None:
    """Return the mean cost of each seed at some steps; None if one was not evaluated at all of them."""
    curves = study.curves(name, test)
    if not {*steps} <= {*_common_steps([curves])}:
        return None
    return Runs.of_values([mean(curve[step] for step in steps) for curve in curves])


def _common_steps(curves: Iterable[Sequence[Mapping[int, float]]]) -> list[int]:
    return sorted(set.intersection(*(set(curve) for seeds in curves for curve in seeds)))


def _steps(measure: Measure, common: Sequence[int]) -> Sequence[int]:
    """Return the steps whose costs count: the last, or those in the first quarter.

    These are none if the last of them is not near the quarter's end.
    """
    if measure == "final_cost":
        return common[-1:]
    quarter = common[-1] / EARLY if common else 0
    first = [step for step in common if step <= quarter]
    return first if first and first[-1] >= (1 - NEAR) * quarter else []
