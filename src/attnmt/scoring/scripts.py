"""The ways of scoring a translation, each with a bootstrap interval, all through sacrebleu.

tokenized  BLEU as ``multi-bleu.perl`` computes it: Moses tokens as they stand, no smoothing
nist       BLEU as ``mteval-v13a.pl -c`` computes it: detokenized text, its own tokens (13a)
sacrebleu  sacrebleu's default BLEU: detokenized text against the reference as it was written
chrf       chrF2, F-score of character n-grams up to six (Popović 2015), on the same text
ter        translation edit rate (Snover et al. 2006), on the same text; lower is better

The first two are those of Luong et al. 2015, section 4. All but ter are case-sensitive. nist and
sacrebleu have the same settings and differ only in the reference. For a language without spaces they
count characters (sacrebleu's tokenizer ``char``).
"""

import json
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, cast, get_args

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.base import Score as SacrebleuScore
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from attnmt.errors import InputError
from attnmt.scoring.limits import note_of, of_interval, of_score
from attnmt.scoring.results import Score, Script

SCRIPTS: tuple[Script, ...] = get_args(Script)
SEED = 12345  # sacrebleu's own default for the bootstrap
Lines = Sequence[str]

# force keeps sacrebleu from warning about text that looks tokenized; it changes no score.
_METRICS: dict[Script, Callable[[], Metric]] = {
    "tokenized": partial(BLEU, tokenize="none", smooth_method="none", force=True),
    "nist": partial(BLEU, tokenize="13a", smooth_method="exp", force=True),
    "sacrebleu": partial(BLEU, force=True),
    "chrf": CHRF,
    "ter": TER,
}
_OF_CHARACTERS: dict[Script, Callable[[], Metric]] = {
    "nist": partial(BLEU, tokenize="char", smooth_method="exp", force=True),
    "sacrebleu": partial(BLEU, tokenize="char", force=True),
}


class References(NamedTuple):
    """What translations are scored against.

    ``lines`` has one reference a line, in the form that a script takes, and each of ``others`` has
    another one, or an empty line where it lacks one. ``characters`` says whether the language is
    written without spaces.
    """

    lines: Lines
    others: Sequence[Lines] = ()
    characters: bool = False

    def sides(self) -> list[Sequence[str]]:
        """Return all references as sacrebleu takes them: None where one lacks a line.

        sacrebleu would count an empty line as a reference of no words, which changes TER and the length
        that BLEU compares with.
        """
        missing = cast("str", None)  # its types do not say that None is allowed
        others = ([line or missing for line in side] for side in self.others)
        return [self.lines, *others]

    def of(self, rows: Sequence[int]) -> "References":
        """Return the references of some lines."""
        lines, *others = ([side[row] for row in rows] for side in (self.lines, *self.others))
        return References(lines, others, self.characters)


def score(script: Script, translations: Lines, references: References, samples: int) -> Score:
    """Score a corpus.

    Args:
        translations: one a line, in the form that the script takes.
        references: what they are scored against.
        samples: how many the bootstrap draws.

    Raises:
        InputError: if the two differ in length or are empty, or the environment sets another seed.
    """
    result, metric = _result(script, translations, references, samples)
    signature = str(metric.get_signature())
    # JSON is sacrebleu's public form of mean and half-width; it leaves both out when all is zero.
    report = json.loads(result.format(width=4, signature=signature, is_json=True))
    mean, half_width = report.get("confidence_mean", 0.0), report.get("confidence_var", 0.0)
    low, high = round(mean - half_width, 4), round(mean + half_width, 4)
    most = None if script == "ter" else 100.0
    return Score(
        value=report["score"],
        low=low,
        high=high,
        signature=f"{result.name}|{signature}",
        note=note_of(
            *of_score(result, translations), *of_interval(low, high, len(translations), most)
        ),
    )


def score_alone(script: Script, translations: Lines, references: References) -> float:
    """Return the value of :func:`score` without the cost of its interval; it raises the same."""
    return noted_score(script, translations, references)[0]


def noted_score(
    script: Script, translations: Lines, references: References
) -> tuple[float, str | None]:
    """Return the value of :func:`score_alone`, and what it says by its definition alone."""
    result, _ = _result(script, translations, references, samples=1)
    return round(result.score, 4), note_of(*of_score(result, translations))


def _result(
    script: Script, translations: Lines, references: References, samples: int
) -> tuple[SacrebleuScore, Metric]:
    check_input(script, translations, references)
    metric = new_metric(script, references.characters)
    return metric.corpus_score(translations, references.sides(), n_bootstrap=samples), metric


def sentence_numbers(
    script: Script, runs: Sequence[Lines], references: References
) -> NDArray[np.float64]:
    """Return (k, n, m): m numbers of each of n sentences of k runs, which add up to the corpus's.

    Args:
        runs: the translations of each run, one a line.

    Raises:
        InputError: as :func:`score` does.
    """
    for translations in runs:
        check_input(script, translations, references)
    metric = new_metric(script, references.characters)
    sides = references.sides()
    # Every metric of sacrebleu must define this method. A metric reads its references once.
    numbers = [metric._extract_corpus_statistics(lines, sides) for lines in runs]
    return np.array(numbers, dtype=np.float64)


def new_metric(script: Script, characters: bool = False) -> Metric:
    """Return a new metric of sacrebleu's. It remembers its references, so each corpus needs its own."""
    return (_METRICS | (_OF_CHARACTERS if characters else {}))[script]()


def check_input(script: Script, translations: Lines, references: References) -> None:
    """Refuse what cannot be scored, or would be resampled differently elsewhere.

    Raises:
        InputError: as :func:`score` says.
    """
    for lines in (references.lines, *references.others):
        if len(translations) != len(lines):
            raise InputError(
                f"{script}: {len(translations)} translations but {len(lines)} references; "
                f"they must be the same lines"
            )
    if not references.lines:
        raise InputError(f"{script}: no lines to score")
    if os.environ.get("SACREBLEU_SEED", str(SEED)) != str(SEED):
        raise InputError(
            f"SACREBLEU_SEED must be {SEED} or unset, or the intervals differ by machine"
        )
