"""How much the trainings of a system vary, told also by the trainings of other systems.

The variance v of the scores of k seeds has d = k - 1 degrees of freedom, so three seeds alone say
little. Smyth (2004, Statistical Applications in Genetics and Molecular Biology 3:3) lets variances
borrow from each other. Systems have true variances sigma^2 that differ: d_0 s_0^2 / sigma^2 follows a
chi-square law with d_0 degrees of freedom. Given sigma^2, d v / sigma^2 follows one with d. By Bayes'
theorem, given v, (d_0 s_0^2 + d v) / sigma^2 follows one with d_0 + d. So a test may use the moderated
variance

    (d_0 s_0^2 + d v) / (d_0 + d)

with d_0 + d degrees of freedom: d of its own, and d_0 that it borrows. The logarithm of a chi-square
variable over its d degrees of freedom has the mean psi(d/2) - ln(d/2) and the variance psi'(d/2). Hence

    e = ln v - psi(d/2) + ln(d/2)

has the mean ln s_0^2 - psi(d_0/2) + ln(d_0/2) and the variance psi'(d/2) + psi'(d_0/2). The mean and the
variance of e over systems thus give d_0 and s_0^2. This is also the check that variances may borrow:
where systems differ, e varies more, d_0 is small, and each system keeps its own variance. Where e varies
no more than by chance, d_0 is infinite, and all systems have one variance, s_0^2. Then this is the mean
of all variances, weighted by their degrees of freedom.

All systems with the same score lend, whatever their direction, cell or words. Those whose seeds do not
differ in it lend nothing.

Smyth has thousands of variances and tests with every one of them. We have a few dozen or only three, and
trainings sometimes fail. Hence five differences:

- Two systems do not lend.
- An ensemble borrows and does not lend, because it varies as its members do. At a level of 5%, two equal
  systems came out different in 6.6% of 40,000 studies with three seeds where their ensemble lent to
  them, and in 1.2% where it did not.
- Where n systems lend, a system borrows at most 1.25 (n - 1) degrees of freedom, even if it does not
  lend. A few variances that happen to be alike do not show that all systems have one. The number 1.25 is
  from the simulation.
- A system whose variance is too large for the law of the others borrows less, as in Phipson et al.
  (2016, Annals of Applied Statistics 10:946-963). By this law v / s_0^2 has F's law with d and d_0
  degrees of freedom, so a larger v has a probability p. If p is below 0.05, only p / 0.05 of what may be
  borrowed is. Without this, 24% of 2,000 studies with five seeds had a false verdict
  where one system varied five times as much as all others, and 7% have one with it. Three seeds show too
  seldom that they vary so much: 39% had one without it, and 14% have one with it.
- Where systems differ, none counts as less variable than the mean of those with the same optimizer,
  weighted by their degrees of freedom. The seeds of a system may show no failure although one training
  in ten would fail. The mean is for each optimizer by itself, because the trainings of one may fail
  where those of another do not. This makes tests of the less variable systems weaker. Without it, 16% of
  200 studies with ten seeds had a false verdict where one training in ten of half of the systems scored
  20 deviations below the others.

The differences of paired scores, as of an ensemble and one of its members, have twice the s_0^2 and
twice the least variance, as if the two were independent.

docs/results.md has a table of simulated studies: how often verdicts are false, and what they find.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, fdtrc, polygamma, psi

LENDERS = 3  # two variances do not tell how much variances differ
LENT = 1.25  # degrees of freedom that each other system lends at most
UNLIKELY = 0.05  # the probability of a larger variance below which a system borrows less
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class VariancePrior:
    """What the variances of an experiment's systems say about those of systems with one optimizer.

    All fields are arrays (...), so that many studies can be simulated at once. One study has ().

    Attributes:
        scale: s_0^2, in the squared units of the score.
        freedom: d_0, possibly infinite.
        borrowed: the degrees of freedom that a test may borrow, at most d_0.
        floor: the least variance that a test takes, unless d_0 is infinite.
    """

    scale: Numbers
    freedom: Numbers
    borrowed: Numbers
    floor: Numbers

    @classmethod
    def of(cls, v: Numbers, d: Numbers, alike: Sequence[int]) -> Self:
        """Estimate d_0 and s_0^2.

        Args:
            v: (..., n), the variance of each of n systems that have the same score, n >= ``LENDERS``.
                None of them is 0.
            d: (n,), their degrees of freedom.
            alike: which of them have the same optimizer, one or more.
        """
        e = np.log(v) - psi(d / 2) + np.log(d / 2)
        excess = e.var(-1, ddof=1) - polygamma(1, d / 2).mean()
        differ = excess > 0
        half = trigamma_inverse(np.where(differ, excess, 1.0))
        scale = np.where(differ, np.exp(e.mean(-1) + psi(half) - np.log(half)), _mean(v, d))
        freedom = np.where(differ, 2 * half, np.inf)
        chosen = list(alike)
        return cls(
            scale,
            freedom,
            np.minimum(freedom, LENT * (len(d) - 1)),
            _mean(v[..., chosen], d[chosen]),
        )

    def moderated(self, v: Numbers, d: float) -> tuple[Numbers, Numbers]:
        """Return the variances that tests take of systems, and the degrees of freedom of these tests.

        Args:
            v: (...), the systems' own variances.
            d: the degrees of freedom of their own.
        """
        differ, ratio = np.isfinite(self.freedom), v / self.scale
        finite = np.where(differ, self.freedom, 1.0)
        larger = np.where(differ, fdtrc(d, finite, ratio), chdtrc(d, d * ratio))
        borrowed = self.borrowed * np.minimum(1, larger / UNLIKELY)
        moderated = (borrowed * self.scale + d * v) / (borrowed + d)
        return np.where(differ, np.maximum(moderated, self.floor), moderated), d + borrowed

    def of_differences(self, other: Self) -> Self:
        """Return that of differences from other systems, as if all were independent.

        Two systems that share trainings vary together, so their difference varies less than that.
        """
        return replace(self, scale=self.scale + other.scale, floor=self.floor + other.floor)


def _mean(v: Numbers, d: Numbers) -> Numbers:
    return np.asarray(np.average(v, axis=-1, weights=d))


def trigamma_inverse(x: Numbers) -> Numbers:
    """Return the y > 0 with psi'(y) = x > 0, by Newton's method on 1 / psi' (Smyth's appendix)."""
    y = 0.5 + 1 / x  # 1 / psi' is convex and nearly y - 1/2, so all steps lead down
    while True:
        trigamma = polygamma(1, y)
        step = trigamma * (1 - trigamma / x) / polygamma(2, y)
        y = y + step
        if np.all(-step < 1e-8 * y):
            return np.asarray(y)
