"""Which systems of an experiment are best on the development set, and which were still learning."""

from collections.abc import Sequence
from itertools import chain
from statistics import median

from attnmt.config import Direction, Params
from attnmt.scoring.score_table import ScoreRow, ScoreTable
from attnmt.training.curve import STILL_LEARNING

LEARNING = "°"  # follows the label of a system that was still learning
Pair = tuple[ScoreRow | None, ScoreRow | None]


def ranked_by_units(
    params: Params, numbers: ScoreTable, direction: Direction | None = None
) -> list[list[str]]:
    """Return the systems of each group of :meth:`Params.by_units`, the best one first.

    The best one has the lowest perplexity on the development set.
    """
    groups = []
    for names in params.by_units(direction):
        lines = {name: numbers.system(name, "ppl", params.sets.dev) for name in names}
        perplexities = {name: line.value for name, line in lines.items() if line and line.value}
        groups.append(sorted(perplexities, key=lambda name: perplexities[name]))
    return groups


def ranked_systems(
    params: Params, numbers: ScoreTable, direction: Direction | None = None
) -> list[str]:
    """Return the systems of the first group, the best one first."""
    return next(iter(ranked_by_units(params, numbers, direction)), [])


def best_systems(
    params: Params, numbers: ScoreTable, direction: Direction | None = None
) -> tuple[str | None, str | None]:
    """Return the best system with attention and the best one without; None where there is none.

    Each comes from the first group that has one.
    """
    return with_and_without(params, [*chain(*ranked_by_units(params, numbers, direction))])


def with_and_without(params: Params, ranked: Sequence[str]) -> tuple[str | None, str | None]:
    """Return the first of some systems that has attention, and the first that has none."""
    with_attention = next((name for name in ranked if params.attends(name)), None)
    without = next((name for name in ranked if not params.attends(name)), None)
    return with_attention, without


def final_bleu(
    params: Params, numbers: ScoreTable, system: str | None, test: str | None = None
) -> ScoreRow | None:
    """Return BLEU of what a system writes in the end, by default on the first test set."""
    if system is None:
        return None
    kind = "after" if params.replaces_words(system) else "before"
    return numbers.system(system, "bleu", test or params.sets.tests[0], "tokenized", kind)


def attention_pair(params: Params, numbers: ScoreTable) -> Pair:
    """Return BLEU of the best system with attention and of the best one without."""
    test, (one, two) = params.sets.tests[0], best_systems(params, numbers)
    scores = [numbers.system(name, "bleu", test, "tokenized", "before") for name in (one, two)]
    return scores[0], scores[1]


def learning_sign(params: Params, numbers: ScoreTable, system: str | None) -> str:
    """Return what follows the label of a system or an ensemble: LEARNING if it was still learning.

    A system still learned if its development cost fell by more than 2% in the last tenth of the steps
    (the median of its seeds). An ensemble did if one of its members did.
    """
    runs = params.runs_of(system)
    members = params.translators(runs[0]).members if runs else []
    for system_of_member in {params.training(member).system_name for member in members}:
        lines = [
            numbers.training(seed, "late_fall", params.sets.dev)
            for seed in params.runs_of(system_of_member)
        ]
        falls = [line.value for line in lines if line and line.value is not None]
        if falls and median(falls) > 100 * STILL_LEARNING:
            return LEARNING
    return ""
