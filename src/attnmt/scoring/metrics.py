"""All metrics by which the stage evaluate scores: BLEU in four ways, chrF2 and TER.

A metric of your own is a class in a file of its own, and a line in ``METRICS``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from attnmt.scoring.metric import Form, Metric
from attnmt.text.aer import rates


@dataclass(frozen=True)
class Bleu(Metric):
    """BLEU (Papineni et al. 2002) by one script.

    Attributes:
        tokens: sacrebleu's name of the tokenizer.
        smooth: sacrebleu's name of the smoothing.
        lowercase: whether case is ignored.
    """

    script: str
    form: Form
    tokens: str = "13a"
    smooth: str = "exp"
    lowercase: bool = False
    metric: str = "bleu"

    def of_sacrebleu(self, characters: bool = False) -> BLEU:
        """Return sacrebleu's BLEU. It counts characters in a language without spaces."""
        tokens = "char" if characters and self.form != "tokens" else self.tokens
        # force keeps sacrebleu from warning about text that looks tokenized; it changes no score.
        return BLEU(
            lowercase=self.lowercase, tokenize=tokens, smooth_method=self.smooth, force=True
        )

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


class Chrf(Metric):
    """chrF2, the F-score of character n-grams up to six (Popović 2015), case-sensitive.

    Detokenized text is compared with the reference as it was written.
    """

    metric = "chrf"

    def scores(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        """Return what sacrebleu computes from sums of counts, for all sums at once."""
        ours, reference, matches = np.moveaxis(sums.reshape(len(sums), -1, 3), 2, 0)
        counts = (ours > 0) & (reference > 0)  # the orders that the mean is taken over
        orders = np.maximum(counts.sum(1), 1)
        precision, recall = (
            np.where(counts, matches / np.maximum(total, 1), 0).sum(1) / orders
            for total in (ours, reference)
        )
        weighted = 4 * precision + recall  # F2
        return np.asarray(500 * precision * recall / np.where(weighted > 0, weighted, 1))

    def of_sacrebleu(self, characters: bool = False) -> CHRF:
        """Return sacrebleu's default chrF."""
        return CHRF()


class Ter(Metric):
    """Translation edit rate (Snover et al. 2006); lower is better.

    Detokenized text is compared with the reference as it was written.
    """

    metric = "ter"

    def scores(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        """Return what sacrebleu computes from sums of counts, for all sums at once."""
        edits, words = sums[:, 0], sums[:, 1]
        return 100 * np.where(words > 0, edits / np.where(words > 0, words, 1), edits > 0)

    def of_sacrebleu(self, characters: bool = False) -> TER:
        """Return sacrebleu's default TER, which ignores case."""
        return TER()


# The first two are those of Luong et al. 2015, section 4. nist and sacrebleu differ in the reference.
METRICS: dict[str, Metric] = {
    # BLEU as multi-bleu.perl computes it: Moses tokens as they stand, no smoothing
    "tokenized": Bleu("tokenized", "tokens", tokens="none", smooth="none"),
    # the same in lower case, as papers on Multi30k have it
    "lowercased": Bleu("lowercased", "tokens", tokens="none", smooth="none", lowercase=True),
    # BLEU as mteval-v13a.pl -c computes it: detokenized text, its own tokens
    "nist": Bleu("nist", "detokenized"),
    # sacrebleu's default BLEU
    "sacrebleu": Bleu("sacrebleu", "written"),
    "chrf": Chrf(),
    "ter": Ter(),
}
BY_LENGTH = "tokenized"  # is also computed for groups of sentences of similar length
# (N, m) -> (N,), the score of each of N sums of counts, by the metric and the script of a line
SCORES: dict[tuple[str, str | None], Callable[[NDArray[Any]], NDArray[np.float64]]] = {
    **{metric.key: metric.scores for metric in METRICS.values()},
    ("aer", None): rates,
}
