"""Verdicts over all claims of a study."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_studies import bleu, made_numbers
from small_project import ROOT

from attnmt.config.claims import CLAIMS, load_claims
from attnmt.config.systems import Systems
from attnmt.files.yaml_file import YamlFile
from attnmt.scoring.seed_statistics import Estimate, Outcome, Runs, difference
from attnmt.scoring.verdicts import adjusted, each_test, holm_level, judge, mean_test, verdicts

CLAIMED = load_claims(ROOT / CLAIMS, YamlFile.read(ROOT / "systems.yaml").into(Systems)).judged
PS = st.lists(st.floats(0.0001, 1), min_size=1, max_size=12)


def outcome(p_for, p_against):
    return Outcome(1.0, 0.0, 2.0, p_for, p_against)


def test_adjusted_values_and_levels_are_holms_by_hand():
    """Holm compares .01 with .05 / 4, then .02 with .05 / 3, and stops there."""
    values = [0.03, 0.01, 0.04, 0.02]
    assert adjusted(values) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm_level([0.03, 0.04, 0.02]) == pytest.approx(0.05 / 4)
    assert holm_level([0.03, 0.01, 0.04]) == pytest.approx(0.05 / 3)
    assert holm_level([]) == 0.05


@given(PS)
def test_an_adjusted_value_decides_as_the_level_of_its_claim(values):
    after = adjusted(values)
    for i, p in enumerate(values):
        level = holm_level(values[:i] + values[i + 1 :])
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
    assert verdicts({"a": outcome(0.5, 0.5)})["a"].detectable is None


def test_the_weakest_difference_decides():
    best, good, bad = ([30.0, 30.2, 29.8], [29.5, 29.8, 29.2], [20.0, 20.4, 19.6])
    runs = [Runs.of_values(values) for values in (best, good, bad)]
    found, close = each_test(runs[:1], runs[1:], "greater"), difference(*runs[:2])
    assert found.value == pytest.approx(0.5)
    assert found.p_for == close.test("greater").p_for
    assert (found.low, found.error) == (close.interval()[0], close.error)
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


def test_a_study_of_equal_systems_rarely_gives_a_verdict():
    """Twenty claims compare eight systems that do not differ. At most one study of twenty may err."""
    chance, wrong = np.random.default_rng(1), 0
    pairs = [(a, b) for a in range(8) for b in range(a)][:20]
    for _ in range(150):
        numbers = made_numbers(chance, (0.0,) * 8, lines=150, heavy=True)
        runs = [Runs.measured(system, bleu) for system in numbers]
        tests = {f"{a} {b}": difference(runs[a], runs[b]).test("greater") for a, b in pairs}
        wrong += any(verdict.word != "undecided" for verdict in verdicts(tests).values())
    assert wrong <= 0.05 * 150


def made(claim, right):
    """Return seeds of which a claim is clearly right, or clearly wrong."""
    up = {"greater": 1, "less": -1, "same": 0}[claim.sign] * (1 if right else -1)
    chance = np.random.default_rng(1)

    def seeds(mean):
        return Runs.of_values(list(mean + 1e-3 * chance.standard_normal(5)))

    if claim.rank_with:
        orders = [3, 1, 4, 2, 6, 5], [4, 6, 2, 1, 3, 5] if right else [3, 1, 4, 2, 6, 5]
        one, two = (dict(zip(claim.systems, map(seeds, means), strict=True)) for means in orders)
        return one, two
    if claim.published:
        return {name: seeds(up * number) for name, number in claim.published.items()}, None
    means = {name: 5.0 * up for name in claim.systems} | dict.fromkeys(claim.over or (), 0.0)
    return {name: seeds(mean) for name, mean in means.items()}, None


@pytest.mark.parametrize("key", CLAIMED)
def test_every_claim_can_be_judged(key):
    claim = CLAIMED[key]
    assert verdicts({key: judge(claim, *made(claim, right=True))})[key].word == "confirmed"
    assert verdicts({key: judge(claim, *made(claim, right=False))})[key].word == "refuted"
