"""A way to score translations: counts of each sentence, and the score that follows from their sums.

:mod:`attnmt.scoring.metrics` has the metrics. The counts are sacrebleu's sufficient statistics. In the
shapes, n is the number of sentences, and m that of the counts of a sentence.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.base import Metric as SacrebleuMetric

from attnmt.errors import InputError
from attnmt.scoring.significance import SEED, Counts, interval

Lines = Sequence[str]
# Tokens as they stand, joined by spaces; detokenized text; or the text as it was written, which only
# references have: translations are then detokenized.
Form = Literal["tokens", "detokenized", "written"]


class References(NamedTuple):
    """What translations are scored against, one a line, in the form that a metric takes.

    ``characters`` says whether the language is written without spaces.
    """

    lines: Lines
    characters: bool = False


class Score(NamedTuple):
    """The score of a corpus, with the bounds of its bootstrap 95% interval.

    A bound is the mean of the resampled scores minus or plus half the distance between their 2.5% and
    97.5% quantiles, so it may lie beyond the highest or the lowest score. ``note`` says what else must
    be known.
    """

    value: float
    low: float
    high: float
    note: str | None = None
    signature: str | None = None


class Metric(ABC):
    """A metric of sacrebleu's with the settings of one script.

    Attributes:
        metric: what ``scores.csv`` calls it, and
        script: which way of computing it this is, if there are several.
        form: of the text that is compared.
    """

    metric: str
    script: str | None = None
    form: Form = "written"

    @abstractmethod
    def of_sacrebleu(self, characters: bool = False) -> SacrebleuMetric:
        """Return a new metric of sacrebleu's; each corpus needs its own, which knows its references."""

    @property
    def key(self) -> tuple[str, str | None]:
        """The metric and the script of a line of ``scores.csv``."""
        return self.metric, self.script

    def counts(self, translations: Lines, references: References) -> Counts:
        """Return (n, m), counts of each sentence, which add up to the corpus's."""
        return self._counted(translations, references)[1]

    def scores(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        """Return the scores of sums of counts in percent, (N, m) -> (N,), one by one by sacrebleu."""
        metric = self.of_sacrebleu()
        return np.array([metric._compute_score_from_stats(row).score for row in sums])

    def value(self, counts: Counts) -> float:
        """Return the value of :meth:`score` of sentences with these counts, without its interval."""
        return round(float(self.of_sacrebleu()._compute_score_from_stats(counts.sum(0)).score), 4)

    def score(
        self, translations: Lines, references: References, samples: int
    ) -> tuple[Score, Counts]:
        """Return the score of a corpus in percent, and what :meth:`counts` returns."""
        metric, counts = self._counted(translations, references)
        result = metric._compute_score_from_stats(counts.sum(0))
        low, high = (round(bound, 4) for bound in interval(counts, self.scores, samples))
        metric.n_bootstrap, metric.seed = samples, str(SEED)
        signature = f"{result.name}|{metric.get_signature()}"
        return Score(round(result.score, 4), low, high, signature=signature), counts

    def _counted(
        self, translations: Lines, references: References
    ) -> tuple[SacrebleuMetric, Counts]:
        """Return a metric that knows its number of references, and the counts of each sentence."""
        name = self.script or self.metric
        if len(translations) != len(references.lines):
            raise InputError(
                f"{name}: {len(translations)} translations but {len(references.lines)} references; "
                f"they must be the same lines"
            )
        if not references.lines:
            raise InputError(f"{name}: no lines to score")
        metric = self.of_sacrebleu(references.characters)
        counts = metric._extract_corpus_statistics(translations, [references.lines])
        return metric, np.array(counts, dtype=np.float64)
