"""The head of a report: a few numbers, or on one's own text whether attention helps, in sentences.

The development set chooses the single systems.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from attnmt.config import DIAGONAL, Params
from attnmt.decoding.link_step import NOTHING_CHOSE
from attnmt.reporting.attention import label
from attnmt.reporting.facts import interval_of, limits
from attnmt.reporting.table import LEVEL, Format, P, decimal, signed
from attnmt.scoring.numbers import Line, Numbers
from attnmt.scoring.ranking import attention_pair, best_systems, final_bleu, ranked_systems

# One training of each system says nothing about another; several say something about the systems.
HELPED, HARMED = "Attention helped in these trainings.", "Attention did harm in these trainings."
HELPS, HARMS = "Attention helps here.", "Attention does harm here."
OPEN = "These numbers leave open whether attention helps here."
GAIN = "Gain by attention, BLEU"
PLAIN, SIGNED = Format(1), Format(1, signed=True)


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
        return []  # make_answer says it in sentences
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
        number, bounds = decimal(line.value, 1), _bounds(line, decimal)
        yield Headline(what, number, label(params, system), bounds)


def _links(params: Params, numbers: Numbers) -> Iterator[Headline]:
    """Yield the error rate of the best system's links, at the step that the development set chooses.

    If nothing chose the step, the headline says so.
    """
    system, aligned = best_systems(params, numbers)[0], params.sets.aligned[0]
    line = numbers.system(system, "aer_chosen", aligned)
    if system is None or line is None or line.value is None:
        return
    diagonal = numbers.system(DIAGONAL, "aer", aligned)
    silver = ", against silver links" if "silver" in (line.note or "") else ""
    whose = f" (the authors' step: {NOTHING_CHOSE})" if NOTHING_CHOSE in (line.note or "") else ""
    notes = [f"read at the {line.script} step{whose}{silver}" if line.script else ""]
    notes.append(f"the diagonal has {diagonal.value:.2f}" if diagonal and diagonal.value else "")
    note = "; ".join(part for part in notes if part)
    yield Headline("Alignment error rate", decimal(line.value, 2), label(params, system), note)


def _bounds(line: Line, show: Callable[[float, int], str]) -> str:
    if line.low is None or line.high is None:
        return ""
    return f"{show(line.low, 1)} to {show(line.high, 1)}"


def make_answer(params: Params, numbers: Numbers) -> list[str]:
    """Return the answer, the numbers behind it, and what the best system still gets wrong.

    The development set chooses the systems, and the first test set measures them. Unknown words are
    replaced where attention can do that. The list is empty on a text that is not one's own.
    """
    ranked = ranked_systems(params, numbers) if params.own_text else []
    best = final_bleu(params, numbers, ranked[0]) if ranked else None
    if best is None:
        return []
    attending, plain = best_systems(params, numbers)
    one, two = (final_bleu(params, numbers, system) for system in (attending, plain))
    gain, size = numbers.gain(one, two), f"with BLEU {_sized(best, PLAIN)} on {best.set}"
    said = [f"{best.system} is the best system on {params.sets.dev}, {size}"]
    if gain:
        said.insert(0, _outcome(gain))
        size = f"a gain of {_sized(gain, SIGNED)} over"
        if best.system == attending:
            said[1] += f": {size} {plain}, the best without attention"
            said[1] += f", which has {PLAIN.show(two.value)}" if two else ""
        else:
            said[1] += f"; the best with attention, {attending}, has {size} it"
        said[1] += _without_replacement(params, numbers, attending, two)
    said[-1] += "."
    said += [f"{limit[0].upper()}{limit[1:]}." for limit in limits([best])]
    return [*said, *_wrong(params, numbers, best)]


def _without_replacement(
    params: Params, numbers: Numbers, system: str | None, other: Line | None
) -> str:
    """Say how much of a gain is left if no unknown word is replaced, which only attention can do."""
    test = params.sets.tests[0]
    before = numbers.system(system, "bleu", test, "tokenized", "before")
    gain = numbers.gain(before, other)
    if gain is None or not params.replaces_words(str(system)):
        return ""
    return f". Without replacing unknown words the gain is {SIGNED.show(gain.value)}"


def _outcome(gain: Line) -> str:
    if gain.p is None or gain.p >= LEVEL or not gain.value:
        return OPEN
    helps, harms = (HELPS, HARMS) if (gain.trainings or 1) > 1 else (HELPED, HARMED)
    return helps if gain.value > 0 else harms


def _sized(line: Line, form: Format) -> str:
    """Return a number with its interval, and the p of a gain."""
    interval = form.show(interval_of(line))
    details = [interval, f"p {P.show(line.p)}" if line.p is not None else ""]
    detail = ", ".join(part for part in details if part)
    return form.show(line.value) + (f" ({detail})" if detail else "")


def _wrong(params: Params, numbers: Numbers, best: Line) -> list[str]:
    """Say how many unknown words the best system gets right, and how long sentences fare."""
    test, system = params.sets.tests[0], best.system
    parts = []
    unknown, right = (numbers.system(system, metric, test) for metric in ("unknown", "right"))
    if unknown and right and unknown.value:
        whole = decimal(unknown.value, 0)
        parts.append(
            f"Of the {whole} words of {test} that its vocabulary lacks, it gets "
            f"{decimal(right.value or 0.0, 0)} right."
        )
    by_system = numbers.groups("bleu", test, "tokenized")
    groups = by_system.get((system, best.replacement), [])
    short, long = (groups[0], groups[-1]) if len(groups) > 1 else (None, None)
    if short and long and (long.value or 0.0) < (short.value or 0.0):
        parts.append(
            f"Long sentences are harder: BLEU {PLAIN.show(long.value)} on the {long.lines} longest, "
            f"{PLAIN.show(short.value)} on the {short.lines} shortest."
        )
    return parts
