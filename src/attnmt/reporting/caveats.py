"""What must be known before a verdict is believed: other settings, attention that was not learned."""

from collections.abc import Iterable

from attnmt.config import DIAGONAL, Params
from attnmt.scoring.ranking import LEARNING
from attnmt.scoring.score_table import ScoreRow, ScoreTable

POORLY_ALIGNED = "‡"  # follows the name of a system of :func:`poorly_aligned`
MARKS = {
    LEARNING: "Still learning when its training ended.",
    POORLY_ALIGNED: "Loses, and links words no better than the diagonal does. A lower rate or a longer "
    "training may help, but not where the score never compares words (location, self).",
}
MOSTLY_WRONG = 0.5  # an AER from which on half of the links or more are wrong or missing


def notes_of(labels: Iterable[str]) -> list[str]:
    """Return a sentence for each mark that the names of some systems have."""
    text = "".join(labels)
    return [f"{mark} {meaning}" for mark, meaning in MARKS.items() if mark in text]


def poorly_aligned(params: Params, numbers: ScoreTable, gain: ScoreRow) -> str | None:
    """Return the loser of a decided gain of BLEU if it links words no better than the diagonal does.

    Such links alone say little: some systems that translate well have no better ones. Where a system
    also loses, links worse than the winner, and has most links wrong, it may not have learned where to
    look. Below MOSTLY_WRONG it looks where the words are, and only the text is so close to word for word
    that the diagonal is hard to beat.
    """
    if gain.metric != "bleu" or not gain.value or gain.system == gain.over:
        return None
    loser, winner = (gain.over, gain.system) if gain.value > 0 else (gain.system, gain.over)
    poor = loser in params.trainings and _links_worse(params, numbers, loser, winner)
    return loser if poor else None


def _links_worse(
    params: Params, numbers: ScoreTable, loser: str | None, winner: str | None
) -> bool:
    links = params.sets.aligned[0]
    ours, other = (numbers.system(name, "aer", links) for name in (loser, winner))
    diagonal = numbers.system(DIAGONAL, "aer", links)
    if not ours or not diagonal:
        return False
    rate = ours.value or 0.0
    is_bad = rate >= max(diagonal.value or 0.0, MOSTLY_WRONG)
    return is_bad and (other is None or (other.value or 0.0) < rate)
