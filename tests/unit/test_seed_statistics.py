"""Verdicts over seeds and sentences: formulas by hand, and errors where the truth is known."""

import numpy as np
import pytest
from made_studies import bleu, made_numbers
from real_text import read_text, spoil
from scipy import stats

from attnmt.scoring.metric import References
from attnmt.scoring.metrics import METRICS
from attnmt.scoring.seed_statistics import (
    Runs,
    contrast,
    difference,
    prediction,
)

REFERENCES = read_text("made", 60)
SEEDS = [spoil(REFERENCES, seed=seed) for seed in range(3)]
HEAVY = {"heavy": True, "uneven": 0.3}


@pytest.mark.parametrize("script", METRICS)
def test_the_scores_equal_sacrebleus(script):
    metric, whole = METRICS[script], References(REFERENCES)
    runs = Runs.measured(np.array([metric.counts(lines, whole) for lines in SEEDS]), metric.scores)
    expected = [metric.value(metric.counts(lines, whole)) for lines in SEEDS]
    assert runs.values == pytest.approx(expected, abs=1e-4)
    lines, references = SEEDS[1][:7] + SEEDS[1][8:], REFERENCES[:7] + REFERENCES[8:]
    without = metric.value(metric.counts(lines, References(references)))
    assert runs.influences.shape == (3, 60)
    assert runs.influences[1, 7] == pytest.approx(59 * (runs.values[1] - without), abs=0.01)


def test_without_sentences_the_statistic_is_welchs_and_the_fewest_seeds_count():
    ours, other = [30.1, 31.0, 29.5, 30.7], [28.0, 29.9, 27.1]
    found = difference(Runs.of_values(ours), Runs.of_values(other))
    welch = stats.ttest_ind(ours, other, equal_var=False)
    assert found.value / found.error == pytest.approx(welch.statistic)
    assert found.freedom == 2
    assert found.test("greater").p == pytest.approx(2 * stats.t.sf(welch.statistic, 2))
    half = stats.t.ppf(0.975, 2) * found.error
    assert found.interval() == pytest.approx((found.value - half, found.value + half))


def test_variation_that_seeds_share_is_not_divided_by_their_number():
    """A sentence moves both seeds alike, so two seeds say no more about it than one."""
    shared = np.array([1.0, -2.0, 4.0, -3.0])
    runs = Runs(np.array([20.0, 22.0]), np.array([shared, shared]))
    found = contrast([runs], [1])
    assert found.error**2 == pytest.approx(2 / 2 + shared.var(ddof=1) / 4)
    # Between two systems, the shared variation cancels.
    assert difference(runs, runs).error ** 2 == pytest.approx(2 * 2 / 2)
    # What seeds do not share counts once: the variance between them contains it already.
    moves = np.array([[1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0]])
    assert contrast([Runs(runs.values, moves)], [1]).error ** 2 == pytest.approx(2 / 2)


def studies(count, gains, **noise):
    """Yield the systems of as many studies."""
    chance = np.random.default_rng(2015)
    for _ in range(count):
        numbers = made_numbers(chance, gains, **noise)
        yield [Runs.measured(system, bleu) for system in numbers]


@pytest.mark.parametrize("noise", [HEAVY, {"seeds": 4}], ids=["heavy", "two seeds each"])
def test_halves_of_one_system_differ_in_at_most_one_study_of_twenty(noise):
    wrong = 0
    for (system,) in studies(400, (0.0,), **{"seeds": 10} | noise):
        halves = [Runs(system.values[h::2], system.influences[h::2]) for h in (0, 1)]
        wrong += difference(*halves).test("greater").p <= 0.05
    assert wrong <= 20


def test_a_gain_is_found_and_its_interval_holds():
    """Five seeds whose scores deviate by 1.1 BLEU find 3 BLEU in five studies of six."""
    found = [difference(b, a).test("greater") for a, b in studies(200, (0.0, 3.0), **HEAVY)]
    truth = np.mean([test.value for test in found])
    assert truth == pytest.approx(3, abs=0.15)
    assert np.mean([test.p <= 0.05 for test in found]) >= 0.83
    assert np.mean([test.low <= truth <= test.high for test in found]) >= 0.95


def test_a_new_training_falls_into_its_interval_in_95_of_100_studies():
    chance, found = np.random.default_rng(1), []
    for (system,) in studies(400, (0.0,), lines=300):
        low, high = prediction(system)
        found.append(
            low <= bleu(made_numbers(chance, (0.0,), seeds=1, lines=300).sum(2)[0])[0] <= high
        )
    assert np.mean(found) == pytest.approx(0.95, abs=0.025)
