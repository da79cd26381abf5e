"""Simulated studies of systems that are all equal, and how their scores may vary."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from attnmt.scoring.seed_statistics import Numbers, Runs

LINES = 50  # sentences of a test set
OWN = 0.3  # how far sentences move the score of one training alone; the unit is that of Shape
# Measures that are known only for the whole test set
WHOLE = ("perplexity", "early_cost", "final_cost")


def normal(chance: np.random.Generator, shape: Sequence[int]) -> Numbers:
    """Return scores with variance 1 that follow the normal law."""
    return chance.standard_normal(shape)


def heavy(chance: np.random.Generator, shape: Sequence[int]) -> Numbers:
    """Return scores with variance 1 that follow Student's t with 3 degrees of freedom."""
    return chance.standard_t(3, shape) / 3**0.5


def skewed(chance: np.random.Generator, shape: Sequence[int]) -> Numbers:
    """Return scores with mean 0 and variance 1 of an exponential law, whose tail is on the bad side."""
    return 1 - chance.exponential(1.0, shape)


def failing(
    chance: np.random.Generator, shape: Sequence[int], loss: float = 10.0, every: int = 1
) -> Numbers:
    """Return scores of trainings of which one in ten fails. The others have the variance 1.

    Args:
        chance: draws all.
        shape: (..., systems, seeds).
        loss: how much less a failed training scores. The mean is 0 nevertheless.
        every: trainings of every system fail (1), or only those of every second one (2).
    """
    scores, failed = chance.standard_normal(shape), chance.random(shape) < 0.1
    scores[..., ::every, :] += loss * (0.1 - failed[..., ::every, :])
    return scores


class Drawn(NamedTuple):
    """Simulated studies, see :class:`Runs`: values (studies, measures, systems, seeds), influences
    (..., seeds, lines). Sentences have no influence where a measure is known for the whole set only.
    """

    values: Numbers
    influences: Numbers

    def runs(self, study: int, measure: int, system: int) -> Runs:
        """Return the runs of one system."""
        return Runs(self.values[study, measure, system], self.influences[study, measure, system])


@dataclass(frozen=True)
class Shape:
    """How scores vary. The unit is the standard deviation between seeds of a quiet system.

    Attributes:
        name: what the page calls it.
        draw: draws the deviations of seeds, (..., systems, seeds).
        ratio: the standard deviation between seeds of systems that vary more.
        one: only one system does, or each with probability 1/2.
        sentences: the standard deviation of a system's score over sets of sentences.
        alike: whether a training deviates by the same in all measures.
    """

    name: str
    draw: Callable[[np.random.Generator, Sequence[int]], Numbers] = normal
    ratio: float = 1.0
    one: bool = False
    sentences: float = 0.0
    alike: bool = False

    def draw_studies(
        self,
        chance: np.random.Generator,
        measures: Sequence[str],
        systems: int,
        seeds: int,
        studies: int,
        odd: int = 0,
    ) -> Drawn:
        """Draw the runs of equal systems; ``odd`` is the one that varies more if only one does."""
        vary = chance.random((studies, 1, systems, 1)) < 0.5
        if self.one:
            vary = np.arange(systems)[:, None] == odd
        scale = np.where(vary, self.ratio, 1.0)
        kinds = 1 if self.alike else len(measures)
        drawn = scale * self.draw(chance, (studies, kinds, systems, seeds))
        shape = studies, len(measures), systems, seeds
        influences = np.zeros((*shape, LINES))
        if self.sentences:
            for at in (i for i, measure in enumerate(measures) if measure not in WHOLE):
                moved = OWN * chance.standard_normal((studies, systems, seeds, LINES))
                for some in ((1, 1), (systems, 1)):
                    moved += self.sentences * chance.standard_normal((studies, *some, LINES))
                influences[:, at] = LINES**0.5 * moved
        return Drawn(np.broadcast_to(drawn, shape) + influences.mean(-1), influences)


NORMAL = Shape("normal law", sentences=0.3)
CLOSE = Shape("two systems as close as those of the study that differ by few BLEU", sentences=0.15)
UNEVEN, FAILING = "half of the systems vary five times as much", "one training in ten fails"
ODD = "normal law, one system varies {} times as much, one set of sentences"
SHAPES = (
    NORMAL,
    Shape("normal law, one set of sentences"),
    Shape("normal law, sentences matter twice as much as seeds", sentences=2.0),
    Shape("normal law, a training deviates alike in all measures", sentences=0.3, alike=True),
    Shape(f"normal law, {UNEVEN}, one set of sentences", ratio=5.0),
    Shape(f"normal law, {UNEVEN}", ratio=5.0, sentences=1.0),
    Shape(ODD.format("three"), ratio=3.0, one=True),
    Shape(ODD.format("five"), ratio=5.0, one=True),
    Shape("heavy tails (Student's t with 3 degrees of freedom)", heavy, sentences=0.3),
    Shape(f"heavy tails, {UNEVEN}", heavy, ratio=5.0, sentences=0.3),
    Shape("skewed (exponential law)", skewed, sentences=0.3),
    Shape(f"{FAILING}, 10 sd below", failing, sentences=0.3),
    Shape(
        f"{FAILING}, 10 sd below, in half of the systems", partial(failing, every=2), sentences=0.3
    ),
    Shape(f"{FAILING}, 20 sd below", partial(failing, loss=20.0), sentences=0.3),
    Shape(
        f"{FAILING}, 20 sd below, in half of the systems",
        partial(failing, loss=20.0, every=2),
        sentences=0.3,
    ),
)
