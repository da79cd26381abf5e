"""The answer of a report on one's own text: which system is better, in sentences and as a table."""

from collections.abc import Sequence
from typing import Any

from attnmt.config import Params
from attnmt.reporting.doubts import Floors, source_blind, unlearned
from attnmt.reporting.facts import facts, interval_of, limits, value_of
from attnmt.reporting.table import Cell, Format, P, Size, Table, decimal, table_of
from attnmt.scoring.numbers import Line, Numbers
from attnmt.scoring.published import printed_tables
from attnmt.scoring.questions import NOISE, Answer, answers, own_rows
from attnmt.scoring.ranking import best_systems, final_bleu, ranked_systems
from attnmt.scoring.seed_statistics import FEWEST
from attnmt.scoring.verdicts import ALPHA

NAME, TITLE = "table_compared", "Which is better?"
MOST = 3  # comparisons that the head of the report has in full
DECIDED = ("better", "worse")
LENT = (
    " From three systems with three seeds on, the variances between seeds borrow from each other, so a "
    "further system may change p of a pair."
)
DIGITS = {"bleu": 1, "aer": 2}  # decimals of a gain
PLAIN, SIGNED = Format(1), Format(1, signed=True)


def make_answer(params: Params, numbers: Numbers, floors: Floors) -> list[str]:
    """Return which system is better, which is best, and what the best one still gets wrong.

    The development set chooses the best system, and the first test set measures all of them. Unknown
    words are replaced where attention can do that. The list is empty on a text that is not one's own.

    Args:
        floors: BLEU that no source is needed for (:func:`attnmt.reporting.doubts.one_sentence_bleus`).
    """
    ranked = ranked_systems(params, numbers) if params.own_text else []
    best = final_bleu(params, numbers, ranked[0]) if ranked else None
    if best is None:
        return []
    asked = answers(params, numbers)
    tested = sum(answer.p_holm is not None for answer in asked)
    said = []
    for answer in asked[:MOST]:
        said.append(_answered(answer, tested))
    said += _doubts(params, numbers, asked[:MOST])
    if len(asked) > MOST:
        said.append(f"{len(asked) - MOST} more comparisons are in the table.")
    compared = [name for answer in asked for name in (answer.gain.system, answer.gain.over)]
    blind = source_blind(params, numbers, compared, floors)
    said += filter(None, [blind])
    said += _without_replacement(params, numbers)
    said += _windows(params, numbers)
    said += _unranked(params)
    size = f"BLEU {_sized(best, PLAIN)} on {best.set}"
    said.append(f"{best.system} is the best system on {params.sets.dev}, with {size}.")
    said += [f"{limit[0].upper()}{limit[1:]}." for limit in limits([best])]
    return [*said, *_wrong(params, numbers, best)]


def _answered(answer: Answer, count: int) -> str:
    """Return a sentence that answers one of ``count`` tested questions."""
    gain, words = answer.gain, _words(answer)
    form = _form(answer)
    interval = form.show(interval_of(gain))
    size = f"{form.show(gain.value)} {gain.metric.upper()}{interval and f' ({interval})'}"
    several = (gain.trainings or 1) > 1
    seeds = f", {gain.trainings} seeds" if several else ", one seed each: another may change it"
    noise, alone = answer.word == NOISE, gain.p is not None and gain.p < ALPHA
    word = f"{NOISE} as one of {count} comparisons" if noise and alone else answer.word
    names = f"{gain.system} over {gain.over}"
    title = f"{words[0].upper()}{words[1:]} ({names})" if words else names
    return f"{title}: {size} on {gain.set}, {word}{'' if answer.p_holm is None else seeds}."


def _doubts(params: Params, numbers: Numbers, asked: Sequence[Answer]) -> list[str]:
    return unlearned(params, numbers, [one.gain for one in asked if one.word in DECIDED])


def _unranked(params: Params) -> list[str]:
    """Name the systems of the main direction that perplexity cannot rank beside the best one."""
    others = [
        name
        for name, model in params.models.items()
        if model.seed == 1 and model.direction == params.main_direction and not model.faults
        if name not in params.ranked_together()
    ]
    said = f"Perplexity does not rank what reads other units: {', '.join(others)}."
    return [said] if others else []


def _without_replacement(params: Params, numbers: Numbers) -> list[str]:
    """Say what attention gains if no unknown word is replaced, which only attention can do."""
    attending, plain = best_systems(params, numbers)
    before = numbers.system(attending, "bleu", params.sets.tests[0], "tokenized", "before")
    gain = numbers.gain(before, final_bleu(params, numbers, plain))
    if gain is None or not params.replaces_words(str(attending)):
        return []
    return [
        f"Without replacing unknown words, {attending} gains {SIGNED.show(gain.value)} over {plain}."
    ]


def _windows(params: Params, numbers: Numbers) -> list[str]:
    """Say for how many sentences of the first test set local attention is global."""
    test = params.sets.tests[0]
    shares: dict[str, None] = {}
    for name in params.systems_and_ensembles:
        line = numbers.system(name, "in_window", test)
        if line and line.value is not None:
            D = params.half_width(name) or 0
            shares[f"{line.value:.0f}% of the sentences (a window of {2 * D + 1} words)"] = None
    return [f"On {test}, local attention is global for {', '.join(shares)}."] if shares else []


def _sized(line: Line, form: Format) -> str:
    """Return a number with its interval."""
    interval = form.show(interval_of(line))
    return form.show(line.value) + (f" ({interval})" if interval else "")


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


def answers_table(params: Params, numbers: Numbers) -> Table | None:
    """Return every comparison with its test; None if there is none, or the text is not one's own."""
    asked = answers(params, numbers)
    if not asked:
        return None
    several = len({answer.gain.metric for answer in asked}) > 1
    rows: dict[str, dict[str, Cell]] = {}
    for answer in asked:
        gain, form = answer.gain, _form(answer)
        parts = [part for part in answer.differ if not _words(answer)]
        rows[f"{gain.system} over {gain.over} in {gain.metric}"] = {
            "comparison": f"{gain.system} over {gain.over}",
            "measure": gain.metric.upper() if several else None,
            "gain": Size(gain.value or 0.0, DIGITS[gain.metric]),
            "gain, 95%": form.show(interval_of(gain)),
            "verdict": answer.word,
            "p": gain.p,
            "p after Holm": answer.p_holm,
            "seeds": float(gain.trainings or 1),
            "differ in": _words(answer) or ", ".join(parts) or None,
        }
    tested = sum(answer.p_holm is not None for answer in asked)
    measures = "" if several else f" of {asked[0].gain.metric.upper()}"
    caption = (
        f"{_count(tested, f'{measures} on {asked[0].gain.set}')}, with unknown words replaced where "
        "attention can do that; Holm's procedure keeps the probability of a false verdict at "
        f"{ALPHA:.0%} or below, if systems vary alike."
    )
    if any((one.gain.trainings or 1) >= FEWEST for one in asked):
        caption += LENT
    caption += "".join(
        f" {where} counts from {over}, which is not trained here."
        for where, row, over in own_rows(params)
        if params.runs_of(row.system)
        and not params.runs_of(over)
        and where.partition("/")[0] in printed_tables()  # the others are the project's own
    )
    cards = {key: facts(params, [one.gain]) for key, one in zip(rows, asked, strict=True)}
    formats = {"p": P, "p after Holm": P, "seeds": Format(0)}
    narrow = (("comparison",), ("gain", "gain, 95%", "measure"), ("p", "p after Holm", "verdict"))
    above = _scores(params, numbers, asked)
    return table_of(
        NAME,
        TITLE,
        caption,
        rows,
        formats,
        cards,
        narrow=narrow,
        above=above,
        doubts=_doubts(params, numbers, asked),
    )


def _scores(params: Params, numbers: Numbers, asked: Sequence[Answer]) -> Table:
    """Return BLEU of all systems that are compared, for the narrow version."""
    compared = {name for answer in asked for name in (answer.gain.system, answer.gain.over)}
    lines = {
        name: line
        for name in params.systems_and_ensembles
        if name in compared and (line := final_bleu(params, numbers, name))
    }
    rows: dict[str, dict[str, Cell]] = {
        name: {"system": name, "BLEU": value_of(line), "seeds": float(line.trainings or 1)}
        for name, line in lines.items()
    }
    narrow = (("system",), ("BLEU",), ("seeds",))
    return table_of("", "", "", rows, {"seeds": Format(0)}, {}, narrow=narrow)


def _count(comparisons: int, of: str) -> str:
    if comparisons == 1:
        return f"One comparison{of} is tested"
    return f"{comparisons} comparisons{of} are tested together"


def _form(answer: Answer) -> Format:
    return Format(DIGITS[answer.gain.metric], signed=True)


def _words(answer: Answer) -> str:
    """Say in which one part two systems differ, as "score general over dot", if words can say it."""
    if len(answer.differ) != 1:
        return ""
    ((part, values),) = answer.differ.items()
    if not all(isinstance(value, str | int | float) for value in values):
        return ""
    return f"{part} {' over '.join(map(_shown, values))}".replace("input_feeding", "input feeding")


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return value if isinstance(value, str) else f"{value:g}"
