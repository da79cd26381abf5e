"""What several trainings of a system say about it: differences over seeds and sentences.

A seed belongs to only one system, and every seed of every system translates the same sentences. In the
words of diagnostic radiology, readers (seeds) are nested in tests (systems) and cross the cases
(sentences). Hillis (2014, Statistics in Medicine 33:330-360) says how to analyze such a study. Seed i of
system s has the score theta_si, and s has k_s seeds. The estimate sum_s w_s mean_i(theta_si), with a
weight w_s for each system, has the standard error

    error^2 = sum_s w_s^2 v_s / k_s + max(0, w' C w) / n

where n is the number of sentences. v_s is the variance between the scores of one system's seeds, which
borrows from other systems (:mod:`attnmt.scoring.variances`). It covers both what a training changes in
all sentences and what it changes only in some. C holds what seeds have in common on a sentence: C_st is
the mean covariance of the sentences' influences on two different seeds, one of system s and one of
system t. The influences are those of the jackknife (Efron and Stein 1981).

The degrees of freedom are those of the system that has the fewest, k_s - 1 and what v_s borrows. Without
borrowing, p is never too small if scores are normal, whatever the variances and weights are (Hájek 1962;
for two systems Mickey and Brown 1966). For error^2 is a sum of independent estimates, and the
probability that a true null hypothesis is not rejected is a concave function of it. So, by Jensen's
inequality, this probability is at least as large as if the most variable of the estimates were the only
one. That one is from the fewest seeds, because there are more sentences than seeds.

Borrowed variances are not independent. docs/results.md has a table of simulated studies: how often
verdicts are false, also where scores are not normal and where systems differ. Satterthwaite's degrees of
freedom (1946) jump to those of the sentences where a few seeds happen to have nearly the same score:
with them, 11% of the studies with three seeds had a false verdict.

Seeds are few, so nothing here resamples them. The variance of a bootstrap over k seeds is too small by
the factor (k - 1) / k, and the bootstrap treats it as exact. The stratified shuffles of Clark et al.
(2011) ask another question: whether these trainings differ on sentences like these. Even two trainings
of one system often do.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from attnmt.scoring.significance import Scores
from attnmt.scoring.variances import LENDERS, VariancePrior

Numbers = NDArray[np.float64]
Sign = Literal["greater", "less"]  # what is claimed of a value: that it is above a bound, or below
ROUNDING = 1e-9  # relative to the values; by so much equal scores may differ
# Seeds of a system that lends, borrows or is judged; the level was not simulated with fewer
FEWEST = 3


@dataclass(frozen=True)
class Runs:
    """One system's trainings, measured on the same sentences.

    Attributes:
        values: (k,), the corpus's score of each seed, k >= 2.
        influences: (k, n), how far each sentence moves the score. The variance of a row, divided by n,
            is the score's variance over samples of sentences. n = 0 if the sentences are not a sample.
        prior: what the variances of other systems say about that of this one; None if nothing.
    """

    values: Numbers
    influences: Numbers
    prior: VariancePrior | None = None

    @classmethod
    def measured(cls, numbers: NDArray[Any], scores: Scores) -> Self:
        """Score each seed, and find the influences by leaving out one sentence at a time.

        Args:
            numbers: (k, n, m), numbers of each seed's sentences that add up to the corpus's, n >= 2.
            scores: gives the scores of such sums.
        """
        k, n, m = numbers.shape
        totals = numbers.sum(1)
        values = scores(totals)
        without = scores((totals[:, None] - numbers).reshape(k * n, m)).reshape(k, n)
        return cls(values, (n - 1) * (values[:, None] - without))

    @classmethod
    def of_values(cls, values: Sequence[float]) -> Self:
        """Take scores whose sentences are not known, such as a curve's.

        What follows from them holds only for these sentences.
        """
        return cls(np.array(values, dtype=np.float64), np.zeros((len(values), 0)))

    def of(self, seeds: Sequence[int]) -> Self:
        """Return the runs of some seeds, counted from 0; there must be two or more."""
        prior = self.prior if len(seeds) >= FEWEST else None
        return type(self)(self.values[list(seeds)], self.influences[list(seeds)], prior)

    def minus(self, other: Self) -> Self:
        """Return the difference, seed by seed, from another score of the same or of shared trainings."""
        prior = self.prior and other.prior and self.prior.of_differences(other.prior)
        return type(self)(self.values - other.values, self.influences - other.influences, prior)

    @cached_property
    def mean(self) -> float:
        """The mean over seeds."""
        return float(self.values.mean())

    @cached_property
    def variance(self) -> float:
        """The variance between the scores of seeds; 0 where they differ by rounding alone."""
        if np.ptp(self.values) <= ROUNDING * np.abs(self.values).max():
            return 0.0
        return float(self.values.var(ddof=1))

    @cached_property
    def tested(self) -> tuple[float, float]:
        """v_s, the variance that a test takes, and its degrees of freedom."""
        freedom = len(self.values) - 1
        if self.prior is None:
            return self.variance, freedom
        v, moderated_freedom = self.prior.moderated(np.array(self.variance), freedom)
        return float(v), float(moderated_freedom)

    @cached_property
    def mean_influences(self) -> Numbers:
        """(n,), the mean of each sentence's influence over seeds."""
        return np.asarray(self.influences.mean(0))

    @cached_property
    def covariance(self) -> float:
        """C_ss, the mean covariance of the sentences' influences on two different seeds."""
        # The variance of a mean of k seeds is (own + (k - 1) shared) / k.
        k, own = len(self.values), self.influences.var(1, ddof=1).mean()
        return float((k * self.mean_influences.var(ddof=1) - own) / (k - 1))


class Outcome(NamedTuple):
    """A value with its 95% interval, and one-sided p-values for and against what is claimed of it."""

    value: float
    low: float
    high: float
    p_for: float
    p_against: float

    @property
    def p(self) -> float:
        """The two-sided p-value, since the claim may be confirmed or refuted."""
        return min(1.0, 2 * min(self.p_for, self.p_against))


@dataclass(frozen=True)
class Estimate:
    """A value with its standard error and the degrees of freedom of Student's t."""

    value: float
    error: float
    freedom: float

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the bounds of the interval of a level."""
        half = float(stdtrit(self.freedom, (1 + level) / 2)) * self.error
        return self.value - half, self.value + half

    def test(self, sign: Sign, bound: float = 0.0) -> Outcome:
        """Test whether the value is above (greater) or below (less) a bound in its units."""
        above, below = self._p_above(bound), self._p_below(bound)
        p_for, p_against = (above, below) if sign == "greater" else (below, above)
        return Outcome(self.value, *self.interval(), p_for, p_against)

    def _p_above(self, bound: float) -> float:
        """Return the p-value of the test that the true value is above ``bound``."""
        if self.error == 0:
            return 1.0  # seeds that do not vary are no evidence
        return float(stdtr(self.freedom, (bound - self.value) / self.error))

    def _p_below(self, bound: float) -> float:
        return Estimate(-self.value, self.error, self.freedom)._p_above(-bound)


def common(systems: Sequence[Runs]) -> Numbers:
    """Return C / n, (systems, systems): the sentences' covariance between different seeds, over n."""
    n = systems[0].influences.shape[1]
    if n == 0:
        return np.zeros((len(systems), len(systems)))
    covariance: Numbers = np.atleast_2d(np.cov([runs.mean_influences for runs in systems]))
    np.fill_diagonal(covariance, [runs.covariance for runs in systems])
    return np.asarray(covariance / n)


def squeeze_variances(
    scored: Mapping[str, Runs], groups: Mapping[str, str], ensembles: Collection[str] = ()
) -> dict[str, Runs]:
    """Return the runs of systems with variances that borrow from each other.

    Systems with fewer than ``FEWEST`` seeds neither lend nor borrow. No system borrows if none of its
    group lends.

    Args:
        scored: the seeds of all systems that have the same score, by their names.
        groups: the optimizer of each. The least variance that a test takes is the group's mean.
        ensembles: the names of those that only borrow, because they vary as their members do.
    """
    lenders = [
        name
        for name, one in scored.items()
        if len(one.values) >= FEWEST and one.variance > 0 and name not in ensembles
    ]
    priors = dict[str, VariancePrior]()
    if len(lenders) >= LENDERS:
        v = np.array([scored[name].variance for name in lenders])
        d = np.array([len(scored[name].values) - 1.0 for name in lenders])
        for group in {groups[name] for name in lenders}:
            alike = [at for at, name in enumerate(lenders) if groups[name] == group]
            priors[group] = VariancePrior.of(v, d, alike)
    return {
        name: replace(one, prior=priors.get(groups[name]) if len(one.values) >= FEWEST else None)
        for name, one in scored.items()
    }


def contrast(systems: Sequence[Runs], weights: Sequence[float]) -> Estimate:
    """Estimate a weighted sum of systems' scores; the weights (1, -1) give a difference.

    Args:
        systems: no two of them may share a training. For two scores of the same trainings, use
            :meth:`Runs.minus`.
        weights: one for each system.
    """
    w = np.array(weights, dtype=np.float64)
    seeds = sum(
        a * a * runs.tested[0] / len(runs.values) for a, runs in zip(w, systems, strict=True)
    )
    sentences = max(0.0, float(w @ common(systems) @ w))
    value = float(w @ [runs.mean for runs in systems])
    freedom = min(runs.tested[1] for runs in systems)
    return Estimate(value, float(seeds + sentences) ** 0.5, freedom)


def difference(ours: Runs, other: Runs) -> Estimate:
    """Estimate the mean of one system's seeds less the mean of another's; see ``contrast``."""
    return contrast([ours, other], [1, -1])


def prediction(runs: Runs) -> tuple[float, float]:
    """Return the 95% interval of the score of one new training on as many new sentences.

    It is no test, so it has Satterthwaite's degrees of freedom, which are right on average.
    """
    k, n = runs.influences.shape
    # A new training adds its own variance to that of the mean, and so do new sentences.
    seeds, sentences = runs.variance * (1 + 1 / k), 2 * max(0.0, float(common([runs])[0, 0]))
    total, spread = seeds + sentences, seeds**2 / (k - 1) + sentences**2 / max(1, n - 1)
    return Estimate(runs.mean, total**0.5, total**2 / spread if spread else 1.0).interval()
