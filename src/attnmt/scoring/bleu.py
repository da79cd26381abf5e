"""BLEU (Papineni et al. 2002), in the three ways that papers report it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.base import Score as SacrebleuScore
from sacrebleu.metrics.bleu import BLEU, BLEUScore

from attnmt.scoring.limits import NOTHING, SHORT, SMOOTHED, UNSMOOTHED
from attnmt.scoring.metric import Form, Metric


@dataclass(frozen=True)
class Bleu(Metric):
    """BLEU by one script, case-sensitive.

    Attributes:
        tokens: sacrebleu's name of the tokenizer.
        smooth: sacrebleu's name of the smoothing.
    """

    script: str
    form: Form
    tokens: str = "13a"
    smooth: str = "exp"
    metric: str = "bleu"

    def of_sacrebleu(self, characters: bool = False) -> BLEU:
        """Return sacrebleu's BLEU. It counts characters in a language without spaces."""
        tokens = "char" if characters and self.form != "tokens" else self.tokens
        # force keeps sacrebleu from warning about text that looks tokenized; it changes no score.
        return BLEU(tokenize=tokens, smooth_method=self.smooth, force=True)

    def scores(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        """Return what sacrebleu computes from sums of counts, for all sums at once."""
        length, reference = sums[:, 0], sums[:, 1]
        matches, total = sums[:, 2:6], sums[:, 6:10]
        if self.smooth == "exp":  # the k-th order without a match counts as if it had 1 / 2^k
            matches = np.where(matches > 0, matches, 0.5 ** np.cumsum(matches == 0, axis=1))
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(100 * matches / total).sum(1) / 4
            brevity = np.exp(np.minimum(0, 1 - reference / length))
            score = brevity * np.exp(logs)
        defined = sums[:, 2:6].any(1) & total.all(1)  # so the length is not 0
        return np.where(defined, score, 0.0)

    def limits(self, result: SacrebleuScore) -> list[str]:
        """Return why BLEU is 0, or depends on its smoothing."""
        assert isinstance(result, BLEUScore)
        if not result.totals[-1]:
            return [SHORT]
        if not any(result.counts):
            return [NOTHING]
        if not result.counts[-1]:
            return [SMOOTHED if result.score else UNSMOOTHED]
        return []
