"""BLEU in the two readings of the paper, each with a bootstrap interval, all through sacrebleu.

Luong et al. 2015, section 4: tokenised BLEU is what ``multi-bleu.perl`` computes on Moses tokens;
NIST BLEU is what ``mteval-v13a.pl -c`` computes on detokenised text.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass

from sacrebleu.metrics.bleu import BLEU

from attnmt.errors import InputError

SEED = "12345"  # sacrebleu's own default for the bootstrap


@dataclass(frozen=True)
class Score:
    """BLEU of a corpus in percent, rounded to four decimals.

    ``low`` and ``high`` bound the bootstrap 95% interval: sacrebleu reports the mean of the
    resampled scores and half the distance between their 2.5% and 97.5% quantiles; the bounds are
    that mean minus and plus that half-width.
    """

    value: float
    low: float
    high: float
    signature: str
    lines: int


def tokenised_bleu(hypotheses: Sequence[str], references: Sequence[str], samples: int) -> Score:
    """Score Moses tokens as ``multi-bleu.perl`` does: as they stand, case kept, no smoothing.

    Args:
        hypotheses: one translation a line, tokens joined by spaces, split hyphens joined again.
        references: one reference a line, in the same form.
        samples: bootstrap samples.

    Raises:
        InputError: if the two differ in length or are empty.
    """
    return _score(
        BLEU(tokenize="none", smooth_method="none", force=True), hypotheses, references, samples
    )


def nist_bleu(hypotheses: Sequence[str], references: Sequence[str], samples: int) -> Score:
    """Score detokenised text as ``mteval-v13a.pl -c`` does: its own tokens (13a) and smoothing.

    Args:
        hypotheses: one detokenised translation a line.
        references: one detokenised reference a line.
        samples: bootstrap samples.

    Raises:
        InputError: if the two differ in length or are empty.
    """
    return _score(
        BLEU(tokenize="13a", smooth_method="exp", force=True), hypotheses, references, samples
    )


def _score(
    metric: BLEU, hypotheses: Sequence[str], references: Sequence[str], samples: int
) -> Score:
    if len(hypotheses) != len(references):
        raise InputError(
            f"BLEU: {len(hypotheses)} translations but {len(references)} references; "
            f"they must be the same lines"
        )
    if not references:
        raise InputError("BLEU: no lines to score")
    if os.environ.get("SACREBLEU_SEED", SEED) != SEED:
        raise InputError(
            f"SACREBLEU_SEED must be {SEED} or unset, or the intervals differ by machine"
        )
    result = metric.corpus_score(hypotheses, [references], n_bootstrap=samples)
    signature = str(metric.get_signature())
    # JSON is sacrebleu's public form of mean and half-width; it leaves both out when all is zero.
    report = json.loads(result.format(width=4, signature=signature, is_json=True))
    mean, half_width = report.get("confidence_mean", 0.0), report.get("confidence_var", 0.0)
    return Score(
        value=report["score"],
        low=round(mean - half_width, 4),
        high=round(mean + half_width, 4),
        signature=f"BLEU|{signature}",
        lines=len(references),
    )
