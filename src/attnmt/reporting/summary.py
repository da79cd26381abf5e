"""The head of a report on the paper's systems: a few numbers.

The development set chooses the single systems.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from attnmt.config import Params
from attnmt.reporting.attention import label
from attnmt.reporting.table import decimal, signed
from attnmt.scoring.ranking import attention_pair, best_systems, final_bleu, ranked_systems
from attnmt.scoring.score_table import ScoreRow, ScoreTable

GAIN = "Gain by attention, BLEU before unk replace"


@dataclass(frozen=True)
class Headline:
    """One number of ours, what it is, its interval, and the system that it is about."""

    label: str
    number: str
    system: str
    note: str = ""


def make_summary(params: Params, numbers: ScoreTable) -> list[Headline]:
    """Return the headlines for which the experiment has numbers; on one's own text, none."""
    return [] if params.own_text else list(_headlines(params, numbers))


def _headlines(params: Params, numbers: ScoreTable) -> Iterator[Headline]:
    for name in ranked_systems(params, numbers)[:1]:
        yield from _score(
            params, "Best system by development perplexity, BLEU", final_bleu(params, numbers, name)
        )
    gain = numbers.gain(*attention_pair(params, numbers))
    if gain and gain.value is not None:
        systems = " over ".join(label(params, str(name)) for name in (gain.system, gain.over))
        yield Headline(GAIN, signed(gain.value, 1), systems, _bounds(gain, signed, 1))
    for name in islice(params.ensembles, 1):  # the paper's; any other is in the tables
        yield from _score(params, "Ensemble, BLEU", final_bleu(params, numbers, name))
    best = best_systems(params, numbers)[0]
    if rate := numbers.system(best, "aer", params.sets.aligned[0]):
        yield from _score(params, f"Alignment error rate, {rate.links} links", rate, 2)


def _score(params: Params, what: str, line: ScoreRow | None, digits: int = 1) -> Iterator[Headline]:
    if line and line.value is not None:
        number, system = decimal(line.value, digits), label(params, str(line.system))
        yield Headline(what, number, system, _bounds(line, decimal, digits))


def _bounds(line: ScoreRow, show: Callable[[float, int], str], digits: int) -> str:
    if line.low is None or line.high is None:
        return ""
    return f"{show(line.low, digits)} to {show(line.high, digits)}"
