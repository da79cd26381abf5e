"""Verdicts on claims: tests of several systems at once, and the control over all claims together.

Holm's procedure (1979) keeps the probability of any false verdict at ``ALPHA`` or below, however the
claims depend on each other. It puts the p-values of m claims in ascending order. The i-th decides its
claim if it is at most ALPHA / (m - i + 1), and the first that is larger ends the procedure.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeVar

from attnmt.config.claims import Claim
from attnmt.scoring.seed_statistics import Outcome, Runs, Sign, contrast, difference

Key = TypeVar("Key", bound=Hashable)
ALPHA = 0.05
VerdictWord = Literal["confirmed", "refuted", "undecided"]
ClaimVerdict = VerdictWord | Literal["not tested", "below baseline"]
NOT_TESTED: Final = "not tested"
# A system is not surely better than one sentence for all lines (scoring/constant_baseline.py)
BELOW_BASELINE: Final = "below baseline"


class Verdict(NamedTuple):
    """What an experiment says about one claim.

    Attributes:
        word: confirmed where the test speaks for the claim, refuted where it speaks against it,
            undecided otherwise.
        p: the two-sided p-value of this claim by itself.
        adjusted: p after Holm; at most ALPHA where the claim is decided.
    """

    word: VerdictWord
    p: float
    adjusted: float


def judge(claim: Claim, systems: Sequence[Runs], over: Sequence[Runs]) -> Outcome:
    """Test a claim by the seeds of its two sides, scored by its measure."""
    if claim.compare == "each":
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


def each_test(systems: Sequence[Runs], over: Sequence[Runs], sign: Sign) -> Outcome:
    """Test whether each of some systems is above (or below) each of others.

    The claim is confirmed only if all differences speak for it, so the weakest one decides (Berger
    1982). It is refuted if a single difference speaks against it, at a level that is divided by the
    number of differences (Bonferroni). The value is the weakest difference.
    """
    estimates = [difference(ours, other) for ours in systems for other in over]
    tests = [estimate.test(sign) for estimate in estimates]
    weakest = (min if sign == "greater" else max)(tests, key=lambda test: test.value)
    # For greater, the true value is the smallest true difference. The lower bound holds if the lower
    # bound of that difference holds. The upper bound holds for sure only if all upper bounds hold
    # together. For less, it is the other way round.
    joint = [estimate.interval(1 - ALPHA / len(estimates)) for estimate in estimates]
    if sign == "greater":
        low, high = min(test.low for test in tests), min(high for _, high in joint)
    else:
        low, high = max(low for low, _ in joint), max(test.high for test in tests)
    p_against = min(1.0, len(tests) * min(test.p_against for test in tests))
    return Outcome(weakest.value, low, high, max(test.p_for for test in tests), p_against)


def all_agree(variants: Sequence[Outcome]) -> Outcome:
    """Return the outcome of a claim that all its variants must confirm, or all refute (Berger 1982).

    The value is that of the variant with the larger p. The interval holds those of all.
    """
    low, high = min(test.low for test in variants), max(test.high for test in variants)
    weakest = max(variants, key=lambda test: test.p_for)
    p_against = max(test.p_against for test in variants)
    return weakest._replace(low=low, high=high, p_against=p_against)


def adjusted(values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values, in the order given."""
    order = sorted(range(len(values)), key=values.__getitem__)
    result, largest = [1.0] * len(values), 0.0
    for i, claim in enumerate(order):
        largest = max(largest, min(1.0, (len(values) - i) * values[claim]))
        result[claim] = largest
    return result


def verdicts(outcomes: Mapping[Key, Outcome]) -> dict[Key, Verdict]:
    """Judge all claims of an experiment together."""
    after_holm = adjusted([outcome.p for outcome in outcomes.values()])
    return {
        key: Verdict(_word(outcome, p), outcome.p, p)
        for (key, outcome), p in zip(outcomes.items(), after_holm, strict=True)
    }


def _word(outcome: Outcome, p: float) -> VerdictWord:
    if p > ALPHA:
        return "undecided"
    return "confirmed" if outcome.p_for < outcome.p_against else "refuted"
