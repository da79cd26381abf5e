"""The few numbers at the head of a report; the development set chooses the single systems."""

from collections.abc import Callable
from dataclasses import dataclass

from attnmt.config import DIAGONAL, Params
from attnmt.reporting.attention import label
from attnmt.reporting.own_text import on_own_text
from attnmt.reporting.ranking import attention_pair, best_systems, ranked_systems
from attnmt.reporting.table import decimal, signed
from attnmt.scoring.numbers import Line, Numbers


@dataclass(frozen=True)
class Headline:
    """One number of ours, what it is, its interval, and the system that it is about."""

    label: str
    number: str
    system: str
    note: str = ""


def make_summary(params: Params, numbers: Numbers) -> list[Headline]:
    """Return the headlines for which the experiment has numbers; on one's own text, none."""
    if on_own_text(params):
        return []  # answer.py says it in sentences
    ranked = ranked_systems(params, numbers)
    headlines = [
        _bleu(params, numbers, "Best system, BLEU", ranked[0]) if ranked else None,
        _attention_gain(params, numbers),
        *(
            _bleu(params, numbers, "Ensemble, BLEU", name)
            for name, ensemble in params.ensembles.items()
            if ensemble.seed == 1
        ),
        _links(params, numbers),
    ]
    return [headline for headline in headlines if headline is not None][:4]


def _bleu(params: Params, numbers: Numbers, what: str, system: str) -> Headline | None:
    replacement = "after" if params.replaces_words(system) else "before"
    line = numbers.system(system, "bleu", params.sets.tests[0], "tokenized", replacement)
    if line is None or line.value is None:
        return None
    return Headline(what, decimal(line.value, 1), label(params, system), _bounds(line, decimal))


def _attention_gain(params: Params, numbers: Numbers) -> Headline | None:
    sides = attention_pair(params, numbers)
    gain = numbers.gain(*sides) if sides else None
    if gain is None or gain.value is None:
        return None
    one, two = (label(params, str(name)) for name in (gain.system, gain.over))
    return Headline(
        "Gain by attention, BLEU", signed(gain.value, 1), f"{one} over {two}", _bounds(gain, signed)
    )


def _links(params: Params, numbers: Numbers) -> Headline | None:
    """Return the error rate of the best system's links, at the step that the development set chooses."""
    system, aligned = best_systems(params, numbers)[0], params.sets.aligned[0]
    line = numbers.system(system, "aer_chosen", aligned)
    if system is None or line is None or line.value is None:
        return None
    diagonal = numbers.system(DIAGONAL, "aer", aligned)
    silver = ", against silver links" if "silver" in (line.note or "") else ""
    notes = [f"read at the {line.script} step{silver}" if line.script else ""]
    notes.append(f"the diagonal has {diagonal.value:.2f}" if diagonal and diagonal.value else "")
    note = "; ".join(part for part in notes if part)
    return Headline("Alignment error rate", decimal(line.value, 2), label(params, system), note)


def _bounds(line: Line, show: Callable[[float, int], str]) -> str:
    if line.low is None or line.high is None:
        return ""
    return f"{show(line.low, 1)} to {show(line.high, 1)}"
