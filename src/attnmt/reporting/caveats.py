"""What must be known before a verdict is believed: too low a BLEU, attention that was not learned."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log

from sacrebleu.metrics.bleu import BLEU

from attnmt.config import DIAGONAL, Direction, Params
from attnmt.files.text_file import read_lines
from attnmt.layout import Layout
from attnmt.scoring.ranking import LEARNING, final_bleu
from attnmt.scoring.score_table import CHOSEN, READINGS, ScoreRow, ScoreTable
from attnmt.text.tokens import text_suffixes

POORLY_ALIGNED = "‡"  # follows the name of a system of :func:`poorly_aligned`
MARKS = {
    LEARNING: "Still learning when its training ended.",
    POORLY_ALIGNED: "Loses, and links words no better than the diagonal does. Unless its score never "
    "compares words (location, self), a lower learning rate may change the verdict.",
}
BELOW_BASELINE = "“no verdict”: a BLEU is not surely above that of one sentence for all lines."
AER, ORDER = READINGS[CHOSEN], 4  # the longest n-grams of BLEU
MOSTLY_WRONG = 0.5  # an AER from which on half of the links or more are wrong or missing


def notes_of(labels: Iterable[str]) -> list[str]:
    """Return a sentence for each mark that the names of some systems have."""
    text = "".join(labels)
    return [f"{mark} {meaning}" for mark, meaning in MARKS.items() if mark in text]


def poorly_aligned(params: Params, numbers: ScoreTable, gains: Iterable[ScoreRow]) -> set[str]:
    """Return each loser of decided gains of BLEU that links words no better than the diagonal does.

    Such links alone say little: some systems that translate well have no better ones. Where a system
    also loses, links worse than the winner, and has most links wrong, it may not have learned where to
    look. Below MOSTLY_WRONG it looks where the words are, and only the text is so close to word for word
    that the diagonal is hard to beat.
    """
    losers = set[str]()
    for gain in gains:
        if gain.metric == "bleu" and gain.value and gain.system != gain.over:
            loser, winner = (gain.over, gain.system) if gain.value > 0 else (gain.system, gain.over)
            if loser in params.trainings and _links_worse(params, numbers, loser, winner):
                losers.add(str(loser))
    return losers


def _links_worse(
    params: Params, numbers: ScoreTable, loser: str | None, winner: str | None
) -> bool:
    links = params.sets.aligned[0]
    ours, other = (numbers.system(name, AER, links) for name in (loser, winner))
    diagonal = numbers.system(DIAGONAL, "aer", links)
    if not ours or not diagonal:
        return False
    rate = ours.value or 0.0
    is_bad = rate >= max(diagonal.value or 0.0, MOSTLY_WRONG)
    return is_bad and (other is None or (other.value or 0.0) < rate)


def below_baseline(
    params: Params, numbers: ScoreTable, gain: ScoreRow, baseline: Mapping[Direction, float]
) -> bool:
    """Return whether a system of a gain has a BLEU that is not surely above the constant baseline."""
    for name in filter(None, (gain.system, gain.over)):
        line = final_bleu(params, numbers, name)
        if line is not None:
            least = line.value if line.low is None else line.low
            if (least or 0.0) <= baseline.get(params.direction(name), -1.0):
                return True
    return False


def constant_baseline(params: Params) -> dict[Direction, float]:
    """Return BLEU of one sentence that is written for every line of the first test set.

    The development set chooses it among its own references, so the test set chooses nothing.

    Raises:
        InputError: if a file of tokens is missing.
    """
    directions = dict.fromkeys(map(params.direction, params.trainings))
    return {direction: _constant_baseline(params, direction) for direction in directions}


def _constant_baseline(params: Params, direction: Direction) -> float:
    folder, target = Layout(params.experiment).tokens, params.languages.sides(direction)[1].code
    dev = read_lines(folder / f"{params.sets.dev}.{target}")
    test = params.sets.tests[0]
    suffixes = text_suffixes(folder, test, params.languages)
    references = [
        read_lines(folder / f"{test}.{suffix}")
        for suffix in suffixes
        if suffix.partition(".")[0] == target
    ]
    bleu = BLEU(tokenize="none", smooth_method="none", force=True)
    constant = [best_sentence(dev)] * len(references[0])
    return float(bleu.corpus_score(constant, references).score)


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
