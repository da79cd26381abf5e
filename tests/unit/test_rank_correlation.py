"""The rank correlation of architectures: by hand, and where the true order is known."""

import numpy as np

from attnmt.scoring.rank_correlation import correlation, rank_correlation
from attnmt.scoring.seed_statistics import Runs

PUBLISHED = [19.3, 20.5, 19.1, 20.4, 19.6, 20.9]
OTHER = [20.4, 19.3, 20.9, 20.5, 19.1, 19.6]


def trained(means: list[float], sd: float, chance: np.random.Generator) -> list[Runs]:
    """Return five seeds of each system."""
    return [Runs.of_values(list(mean + sd * chance.standard_normal(5))) for mean in means]


def test_pairs_that_the_paper_does_not_tell_apart_do_not_count():
    assert correlation(np.array([[1.0, 1.0, 2.0]]), np.array([[5.0, 1.0, 7.0]])) == [1]


def test_seeds_that_vary_make_the_interval_wide():
    sure, backwards, noisy = (
        rank_correlation(PUBLISHED, trained(means, sd, np.random.default_rng(1)))
        for means, sd in ((PUBLISHED, 0.02), ([-n for n in PUBLISHED], 0.02), (PUBLISHED, 50.0))
    )
    assert (sure.value, sure.low, sure.high) == (1, 1, 1)
    assert (backwards.value, backwards.low, backwards.high) == (-1, -1, -1)
    assert noisy.low < 0 < noisy.high


def test_two_scores_of_the_same_trainings_are_compared():
    chance = np.random.default_rng(1)
    rates, scores = (trained(means, 0.01, chance) for means in (PUBLISHED, OTHER))
    assert rank_correlation(rates, rates).value == 1
    found = rank_correlation(rates, scores)
    assert found.value == correlation(np.array([PUBLISHED]), np.array([OTHER]))[0]


def test_the_interval_holds_the_true_correlation():
    chance, true = (
        np.random.default_rng(1),
        correlation(np.array([PUBLISHED]), np.array([OTHER]))[0],
    )
    found = [rank_correlation(PUBLISHED, trained(OTHER, 1.0, chance)) for _ in range(60)]
    assert np.mean([one.low <= true <= one.high for one in found]) >= 0.95
