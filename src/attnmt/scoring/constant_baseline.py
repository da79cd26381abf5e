"""The constant baseline: BLEU of one sentence that is written for every line of a test set.

The development set chooses the sentence among its own references, so the test set chooses nothing. A
system whose BLEU is not surely above it may know nothing of the source, and no verdict is about it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import log
from statistics import mean

from attnmt.config import Direction, Params
from attnmt.files.text_file import read_lines
from attnmt.layout import Layout
from attnmt.scoring.metric import References, Score
from attnmt.scoring.metrics import METRICS
from attnmt.scoring.ranking import final_bleu
from attnmt.scoring.score_table import ScoreTable

ORDER = 4  # the longest n-grams of BLEU


def constant_scores(params: Params) -> Iterator[tuple[Direction, str, int, Score]]:
    """Yield the direction, the test set, its lines, and tokenized BLEU of the baseline."""
    folder = Layout(params.experiment).tokens
    for direction in dict.fromkeys(map(params.direction, params.trainings)):
        target = params.languages.sides(direction)[1].code
        sentence = best_sentence(read_lines(folder / f"{params.sets.dev}.{target}"))
        for test in params.sets.tests:
            references = read_lines(folder / f"{test}.{target}")
            constant, samples = [sentence] * len(references), params.evaluation.bootstrap_samples
            score, _ = METRICS["tokenized"].score(constant, References(references), samples)
            yield direction, test, len(references), score


def best_sentence(references: Sequence[str]) -> str:
    """Return the reference that has the highest BLEU if it is written for each of them.

    An n-gram that a reference has twice counts once.
    """
    sets = {
        line: [set(_grams(line.split(), n)) for n in range(1, ORDER + 1)] for line in references
    }
    lines_with = Counter(gram for line in references for grams in sets[line] for gram in grams)
    words = sum(len(line.split()) for line in references) / len(references)

    def logarithm(line: str) -> float:
        length = len(line.split())
        right = [sum(lines_with[gram] for gram in grams) for grams in sets[line]]
        if not all(right):
            return float("-inf")
        precisions = (log(count / (length - n)) for n, count in enumerate(right))
        return sum(precisions) / ORDER + min(0.0, 1 - words / length)

    return max(references, key=logarithm)


def _grams(words: Sequence[str], n: int) -> Iterable[tuple[str, ...]]:
    return zip(*(words[k:] for k in range(n)), strict=False)


def is_above_constant(
    params: Params, numbers: ScoreTable, system: str | None, test: str | None
) -> bool:
    """Return whether a system's BLEU on a test set is surely above the constant baseline.

    It is, if the mean of its trainings' lower bounds, of 95% over sentences, is. It is also where one of
    the two numbers is not known: on sets that are only aligned, for the links of baselines.
    """
    if system not in params.systems_and_ensembles or test not in params.sets.tests:
        return True
    ours = final_bleu(params, numbers, system, test)
    baseline = numbers.constant(params.direction(system), test)
    if ours is None or baseline is None or baseline.value is None:
        return True
    key = ours.metric, ours.set or "", ours.script, ours.replacement
    trainings = [numbers.training(run, *key) for run in params.runs_of(system)]
    lows = [line.low for line in trainings if line and line.low is not None]
    return (mean(lows) if lows else ours.low or 0.0) > baseline.value
