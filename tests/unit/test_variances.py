"""Variances that borrow from each other: against limma, and on variances whose law is known."""

import numpy as np
import pytest
from scipy import stats

from attnmt.scoring.seed_statistics import Runs, difference, squeeze_variances
from attnmt.scoring.variances import VariancePrior


def prior_of(v, d, alike=None):
    v = np.array(v)
    freedom = np.full(v.shape[-1], float(d)) if np.isscalar(d) else np.array(d)
    return VariancePrior.of(v, freedom, range(len(freedom)) if alike is None else alike)


def test_the_estimates_are_limmas():
    """Three variances with 3 degrees of freedom; limma's numbers, from the tests of InMoose."""
    v = [0.5, 1.3, 7.8]
    prior = prior_of(v, 3)
    assert (prior.freedom, prior.scale) == pytest.approx((2.830777, 1.676927), abs=1e-6)
    assert float(prior.borrowed) == 2.5  # two other systems lend 1.25 each
    below = VariancePrior(prior.scale, prior.freedom, prior.freedom, np.array(0.0))
    found = [below.moderated(np.array(one), 3) for one in v]
    assert [float(one) for one, _ in found] == pytest.approx(
        [1.071385, 1.482994, 4.827317], abs=1e-6
    )
    assert [float(one) for _, one in found] == pytest.approx([5.830777] * 3, abs=1e-6)
    floored = [float(prior.moderated(np.array(one), 3)[0]) for one in v]
    last = (2.5 * 1.676927 + 3 * 7.8) / 5.5
    assert floored == pytest.approx([3.2, 3.2, last])  # the mean is 3.2


def test_d0_and_s0_are_found_again_and_the_moderated_t_has_its_degrees_of_freedom():
    """Smyth's own simulation: d_0 = 4, s_0^2 = 4, d = 4. The moderated t has 8 degrees of freedom."""
    chance = np.random.default_rng(1)
    true = 4 * 4 / chance.chisquare(4, 40_000)
    v = true * chance.chisquare(4, true.shape) / 4
    prior = prior_of(v, 4)
    assert (prior.freedom, prior.scale) == pytest.approx((4, 4), rel=0.05)
    below = VariancePrior(prior.scale, prior.freedom, prior.borrowed, np.array(0.0))
    t = chance.standard_normal(true.shape) * true**0.5 / below.moderated(v, 4)[0] ** 0.5
    assert stats.kstest(t, stats.t(8).cdf).pvalue > 0.01
    assert stats.kstest(t, stats.t(4).cdf).pvalue < 0.01  # what a system's own variance has


def test_systems_that_vary_alike_have_one_variance_and_others_keep_their_own():
    alike = prior_of([1.0, 1.1, 0.9, 1.05], 4)
    assert np.isinf(alike.freedom)
    v, freedom = alike.moderated(np.array(0.9), 4)
    assert freedom == 4 + 3 * 1.25
    assert float(v) == pytest.approx((3.75 * 1.0125 + 4 * 0.9) / 7.75)
    apart = prior_of([1e-4, 1e4, 1e-2, 1e2], 4)
    assert float(apart.borrowed) < 0.25
    assert float(apart.moderated(np.array(1e4), 4)[0]) == pytest.approx(1e4, rel=0.06)


def test_a_system_that_varies_too_much_for_the_law_of_the_others_borrows_less():
    """A larger variance has the probability of F's law, or of chi-square's where all are alike."""
    apart, alike = prior_of([1, 4, 0.3, 2.5, 9], 4), prior_of([1.0, 1.1, 0.9, 1.05, 1.0], 4)
    for prior, law in (
        (apart, stats.f(4, float(apart.freedom))),
        (alike, stats.f(4, 1e9)),
    ):
        for larger, share in ((0.9, 1), (0.05, 1), (0.025, 0.5), (0.01, 0.2)):
            v = np.array(float(prior.scale) * law.isf(larger))
            moderated, freedom = prior.moderated(v, 4)
            borrowed = share * float(prior.borrowed)
            assert float(freedom) == pytest.approx(4 + borrowed, rel=1e-6)
            mean = (borrowed * prior.scale + 4 * v) / (borrowed + 4)
            least = float(prior.floor) if prior is apart else 0.0
            assert float(moderated) == pytest.approx(max(float(mean), least), rel=1e-6)


def test_only_systems_with_three_seeds_that_vary_lend_and_borrow():
    values = {"a": [1, 2, 3], "b": [2, 4, 6], "c": [1, 1, 1], "d": [5, 9]}
    runs = {name: Runs.of_values(one) for name, one in values.items()}
    alike = dict.fromkeys("abcde", "sgd")
    assert {one.prior for one in squeeze_variances(runs, alike).values()} == {
        None
    }  # two do not lend
    runs["e"] = Runs.of_values([3, 1, 9])
    lent = squeeze_variances(runs, alike)
    assert lent["d"].prior is None
    expected = prior_of([1.0, 4.0, stats.tvar([3, 1, 9])], 2)
    assert lent["a"].prior == lent["c"].prior == expected
    v, freedom = lent["c"].tested  # its seeds do not vary, and yet it is not sure
    assert (v, freedom) == tuple(map(float, expected.moderated(np.array(0.0), 2)))
    found = difference(lent["a"], lent["c"])
    assert found.error**2 == pytest.approx((lent["a"].tested[0] + v) / 3)
    assert found.freedom == freedom
    assert lent["a"].variance == 1  # what is shown stays a system's own
