"""All metrics by which the stage evaluate scores, each by the name that code gives it.

The first two are those of Luong et al. 2015, section 4. nist and sacrebleu have the same settings and
differ only in the reference. A metric of your own is a class in a file of its own, and a line here.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnmt.scoring.aer import rates
from attnmt.scoring.bleu import Bleu
from attnmt.scoring.chrf import Chrf
from attnmt.scoring.metric import Metric
from attnmt.scoring.ter import Ter

METRICS: dict[str, Metric] = {
    # BLEU as multi-bleu.perl computes it: Moses tokens as they stand, no smoothing
    "tokenized": Bleu("tokenized", "tokens", tokens="none", smooth="none"),
    # BLEU as mteval-v13a.pl -c computes it: detokenized text, its own tokens
    "nist": Bleu("nist", "detokenized"),
    # sacrebleu's default BLEU
    "sacrebleu": Bleu("sacrebleu", "written"),
    "chrf": Chrf(),
    "ter": Ter(),
}
BY_LENGTH = ("tokenized",)  # those that are also computed for groups of sentences of similar length
# (N, m) -> (N,), the score of each of N sums of counts, by the metric and the script of a line. The
# script of AER is the step at which attention is read, which changes the links and not the rate.
SCORES: dict[tuple[str, str | None], Callable[[NDArray[Any]], NDArray[np.float64]]] = {
    **{metric.key: metric.scores for metric in METRICS.values()},
    **dict.fromkeys((("aer", step) for step in (None, "same", "next")), rates),
}
