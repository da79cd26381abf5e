"""Whether attention helps on one's own text: the sentences at the top of its report."""

from attnmt.config import Params
from attnmt.reporting.facts import interval_of, limits
from attnmt.reporting.table import LEVEL, Format, P, decimal
from attnmt.scoring.numbers import Line, Numbers
from attnmt.scoring.ranking import best_systems, final_bleu, ranked_systems

# One training of each system says nothing about another; several say something about the systems.
HELPED, HARMED = "Attention helped in these trainings.", "Attention did harm in these trainings."
HELPS, HARMS = "Attention helps here.", "Attention does harm here."
OPEN = "These numbers leave open whether attention helps here."
PLAIN, SIGNED = Format(1), Format(1, signed=True)


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
