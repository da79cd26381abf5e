"""What an experiment says about a claim of ``claims.yaml``: whether it can test it, and the outcome.

A claim can also be about the systems as another recipe trains them (:func:`claim_under`).
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from statistics import mean

import numpy as np

from attnmt.config import Params
from attnmt.config.claims import Claim, Measure
from attnmt.scoring.lengths import slopes, spread_by_length
from attnmt.scoring.metrics import METRICS
from attnmt.scoring.numbers import Key
from attnmt.scoring.seed_statistics import FEWEST, Described, Runs, lend
from attnmt.scoring.study import Study
from attnmt.scoring.verdicts import judge

EARLY = 4  # the shortest curve is cut into 4 equal parts; the early cost is that of the first part
NEAR = 0.05  # the last evaluation in the first part may be at most this share of it before its end
AER: tuple[Measure, Measure] = ("aer", "aer_chosen")
COSTS: tuple[Measure, Measure] = ("early_cost", "final_cost")


def outcome_of(study: Study, claim: Claim, recipe: str | None = None) -> tuple[Described, str]:
    """Test a claim that the experiment can test, or describe it if it is about an order.

    Args:
        study: its systems lend to those of the claim (:mod:`attnmt.scoring.variances`).
        claim: about the systems as the recipe trains them.
        recipe: None is the family's own.

    Returns:
        The outcome, and the number of seeds of each system: "5", or "3 to 5" where they differ.

    Raises:
        InputError: if a file of a system is missing or damaged.
    """
    runs = _runs(study, claim, claim.measure, recipe)
    others = _runs(study, claim, claim.rank_with, recipe) if claim.rank_with else None
    counts = [len(one.values) for one in runs.values()]
    seeds = sorted({min(counts), max(counts)})
    return judge(claim, runs, others), " to ".join(map(str, seeds))


def claim_under(params: Params, claim: Claim, recipe: str | None) -> Claim | None:
    """Return a claim about the systems as another recipe trains them; None if it lacks one of them."""
    names = {name: params.system_under(recipe, name) for name in systems_of(claim)}
    if None in names.values():
        return None
    published = {str(names[name]): value for name, value in (claim.published or {}).items()}
    return claim.model_copy(
        update={
            "systems": [names[name] for name in claim.systems],
            "over": claim.over and [names[name] for name in claim.over],
            "published": published or None,
        }
    )


def systems_of(claim: Claim) -> list[str]:
    """Return all systems that a claim is about."""
    return [*claim.systems, *(claim.over or ())]


def is_testable(study: Study, claim: Claim) -> bool:
    """Return whether the experiment can test a claim.

    It needs ``FEWEST`` seeds or more of every system. A claim that compares in pairs also needs as
    many seeds that share trainings, and in any other no two systems may share one. Error rates need
    attention, and slopes need sentences of several lengths. Ensembles have no perplexity and no cost.
    Costs need an evaluation that all trainings have, and an early one that is near the end of the first
    quarter.
    """
    params, names, test = study.params, systems_of(claim), set_of(study.params, claim, "bleu")
    measures = {claim.measure, claim.rank_with}
    if not all(len(params.runs_of(name)) >= FEWEST for name in names):
        return False
    if claim.compare == "paired":
        pairs = study.pairs(*names)
        if pairs is None or len(pairs[0]) < FEWEST:
            return False
    elif any(study.shared(one, other) for one, other in combinations(names, 2)):
        return False
    if {*AER} & measures and not all(params.attends(name) for name in names):
        return False
    if {"perplexity", *COSTS} & measures and not all(name in params.models for name in names):
        return False
    if "length_slope" in measures:
        first = next(iter(params.models))
        words = study.words(first, test)
        if len({words[group[-1]] for group in study.groups(first, test)}) < 2:
            return False
    return all(
        _steps(measure, _common_steps(study.curves(name, test) for name in names))
        for measure in COSTS
        if measure in measures
    )


def set_of(params: Params, claim: Claim, measure: Measure | None = None) -> str:
    """Return the set of sentences on which a claim is measured."""
    sets = params.sets.aligned if (measure or claim.measure) in AER else params.sets.tests
    return sets[0 if claim.test == "first" else -1]


def on_other_set(params: Params, claim: Claim) -> Claim | None:
    """Return a claim on the last test set where it is on the first, and the other way round.

    Returns:
        None if a measure of it has one set alone, or if the other is the development set.
    """
    other = claim.model_copy(update={"test": "last" if claim.test == "first" else "first"})
    for measure in {claim.measure, claim.rank_with or claim.measure}:
        if set_of(params, other, measure) in (set_of(params, claim, measure), params.sets.dev):
            return None
    return other


def _runs(study: Study, claim: Claim, measure: Measure, recipe: str | None) -> dict[str, Runs]:
    """Return the seeds of each system of a claim, scored by a measure."""
    names, test = systems_of(claim), set_of(study.params, claim, measure)
    first, *others = (study.line(_key(measure, test)._replace(system=name)) for name in names)
    for other in others:
        study.check_references(first, other)
    lenders = dict.fromkeys([*names, *study.lenders(_key(measure, test))])
    if measure in COSTS:
        curves = {name: study.curves(name, test) for name in lenders if name in study.params.models}
        steps = _steps(measure, _common_steps(curves[name] for name in names))
        scored = {
            name: Runs.of_values([mean(one[step] for step in steps) for one in seeds])
            for name, seeds in curves.items()
            if {*steps} <= {*_common_steps([seeds])}
        }
    else:
        scored = {name: _measured(study, name, measure, test) for name in lenders}
    lent = lend(scored, study.systems_under(recipe), study.params.ensembles)
    runs = {name: lent[name] for name in names}
    if claim.compare == "paired" and (pairs := study.pairs(*names)):
        return {name: runs[name].of(seeds) for name, seeds in zip(names, pairs, strict=True)}
    return runs


def _key(measure: Measure, test: str) -> Key:
    """Return what the scores behind a measure are found by, without the system."""
    if measure in AER:
        return Key(None, measure, test)
    if measure in ("perplexity", *COSTS):
        return Key(None, "ppl", test)
    return Key(None, "bleu", test, "tokenized", "before" if measure == "bleu" else "after")


def _measured(study: Study, name: str, measure: Measure, test: str) -> Runs:
    key = _key(measure, test)._replace(system=name)
    if measure == "gain_by_replacement":
        return study.runs(key).minus(study.runs(key._replace(replacement="before")))
    lines = [study.line(key._replace(system=run)) for run in study.params.runs_of(name)]
    if measure == "perplexity":
        return Runs.of_values([line.value or 0.0 for line in lines])
    if measure == "length_slope":
        groups, words = study.groups(name, test), study.words(name, test)
        lengths = np.array([words[group].mean() for group in groups])
        score = slopes(METRICS["tokenized"].scores, lengths)
        return Runs.measured(spread_by_length(study.numbers(lines), groups), score)
    return study.runs(key)


def _common_steps(curves: Iterable[Sequence[Mapping[int, float]]]) -> list[int]:
    """Return the steps at which all seeds of some systems were evaluated."""
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
