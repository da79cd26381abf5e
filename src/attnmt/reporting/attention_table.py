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
    best = [ranked_systems(params, numbers, direction)[:1] for direction in DIRECTIONS]
    lines = {
        f"{test}/{name}/{kind}": line
        for test in params.sets.tests
        for direction in DIRECTIONS
        for name in own_systems(params)
        if direction_of(params, name) == direction
        for kind in ("before", "after")[: 1 + params.replaces_words(name)]
        if (line := numbers.system(name, "bleu", test, "tokenized", kind))
    }
    if not lines:
        return None
    rows = {key: _cells(params, numbers, line, pairs.get(line)) for key, line in lines.items()}
    for key, line in lines.items():
        if [line.system] in best:
            rows[key]["system"] = f"{rows[key]['system']} (best)"
    signed = dict.fromkeys(("gain", "gain, 95%"), Format(1, signed=True))
    frame, formats = table_of(rows, signed | {"p": P})
    sources = {key: facts(params, [line]) for key, line in lines.items()}
    systems = {key: line.system or "" for key, line in lines.items()}
    caption = _caption(params, list(lines.values()))
    return Table(NAME, TITLE, caption, frame, formats, facts=sources, systems=systems)


def _cells(params: Params, numbers: Numbers, line: Line, other: Line | None) -> dict[str, Cell]:
    """Return the cells of one score, and of its gain over another one."""
    dev, gain = numbers.system(line.system, "ppl", params.sets.dev), numbers.gain(line, other)
    return {
        "system": f"{line.system}{' + unk replace' if line.replacement == 'after' else ''}",
        "set": line.set if len(params.sets.tests) > 1 else None,
        f"ppl on {params.sets.dev}": dev.value if dev else None,
        "BLEU": line.value
        if line.value is None or line.sd is None
        else Spread(line.value, line.sd),
        "BLEU, 95%": _interval(line),
        "gain": gain.value if gain else None,
        "gain, 95%": _interval(gain),
        "p": gain.p if gain else None,
        "gain over": gain.over if gain else None,
    }


def _interval(line: Line | None) -> Cell:
    if line is None or line.low is None or line.high is None:
        return None
    return Interval(line.low, line.high)


def _caption(params: Params, lines: list[Line]) -> str:
    several = any((line.trainings or 1) > 1 for line in lines)
    return CAPTION.format(
        how=f", beam {lines[0].beam}" if lines[0].beam else "",
        dev=params.sets.dev,
        say="hold for other seeds and sentences" if several else "hold for other sentences",
    )
