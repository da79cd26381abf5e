"""The rank correlation of architectures: by hand, and where the true order is known."""

import numpy as np
import pytest
from scipy import stats

from attnmt.errors import InputError
from attnmt.scoring.rank_correlation import correlation, rank_test
from attnmt.scoring.seed_statistics import Runs

PUBLISHED = [19.3, 20.5, 19.1, 20.4, 19.6, 20.9]
OTHER = [20.4, 19.3, 20.9, 20.5, 19.1, 19.6]


def trained(means: list[float], sd: float, chance: np.random.Generator) -> list[Runs]:
    """Return five seeds of each system."""
    return [Runs.of_values(list(mean + sd * chance.standard_normal(5))) for mean in means]


def test_it_is_kendalls_tau():
    found = correlation(np.array([PUBLISHED]), np.array([OTHER]))
    assert found == pytest.approx(stats.kendalltau(PUBLISHED, OTHER).statistic)


def test_pairs_that_the_paper_does_not_tell_apart_do_not_count():
    assert correlation(np.array([[1.0, 1.0, 2.0]]), np.array([[5.0, 1.0, 7.0]])) == [1]


def test_only_a_clear_order_of_many_systems_is_confirmed():
    found = rank_test(PUBLISHED, trained(PUBLISHED, 0.02, np.random.default_rng(1)))
    assert (found.value, found.low, found.high) == (1, 1, 1)
    assert 0 < found.p < 0.01  # two of 720 orders are as extreme
    backwards = rank_test(
        PUBLISHED, trained([-n for n in PUBLISHED], 0.02, np.random.default_rng(1))
    )
    assert (backwards.value, backwards.p) == (-1, pytest.approx(found.p, abs=0.002))
    assert backwards.p_against < backwards.p_for
    noisy = rank_test(PUBLISHED, trained(PUBLISHED, 50.0, np.random.default_rng(1)))
    assert noisy.low < 0 < noisy.high
    few = rank_test([1, 2, 3], trained([1, 2, 3], 0.01, np.random.default_rng(1)))
    assert min(noisy.p, few.p) > 0.05  # six orders of three systems are too few to decide


def test_no_correlation_is_confirmed_only_where_scores_are_precise():
    chance = np.random.default_rng(1)
    rates, scores = (
        trained([3, 1, 4, 2, 6, 5], 0.01, chance),
        trained([4, 6, 2, 1, 3, 5], 0.01, chance),
    )
    assert rank_test(rates, scores, "same", 0.5).p < 0.01
    assert rank_test(rates, rates, "same", 0.5).p_against < 0.01
    noisy = trained([3, 1, 4, 2, 6, 5], 9.0, chance)
    assert rank_test(noisy, scores, "same", 0.5).p > 0.05


def test_the_interval_holds_the_true_correlation():
    chance, true = (
        np.random.default_rng(1),
        correlation(np.array([PUBLISHED]), np.array([OTHER]))[0],
    )
    found = [rank_test(PUBLISHED, trained(OTHER, 1.0, chance)) for _ in range(60)]
    assert np.mean([test.low <= true <= test.high for test in found]) >= 0.95
    assert np.mean([test.p <= 0.05 for test in found]) <= 0.05


def test_what_cannot_be_ordered_is_refused():
    systems = trained(PUBLISHED, 1.0, np.random.default_rng(1))
    with pytest.raises(InputError, match="2 systems and 2 other numbers"):
        rank_test(PUBLISHED[:2], systems[:2])
    with pytest.raises(InputError, match="6 systems and 5 other numbers"):
        rank_test(PUBLISHED[:5], systems)
