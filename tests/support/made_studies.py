"""Studies that never ran: numbers of the sentences of several trainings, as sacrebleu has them for BLEU.

The law that they follow is not the one that the estimates assume. A training shifts how likely its words
are to be right, sentences are hard or easy, some sentences suit a system or a training, and BLEU is
that of the counts of right words.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

POINT = 0.0386  # a shift that changes BLEU by one point, near 28
# Log-odds that an n-gram of each order is right if the n-gram one shorter is.
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
        chance: draws everything.
        gains: of each system, in points of BLEU.
        seeds: of each system.
        sd: between the seeds, in points of BLEU; how sentences fall comes on top of it.
        heavy: whether seeds follow Student's t with 3 degrees of freedom: now and then one fails.
        own: how far a system's chances differ between sentences (standard deviation, log-odds).
        uneven: how far a training's do, likewise.
        lines: sentences.
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
    """Return BLEU without smoothing, (N, 10) -> (N,): sacrebleu's, for many sums at once."""
    precision = np.log(sums[:, 2:6] / sums[:, 6:10]).mean(1)
    return 100 * np.exp(precision + np.minimum(0, 1 - sums[:, 1] / sums[:, 0]))
