"""Verdicts over all claims of a study."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_project import ROOT

from attnmt.config.claims import project_claims
from attnmt.scoring.seed_statistics import (
    Described,
    Estimate,
    Outcome,
    Runs,
    detectable,
    difference,
)
from attnmt.scoring.verdicts import (
    Verdict,
    adjusted,
    each_test,
    holm_levels,
    judge,
    mean_test,
    verdicts,
)

CLAIMED = project_claims(ROOT).judged
PS = st.lists(st.floats(0.0001, 1), min_size=1, max_size=12)


def outcome(p_for, p_against):
    return Outcome(1.0, 0.0, 2.0, p_for, p_against, error=0.5, freedom=4)


def test_adjusted_values_and_levels_are_holms_by_hand():
    """Holm compares .01 with .05 / 4, then .02 with .05 / 3, and stops there."""
    values = [0.03, 0.01, 0.04, 0.02]
    assert adjusted(values) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm_levels(values) == pytest.approx([0.05 / 3, 0.05 / 4, 0.05 / 3, 0.05 / 3])
    # With the first left out, .03 is compared with .05 / 2, and ends the procedure.
    assert holm_levels([0.01, 0.03]) == [0.025, 0.05]
    assert (holm_levels([0.5]), holm_levels([])) == ([0.05], [])


@given(PS)
def test_an_adjusted_value_decides_as_the_level_of_its_claim(values):
    after = adjusted(values)
    for i, (p, level) in enumerate(zip(values, holm_levels(values), strict=True)):
        others = enumerate(sorted(values[:i] + values[i + 1 :]))
        steps = ((other, 0.05 / (len(values) - j)) for j, other in others)
        assert level == next((step for other, step in steps if other > step), 0.05)
        assert (p <= level) == (after[i] <= 0.05 + 1e-12) or abs(p - level) < 1e-12
        assert after[i] >= p


def test_a_claim_is_confirmed_refuted_or_undecided():
    found = verdicts({"a": outcome(0.001, 1), "b": outcome(1, 0.001), "c": outcome(0.02, 1)})
    assert [found[key].word for key in "abc"] == ["confirmed", "refuted", "confirmed"]
    other = verdicts({"c": outcome(0.02, 1), "d": outcome(0.4, 0.6)})
    assert [verdict.word for verdict in other.values()] == ["undecided", "undecided"]
    assert other["c"].adjusted == pytest.approx(0.08)


def test_the_detectable_effect_is_that_of_the_claims_level():
    alone = Estimate(0.5, 0.5, 8).test("greater")
    few, many = verdicts({"a": alone}), verdicts({str(i): alone for i in range(20)})
    assert few["a"].detectable == pytest.approx(1.6, abs=0.01)  # 3.2 standard errors
    assert few["a"].detectable < many["0"].detectable


def test_a_claim_that_needs_several_recipes_needs_a_larger_effect_by_each():
    """As one that needs several differences does. Scores that do not vary show no effect."""
    alone = Estimate(0.5, 0.5, 8).test("greater")
    tests = {("a", "family"): alone, ("a", "own"): alone, ("b", "family"): alone}
    found = verdicts(tests, lambda at: at[0])
    for at, share in ((("a", "own"), 0.1), (("b", "family"), 0.2)):
        effect = detectable(0.5, 8, found[at].level, 1 - share)
        assert found[at].detectable == pytest.approx(effect)
    assert verdicts({"a": Estimate(0.0, 0.0, 2).test("greater")})["a"].detectable is None


def test_what_is_described_is_no_claim_that_counts():
    tests = {"a": outcome(0.01, 1), "b": outcome(0.02, 1)}
    found = verdicts(tests | {"order": Described(0.2, -0.3, 0.7)})
    assert found["order"] == Verdict("described")
    assert {key: found[key] for key in tests} == verdicts(tests)


def test_the_weakest_difference_decides():
    best, good, bad = ([30.0, 30.2, 29.8], [29.5, 29.8, 29.2], [20.0, 20.4, 19.6])
    runs = [Runs.of_values(values) for values in (best, good, bad)]
    found, close = each_test(runs[:1], runs[1:], "greater"), difference(*runs[:2])
    assert found.value == pytest.approx(0.5)
    assert found.p_for == close.test("greater").p_for
    far = difference(runs[0], runs[2]).test("greater")  # it has the largest error
    errors = [difference(runs[0], other).error for other in runs[1:]]
    assert (found.low, found.error) == (close.interval()[0], max(errors))
    assert verdicts({"all": found})["all"].detectable > verdicts({"one": far})["one"].detectable
    assert found.high > close.interval()[1]
    mirrored = [Runs.of_values([-value for value in values]) for values in (best, good, bad)]
    other = each_test(mirrored[:1], mirrored[1:], "less")
    assert (other.low, other.high) == pytest.approx((-found.high, -found.low))
    assert other.p_for == pytest.approx(found.p_for)
    assert each_test(runs[1:2], [runs[0], runs[2]], "greater").p_against == pytest.approx(
        2 * close.test("greater").p_for
    )


def test_a_claim_may_compare_means_of_several_systems():
    runs = [Runs.of_values(values) for values in ([3.0, 5.0], [5.0, 7.0], [1.0, 2.0])]
    assert mean_test(runs[:2], runs[2:], "greater").value == pytest.approx(3.5)
    assert mean_test(runs[:2], [], "greater", 4.9).p_for > 0.3
    assert mean_test(runs[:1], runs[1:], "greater").value == pytest.approx(4 - 3.75)


def made(claim, right):
    """Return seeds of which a claim is clearly right, or clearly wrong."""
    up = {"greater": 1, "less": -1, "same": 0}[claim.sign] * (1 if right else -1)
    chance = np.random.default_rng(1)

    def seeds(mean):
        return Runs.of_values(list(mean + 1e-3 * chance.standard_normal(5)))

    means = {name: 5.0 * up for name in claim.systems} | dict.fromkeys(claim.over or (), 0.0)
    return {name: seeds(mean) for name, mean in means.items()}


@pytest.mark.parametrize("key", CLAIMED)
def test_every_claim_can_be_judged(key):
    claim, words = CLAIMED[key], ["confirmed", "refuted"]
    if claim.compare == "rank":
        words = ["described", "described"]
    runs = [made(claim, right) for right in (True, False)]
    others = made(claim, True) if claim.rank_with else None
    assert [verdicts({key: judge(claim, one, others)})[key].word for one in runs] == words
