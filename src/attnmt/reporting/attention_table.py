"""The first table of a report on one's own text: each attention against the best system without."""

from attnmt.config import DIRECTIONS, Params
from attnmt.reporting.facts import facts
from attnmt.reporting.own_text import direction_of, on_own_text, own_systems
from attnmt.reporting.ranking import attention_pairs, ranked_systems
from attnmt.reporting.table import Cell, Format, Interval, P, Spread, Table, table_of
from attnmt.scoring.numbers import Line, Numbers

NAME, TITLE = "table_attention", "Does attention help?"
CAPTION = (
    "BLEU on tokens{how}. A gain counts from the best system on {dev} without attention; its interval "
    "and p {say}. “unk replace”: attention and a dictionary replaced unknown words."
)


def attention_table(params: Params, numbers: Numbers) -> Table | None:
    """Return BLEU and gains by attention on every test set; None if the text is not one's own."""
    if not on_own_text(params):
        return None
    pairs = dict(attention_pairs(params, numbers))
    rows: dict[str, dict[str, Cell]] = {}
    lines: dict[str, list[Line]] = {}
    for test in params.sets.tests:
        for direction in DIRECTIONS:
            best = ranked_systems(params, numbers, direction)[:1]
            for name in own_systems(params):
                for after in (False, True) if params.replaces_words(name) else (False,):
                    kind = "after" if after else "before"
                    line = numbers.system(name, "bleu", test, "tokenized", kind)
                    if line is None or direction_of(params, name) != direction:
                        continue
                    dev = numbers.system(name, "ppl", params.sets.dev)
                    key = f"{test}/{name}/{kind}"
                    label = name + (" + unk replace" if after else "")
                    rows[key] = {
                        "system": label + (" (best)" if [name] == best else ""),
                        "set": test if len(params.sets.tests) > 1 else None,
                        f"ppl on {params.sets.dev}": dev.value if dev else None,
                        "BLEU": _number(line),
                        "BLEU, 95%": _interval(line),
                        **_gain(numbers, line, pairs.get(line)),
                    }
                    lines[key] = [line]
    if not rows:
        return None
    signed = dict.fromkeys(("gain", "gain, 95%"), Format(1, signed=True))
    frame, formats = table_of(rows, signed | {"p": P})
    return Table(
        NAME,
        TITLE,
        _caption(params, [line for one in lines.values() for line in one]),
        frame,
        formats,
        facts={key: facts(params, one) for key, one in lines.items()},
        systems={key: one[0].system or "" for key, one in lines.items()},
    )


def _number(line: Line) -> Cell:
    if line.value is None or line.sd is None:
        return line.value
    return Spread(line.value, line.sd)


def _interval(line: Line | None) -> Cell:
    if line is None or line.low is None or line.high is None:
        return None
    return Interval(line.low, line.high)


def _gain(numbers: Numbers, ours: Line, other: Line | None) -> dict[str, Cell]:
    gain = numbers.gain(ours, other)
    return {
        "gain": gain.value if gain else None,
        "gain, 95%": _interval(gain),
        "p": gain.p if gain else None,
        "gain over": other.system if gain and other else None,
    }


def _caption(params: Params, lines: list[Line]) -> str:
    several = any((line.trainings or 1) > 1 for line in lines)
    return CAPTION.format(
        how=f", beam {lines[0].beam}" if lines[0].beam else "",
        dev=params.sets.dev,
        say="hold for other seeds and sentences" if several else "hold for other sentences",
    )
