"""Verdicts on claims: tests of several systems at once, and the control over all claims together.

Holm's procedure (1979) keeps the probability of any false verdict at ``ALPHA`` or below, however the
claims depend on each other. It puts the p-values of m claims in ascending order. The i-th decides its
claim if it is at most ALPHA / (m - i + 1), and the first that is larger ends the procedure. Claims about
an order are described and not tested (:mod:`attnmt.scoring.rank_correlation`), so m does not count them.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeVar

from attnmt.config.claims import Claim
from attnmt.scoring.rank_correlation import rank_correlation
from attnmt.scoring.seed_statistics import (
    Described,
    Outcome,
    Runs,
    Sign,
    contrast,
    detectable,
    difference,
)

Key = TypeVar("Key", bound=Hashable)
ALPHA = 0.05
MISSED = 0.2  # the probability that an effect of the smallest detectable size is not found
VerdictWord = Literal["confirmed", "refuted", "undecided", "described"]
ClaimVerdict = VerdictWord | Literal["depends on the recipe", "not tested"]
DEPENDS: Final = "depends on the recipe"
NOT_TESTED: Final = "not tested"


@dataclass(frozen=True)
class Verdict:
    """What a study says about one claim.

    Attributes:
        word: confirmed where the test speaks for the claim, refuted where it speaks against it,
            undecided otherwise. A claim that is not tested is described, and all else is None.
        p: the two-sided p-value of this claim by itself.
        adjusted: p after Holm; at most ALPHA where the claim is decided.
        level: the largest p at which Holm decides the claim, given the p-values of the others.
        detectable: the smallest effect, counted from the claim's bound, that the study would have found
            at this level with a probability of 80% or more. If a claim needs several differences, or
            those of several recipes, all of them must have at least this size. None if nothing varies.
    """

    word: VerdictWord
    p: float | None = None
    adjusted: float | None = None
    level: float | None = None
    detectable: float | None = None


def judge(
    claim: Claim, runs: Mapping[str, Runs], others: Mapping[str, Runs] | None = None
) -> Described:
    """Test a claim, or describe it if it is about an order.

    Args:
        claim: the claim to be judged.
        runs: the seeds of each system, by its name, scored by the claim's measure.
        others: the same seeds, scored by the measure ``rank_with``, if the claim has one.
    """
    systems = [runs[name] for name in claim.systems]
    over = [runs[name] for name in claim.over or ()]
    if claim.compare == "rank":
        expected = others or claim.published or {}
        return rank_correlation([expected[name] for name in claim.systems], systems)
    if claim.compare == "each" and claim.sign != "same":
        return each_test(systems, over, claim.sign)
    if claim.compare == "paired":
        systems, over = [systems[0].minus(over[0])], []
    return mean_test(systems, over, claim.sign, claim.bound)


def mean_test(
    systems: Sequence[Runs], over: Sequence[Runs], sign: Sign, bound: float = 0.0
) -> Outcome:
    """Test the mean of systems less the mean of others, or the mean itself if there are no others."""
    weights = [1 / len(systems)] * len(systems) + [-1 / len(over) for _ in over]
    return contrast([*systems, *over], weights).test(sign, bound)


def each_test(
    systems: Sequence[Runs], over: Sequence[Runs], sign: Literal["greater", "less"]
) -> Outcome:
    """Test whether each of some systems is above (or below) each of others.

    The claim is confirmed only if all differences speak for it, so the weakest one decides (Berger
    1982). It is refuted if a single difference speaks against it, at a level that is divided by the
    number of differences (Bonferroni). The value is the weakest difference.
    """
    found = [difference(ours, other) for ours in systems for other in over]
    tests = [estimate.test(sign) for estimate in found]
    up = 1 if sign == "greater" else -1
    weakest = min(range(len(found)), key=lambda i: up * found[i].value)
    # For greater, the true value is the smallest true difference. The lower bound holds if the lower
    # bound of that difference holds. The upper bound holds for sure only if all upper bounds hold
    # together. For less, it is the other way round.
    joint = [estimate.interval(1 - ALPHA / len(found)) for estimate in found]
    if sign == "greater":
        low, high = min(test.low for test in tests), min(high for _, high in joint)
    else:
        low, high = max(low for low, _ in joint), max(test.high for test in tests)
    return Outcome(
        found[weakest].value,
        low,
        high,
        p_for=max(test.p_for for test in tests),
        p_against=min(1.0, len(tests) * min(test.p_against for test in tests)),
        error=max(estimate.error for estimate in found),
        freedom=min(estimate.freedom for estimate in found),
        differences=len(found),
    )


def adjusted(values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values, in the order given."""
    order = sorted(range(len(values)), key=values.__getitem__)
    result, largest = [1.0] * len(values), 0.0
    for i, claim in enumerate(order):
        largest = max(largest, min(1.0, (len(values) - i) * values[claim]))
        result[claim] = largest
    return result


def holm_levels(values: Sequence[float]) -> list[float]:
    """Return the largest p with which Holm decides each claim, given those of all other claims.

    With a claim left out, each larger p stands one place earlier, so it meets a stricter level.
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    steps = [ALPHA / (len(values) - i) for i in range(len(values))]
    levels, level = [ALPHA] * len(values), ALPHA
    for i in reversed(range(len(values) - 1)):
        if values[order[i + 1]] > steps[i]:
            level = steps[i]
        levels[order[i]] = level
    first = next((i for i, at in enumerate(order) if values[at] > steps[i]), len(values))
    for at in order[first + 1 :]:
        levels[at] = steps[first]
    return levels


def verdicts(
    judged: Mapping[Key, Described], claim_of: Callable[[Key], Hashable] = lambda key: key
) -> dict[Key, Verdict]:
    """Judge all claims of a study together.

    Args:
        judged: what :func:`judge` says of every claim for which the study has numbers.
        claim_of: says to which claim a key belongs; all tests of a claim must decide it.
    """
    tests = {key: one for key, one in judged.items() if isinstance(one, Outcome)}
    values = [test.p for test in tests.values()]
    found = {key: Verdict("described") for key in judged}
    needed = Counter[Hashable]()
    for key, test in tests.items():
        needed[claim_of(key)] += test.differences
    for key, p, level in zip(tests, adjusted(values), holm_levels(values), strict=True):
        test = tests[key]
        power = 1 - MISSED / needed[claim_of(key)]  # Bonferroni: all must be found
        # Scores that do not vary are no evidence, so no effect would be found.
        effect = detectable(test.error, test.freedom, level, power) if test.error else None
        found[key] = Verdict(_word(test, level), test.p, p, level, effect)
    return found


def _word(test: Outcome, level: float) -> VerdictWord:
    if test.p > level:
        return "undecided"
    return "confirmed" if test.p_for < test.p_against else "refuted"


def together(words: Sequence[ClaimVerdict]) -> ClaimVerdict:
    """Return the verdict on a claim from what each recipe says.

    The tests of all recipes stand in one procedure of Holm's, so its level also holds for this verdict.
    A claim that cannot be tested under one recipe is not decided. A claim about an order is described.
    """
    if "described" in words:
        return "described"
    if {"confirmed", "refuted"} <= {*words} and NOT_TESTED not in words:
        return DEPENDS
    return words[0] if len({*words}) == 1 else "undecided"
