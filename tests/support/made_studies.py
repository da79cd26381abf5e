"""Made-up studies: for every sentence of several trainings, the counts that sacrebleu's BLEU needs.

The counts do not follow the distribution that the estimates assume. A training shifts how likely its
words are to be right. Sentences are hard or easy, and some suit a system or a training. BLEU is computed
from the counts of right words.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

POINT = 0.0386  # a shift that changes BLEU by one point, near 28
# For each order, the log-odds that an n-gram is right if the n-gram one word shorter is right
ORDERS = (0.3, 0.0, 0.3, 0.4)


def made_numbers(
    chance: np.random.Generator,
    gains: tuple[float, ...],
    seeds: int = 5,
    sd: float = 1.0,
    heavy: bool = False,
    own: float = 0.1,
    uneven: float = 0.0,
    lines: int = 500,
) -> NDArray[Any]:
    """Return (systems, seeds, lines, 10): lengths of translation and reference, matches, totals.

    Args:
        chance: The generator that draws everything.
        gains: The gain of each system, in points of BLEU.
        seeds: The number of seeds of each system.
        sd: The standard deviation between seeds, in points of BLEU. The drawing of sentences adds to it.
        heavy: Whether seeds follow Student's t with 3 degrees of freedom: now and then one fails.
        own: How far a system's chances differ between sentences (standard deviation of log-odds).
        uneven: The same for a training's chances.
        lines: The number of sentences.
    """
    shape = (len(gains), seeds, lines)
    reference = chance.integers(6, 30, lines)
    drawn = chance.standard_t(3, shape[:2]) / 3**0.5 if heavy else chance.standard_normal(shape[:2])
    odds = POINT * (np.array(gains)[:, None] + sd * drawn)[..., None]
    odds = odds + chance.normal(0, 0.6, lines)
    odds = odds + own * chance.standard_normal((len(gains), 1, lines))
    odds = odds + uneven * chance.standard_normal(shape)
    length = np.maximum(reference + chance.integers(-2, 3, shape), 5)
    columns, right = [length, np.broadcast_to(reference, shape)], length
    totals = [length - order for order in range(4)]
    for total, base in zip(totals, ORDERS, strict=True):
        right = chance.binomial(np.minimum(right, total), 1 / (1 + np.exp(-odds - base)))
        columns.append(right)
    return np.stack([*columns, *totals], -1)


def bleu(sums: NDArray[Any]) -> NDArray[np.float64]:
    """Return sacrebleu's BLEU without smoothing for many sums at once, (N, 10) -> (N,)."""
    precision = np.log(sums[:, 2:6] / sums[:, 6:10]).mean(1)
    return 100 * np.exp(precision + np.minimum(0, 1 - sums[:, 1] / sums[:, 0]))
