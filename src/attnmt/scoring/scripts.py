"""The ways of scoring a translation, each with a bootstrap interval, all through sacrebleu.

tokenized  BLEU as ``multi-bleu.perl`` computes it: Moses tokens as they stand, no smoothing
nist       BLEU as ``mteval-v13a.pl -c`` computes it: detokenized text, its own tokens (13a)
sacrebleu  sacrebleu's default BLEU: detokenized text against the reference as it was written
chrf       chrF2, F-score of character n-grams up to six (Popović 2015), of the same text
ter        translation edit rate (Snover et al. 2006), of the same text; less is better

The first two are those of Luong et al. 2015, section 4. All but ter are case-sensitive. nist and
sacrebleu have the same settings and differ only in the reference.
"""

import json
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import get_args

from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from attnmt.errors import InputError
from attnmt.scoring.results import Score, Script

SCRIPTS: tuple[Script, ...] = get_args(Script)
SEED = 12345  # sacrebleu's own default for the bootstrap

# force keeps sacrebleu from warning about text that looks tokenized; it changes no score.
_METRICS: dict[Script, Callable[[], Metric]] = {
    "tokenized": partial(BLEU, tokenize="none", smooth_method="none", force=True),
    "nist": partial(BLEU, tokenize="13a", smooth_method="exp", force=True),
    "sacrebleu": partial(BLEU, force=True),
    "chrf": CHRF,
    "ter": TER,
}


def score(
    script: Script, translations: Sequence[str], references: Sequence[str], samples: int
) -> Score:
    """Score a corpus.

    Args:
        translations: one a line, in the form that the script takes.
        references: one a line, likewise.
        samples: how many the bootstrap draws.

    Raises:
        InputError: if the two differ in length or are empty, or the environment sets another seed.
    """
    check_input(script, translations, references)
    metric = new_metric(script)
    result = metric.corpus_score(translations, [references], n_bootstrap=samples)
    signature = str(metric.get_signature())
    # JSON is sacrebleu's public form of mean and half-width; it leaves both out when all is zero.
    report = json.loads(result.format(width=4, signature=signature, is_json=True))
    mean, half_width = report.get("confidence_mean", 0.0), report.get("confidence_var", 0.0)
    return Score(
        value=report["score"],
        low=round(mean - half_width, 4),
        high=round(mean + half_width, 4),
        signature=f"{result.name}|{signature}",
        lines=len(references),
    )


def score_alone(script: Script, translations: Sequence[str], references: Sequence[str]) -> float:
    """Return the value of :func:`score` without the cost of its interval; it raises the same."""
    check_input(script, translations, references)
    value: float = new_metric(script).corpus_score(translations, [references]).score
    return round(value, 4)


def new_metric(script: Script) -> Metric:
    """Return a new metric of sacrebleu's. It remembers its references, so each corpus needs its own."""
    return _METRICS[script]()


def check_input(script: Script, translations: Sequence[str], references: Sequence[str]) -> None:
    """Refuse what cannot be scored, or would be resampled differently elsewhere.

    Raises:
        InputError: as :func:`score` says.
    """
    if len(translations) != len(references):
        raise InputError(
            f"{script}: {len(translations)} translations but {len(references)} references; "
            f"they must be the same lines"
        )
    if not references:
        raise InputError(f"{script}: no lines to score")
    if os.environ.get("SACREBLEU_SEED", str(SEED)) != str(SEED):
        raise InputError(
            f"SACREBLEU_SEED must be {SEED} or unset, or the intervals differ by machine"
        )
