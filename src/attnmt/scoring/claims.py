"""The claims of ``claims.yaml`` judged by an experiment: what is measured for each, and its outcome.

A claim can also be about the systems as another recipe trains them (:func:`claim_under`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

import numpy as np

from attnmt.config import Params
from attnmt.config.claims import Claim, Measure
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.scoring.lengths import slopes, spread_by_length
from attnmt.scoring.metrics import METRICS
from attnmt.scoring.seed_statistics import Described, Runs
from attnmt.scoring.study import Study
from attnmt.scoring.verdicts import (
    NOT_TESTED,
    ClaimVerdict,
    Verdict,
    judge,
    together,
    verdicts,
)
from attnmt.training.trained import read_history

EARLY = 4  # the shortest curve is cut into 4 equal parts; the early cost is that of the first part
FEWEST = 3  # seeds of each system; the level of the tests was not simulated with fewer
NEAR = 0.05  # the last evaluation in the first part may be at most this share of it before its end
AER: tuple[Measure, Measure] = ("aer", "aer_chosen")


@dataclass(frozen=True)
class Judged:
    """What an experiment says about a claim that it can test.

    ``seeds`` has the smallest and the largest number of seeds of its systems, or one number if all have
    the same.
    """

    outcome: Described
    verdict: Verdict
    seeds: list[int]


@dataclass(frozen=True)
class UnderRecipe:
    """A claim about the systems as one recipe trains them.

    ``recipe`` is None for that of the families. ``judged`` is None if the claim cannot be tested.
    """

    recipe: str | None
    claim: Claim
    judged: Judged | None


@dataclass(frozen=True)
class JudgedClaim:
    """A claim under every recipe that trains one of its systems in another way, and the verdict.

    ``alike`` has the recipes that train all of its systems as their family does.
    """

    verdict: ClaimVerdict
    recipes: list[UnderRecipe]
    alike: list[str]


def judged_by_recipes(study: Study, claims: Mapping[str, Claim]) -> dict[str, JudgedClaim]:
    """Judge all claims under all recipes together, and join what the recipes say of a claim.

    A recipe that trains none of a claim's systems says nothing of it. Under one that trains only some of
    them, the claim cannot be tested.

    Raises:
        InputError: if a file of a tested system is missing or damaged.
    """
    params = study.params
    asked: dict[tuple[str, str | None], Claim | None] = {(key, None): claims[key] for key in claims}
    alike: dict[str, list[str]] = {key: [] for key in claims}
    for key, claim in claims.items():
        for recipe in params.recipes:
            trained = [params.system_under(recipe, name) for name in systems_of(claim)]
            if trained == systems_of(claim):
                alike[key].append(recipe)
            elif any(trained):
                asked[key, recipe] = claim_under(params, claim, recipe)
    names = {asking: " under ".join(filter(None, asking)) for asking in asked}
    tested = {names[asking]: claim for asking, claim in asked.items() if claim is not None}
    judged = judged_claims(study, tested)
    found = {}
    for key, claim in claims.items():
        recipes = [
            UnderRecipe(recipe, under or claim, judged.get(names[one, recipe]))
            for (one, recipe), under in asked.items()
            if one == key
        ]
        words: list[ClaimVerdict] = [
            one.judged.verdict.word if one.judged else NOT_TESTED for one in recipes
        ]
        found[key] = JudgedClaim(together(words), recipes, alike[key])
    return found


def judged_claims(study: Study, claims: Mapping[str, Claim]) -> dict[str, Judged]:
    """Judge together all claims whose systems the experiment trains with ``FEWEST`` seeds or more.

    Raises:
        InputError: if a file of a system is missing or damaged.
    """
    outcomes: dict[str, Described] = {}
    seeds: dict[str, list[int]] = {}
    for key, claim in claims.items():
        if is_testable(study, claim):
            runs = _runs(study, claim, claim.measure)
            others = _runs(study, claim, claim.rank_with) if claim.rank_with else None
            counts = [len(one.values) for one in runs.values()]
            outcomes[key], seeds[key] = (
                judge(claim, runs, others),
                sorted({min(counts), max(counts)}),
            )
    words = verdicts(outcomes)
    return {key: Judged(outcomes[key], words[key], seeds[key]) for key in outcomes}


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
    many seeds that share trainings. Error rates need attention, and slopes need sentences of several
    lengths. An early cost needs an evaluation near the end of the first quarter.
    """
    names, test = systems_of(claim), set_of(study.params, claim, "bleu")
    if not all(len(study.seeds(name)) >= FEWEST for name in names):
        return False
    if claim.compare == "paired":
        pairs = study.pairs(*names)
        if pairs is None or len(pairs[0]) < FEWEST:
            return False
    if {*AER} & {claim.measure, claim.rank_with}:
        return all(study.params.attends(name) for name in names)
    if claim.measure == "length_slope":
        return study.has_lengths(test)
    if claim.measure == "early_cost":
        return bool(_early(_common_steps(_curves(study.params, names, test))))
    return True


def set_of(params: Params, claim: Claim, measure: Measure | None = None) -> str:
    """Return the set of sentences on which a claim is measured."""
    if (measure or claim.measure) in AER:
        return params.sets.aligned[0]
    return params.sets.tests[0 if claim.test == "first" else -1]


def _runs(study: Study, claim: Claim, measure: Measure) -> dict[str, Runs]:
    """Return the seeds of each system of a claim, scored by a measure."""
    names, test = systems_of(claim), set_of(study.params, claim, measure)
    if measure in ("early_cost", "final_cost"):
        runs = _costs(study.params, names, test, early=measure == "early_cost")
    else:
        runs = {name: _measured(study, name, measure, test) for name in names}
    if claim.compare == "paired" and (pairs := study.pairs(*names)):
        return {name: runs[name].of(seeds) for name, seeds in zip(names, pairs, strict=True)}
    return runs


def _measured(study: Study, name: str, measure: Measure, test: str) -> Runs:
    if measure in AER:
        return study.runs(name, measure, test)
    if measure == "perplexity":
        return Runs.of_values([_perplexity(study, run, test) for run in study.seeds(name)])
    after = "bleu", test, "tokenized", "after"
    if measure == "length_slope":
        lines = [study.line(run, *after) for run in study.seeds(name)]
        groups, words = study.groups(name, test), study.words(name, test)
        lengths = np.array([words[group].mean() for group in groups])
        spread = spread_by_length(study.numbers(lines), groups)
        return Runs.measured(spread, slopes(METRICS["tokenized"].scores, lengths))
    if measure == "bleu_replaced":
        return study.runs(name, *after)
    before = study.runs(name, "bleu", test, "tokenized", "before")
    return before if measure == "bleu" else study.runs(name, *after).minus(before)


def _perplexity(study: Study, name: str, test: str) -> float:
    if name in study.params.ensembles:
        path = Layout(study.params.experiment).scores(name)
        raise InputError(f"{path}: an ensemble has no perplexity")
    return study.line(name, "ppl", test).value or 0.0


def _costs(params: Params, names: Sequence[str], test: str, early: bool) -> dict[str, Runs]:
    """Return a cost of every seed's curve, taken at the same steps for all seeds of all systems."""
    curves = _curves(params, names, test)
    common = _common_steps(curves)
    steps = _early(common) if early else common[-1:]
    if not steps:
        raise InputError(f"the learning curves of {', '.join(names)} have no step in common")
    return {
        name: Runs.of_values([mean(curve[step] for step in steps) for curve in seeds])
        for name, seeds in curves.items()
    }


def _curves(params: Params, names: Sequence[str], test: str) -> dict[str, list[dict[int, float]]]:
    """Return the costs of every seed of some systems by step."""
    column, layout = f"{test}_cost", Layout(params.experiment)
    return {
        name: [
            {int(row["step"]): row[column] for row in read_history(layout.model(n), column)}
            for n in params.runs_of(name)
        ]
        for name in names
    }


def _common_steps(curves: Mapping[str, Sequence[Mapping[int, float]]]) -> list[int]:
    """Return the steps at which all seeds of all systems were evaluated."""
    return sorted(set.intersection(*(set(curve) for seeds in curves.values() for curve in seeds)))


def _early(common: Sequence[int]) -> list[int]:
    """Return the steps in the first quarter; none if the last of them is not near its end."""
    quarter = common[-1] / EARLY if common else 0
    first = [step for step in common if step <= quarter]
    return first if first and first[-1] >= (1 - NEAR) * quarter else []
