"""Verdicts over all claims of an experiment."""

import numpy as np
import pytest
from small_project import ROOT

from attnmt.config.claims import project_claims
from attnmt.scoring.seed_statistics import Outcome, Runs, difference
from attnmt.scoring.verdicts import adjusted, all_agree, each_test, judge, verdicts

CLAIMED = project_claims(ROOT)


def outcome(p_for, p_against, value=1.0):
    return Outcome(value, value - 1, value + 1, p_for, p_against)


def test_adjusted_values_are_holms_by_hand():
    """.01 is multiplied by 4, .02 by 3, .03 by 2, and none becomes less than one before it."""
    assert adjusted([0.03, 0.01, 0.04, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert adjusted([0.01, 0.03, 0.9]) == pytest.approx([0.03, 0.06, 0.9])
    assert adjusted([]) == []


def test_a_claim_is_confirmed_refuted_or_undecided():
    found = verdicts({"a": outcome(0.001, 1), "b": outcome(1, 0.001), "c": outcome(0.02, 1)})
    assert [found[key].word for key in "abc"] == ["confirmed", "refuted", "confirmed"]
    other = verdicts({"c": outcome(0.02, 1), "d": outcome(0.4, 0.6)})
    assert [verdict.word for verdict in other.values()] == ["undecided", "undecided"]
    assert other["c"].adjusted == pytest.approx(0.08)


@pytest.mark.parametrize(
    ("one", "two", "word"),
    [
        ((0.001, 1), (0.002, 1), "confirmed"),
        ((0.001, 1), (0.2, 0.8), "undecided"),
        ((0.001, 1), (1, 0.001), "undecided"),
        ((1, 0.001), (0.998, 0.002), "refuted"),
    ],
)
def test_variants_decide_a_claim_if_all_agree(one, two, word):
    both = all_agree([outcome(*one, value=3.0), outcome(*two, value=2.0)])
    assert (both.low, both.high) == (1.0, 4.0)
    assert verdicts({"a": both})["a"].word == word
    assert both.p == min(1, 2 * min(max(one[0], two[0]), max(one[1], two[1])))
    assert both.value == (3.0 if one[0] > two[0] else 2.0)


def test_the_weakest_difference_decides():
    best, good, bad = ([30.0, 30.2, 29.8], [29.5, 29.8, 29.2], [20.0, 20.4, 19.6])
    runs = [Runs.of_values(values) for values in (best, good, bad)]
    found, close = each_test(runs[:1], runs[1:], "greater"), difference(*runs[:2])
    assert found.value == pytest.approx(0.5)
    assert found.p_for == close.test("greater").p_for
    assert found.low == close.interval()[0]
    assert found.high > close.interval()[1]
    mirrored = [Runs.of_values([-value for value in values]) for values in (best, good, bad)]
    other = each_test(mirrored[:1], mirrored[1:], "less")
    assert (other.low, other.high) == pytest.approx((-found.high, -found.low))
    assert other.p_for == pytest.approx(found.p_for)
    assert each_test(runs[1:2], [runs[0], runs[2]], "greater").p_against == pytest.approx(
        2 * close.test("greater").p_for
    )


@pytest.mark.parametrize("key", CLAIMED)
def test_every_claim_can_be_judged(key):
    claim, chance = CLAIMED[key], np.random.default_rng(1)
    side = claim.sides[0]

    def seeds(names, mean):
        return [Runs.of_values(list(mean + 1e-3 * chance.standard_normal(5))) for _ in names]

    for word, mean in (("confirmed", 5.0), ("refuted", -5.0)):
        up = mean if claim.sign == "greater" else -mean
        found = judge(claim, seeds(side.systems, up), seeds(side.over or (), 0.0))
        assert verdicts({key: found})[key].word == word
