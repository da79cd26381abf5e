"""The head of a report on the paper's systems: a few numbers.

The development set chooses the single systems.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from attnmt.config import DIAGONAL, Params
from attnmt.decoding.link_step import NOTHING_CHOSE, SHIFTS
from attnmt.reporting.attention import label
from attnmt.reporting.table import decimal, signed
from attnmt.scoring.numbers import Line, Numbers
from attnmt.scoring.ranking import attention_pair, best_systems, final_bleu, ranked_systems

GAIN = "Gain by attention, BLEU"


@dataclass(frozen=True)
class Headline:
    """One number of ours, what it is, its interval, and the system that it is about."""

    label: str
    number: str
    system: str
    note: str = ""


def make_summary(params: Params, numbers: Numbers) -> list[Headline]:
    """Return the headlines for which the experiment has numbers; on one's own text, none."""
    if params.own_text:
        return []  # answer.py says it in sentences
    return list(_headlines(params, numbers))


def _headlines(params: Params, numbers: Numbers) -> Iterator[Headline]:
    for name in ranked_systems(params, numbers)[:1]:
        yield from _bleu(params, numbers, "Best system, BLEU", name)
    gain = numbers.gain(*attention_pair(params, numbers))
    if gain and gain.value is not None:
        systems = " over ".join(label(params, str(name)) for name in (gain.system, gain.over))
        number, bounds = signed(gain.value, 1), _bounds(gain, signed)
        yield Headline(GAIN, number, systems, bounds)
    for name in islice(params.ensembles, 1):  # the paper's; any other is in the tables
        yield from _bleu(params, numbers, "Ensemble, BLEU", name)
    yield from _links(params, numbers)


def _bleu(params: Params, numbers: Numbers, what: str, system: str) -> Iterator[Headline]:
    line = final_bleu(params, numbers, system)
    if line and line.value is not None:
        after = "unknown words replaced" if line.replacement == "after" else ""
        note = "; ".join(filter(None, [_bounds(line, decimal), after]))
        yield Headline(what, decimal(line.value, 1), label(params, system), note)


def _links(params: Params, numbers: Numbers) -> Iterator[Headline]:
    """Yield the error rate of the best system's links, at the chosen step and then at the other.

    If nothing chose the step, the headline says so.
    """
    system, aligned = best_systems(params, numbers)[0], params.sets.aligned[0]
    line = numbers.system(system, "aer_chosen", aligned)
    if system is None or line is None or line.value is None:
        return
    diagonal = numbers.system(DIAGONAL, "aer", aligned)
    silver = ", against silver links" if "silver" in (line.note or "") else ""
    whose = f" (the authors' step: {NOTHING_CHOSE})" if NOTHING_CHOSE in (line.note or "") else ""
    notes = ["lower is better"]
    notes.append(f"read at the {line.script} step{whose}{silver}" if line.script else "")
    others = {s: numbers.system(system, f"aer_{s}", aligned) for s in SHIFTS if s != line.script}
    notes += [
        f"{one.value:.2f} at the {s} step"
        for s, one in others.items()
        if one and one.value is not None
    ]
    if diagonal and diagonal.value is not None:
        notes.append(f"the diagonal has {diagonal.value:.2f}")
    note = "; ".join(part for part in notes if part)
    yield Headline("Alignment error rate", decimal(line.value, 2), label(params, system), note)


def _bounds(line: Line, show: Callable[[float, int], str]) -> str:
    if line.low is None or line.high is None:
        return ""
    return f"{show(line.low, 1)} to {show(line.high, 1)}"
