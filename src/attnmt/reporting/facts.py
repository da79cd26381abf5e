"""What tables show of the lines of ``scores.csv``: a number, its interval, and where both come from."""

from collections.abc import Iterable

from attnmt.config import Params
from attnmt.reporting.table import Interval, Spread
from attnmt.scoring.limits import NOT_COMPARED, WIDE, limits_in
from attnmt.scoring.numbers import Line

FACTS = {  # the fields of a line, by what a card calls them
    "system": "system",
    "family": "family",
    "direction": "direction",
    "seed": "seed",
    "seeds": "trainings",
    "set": "set",
    "sentences": "lines",
    "search": "search",
    "signature": "signature",
    "reference SHA-256": "reference",
    "note": "note",
    "trained at commit": "commit",
    "code of the training": "code",
}


def value_of(line: Line | None) -> float | Spread | None:
    """Return the number of a line, with its standard deviation if it has one."""
    if line is None or line.value is None:
        return None
    return line.value if line.sd is None else Spread(line.value, line.sd)


def interval_of(line: Line | None) -> Interval | None:
    """Return the interval of a line, if it has one."""
    if line is None or line.low is None or line.high is None:
        return None
    return Interval(line.low, line.high)


def limits(lines: Iterable[Line]) -> list[str]:
    """Return what some numbers say by their definition alone, each once."""
    return list(dict.fromkeys(limit for line in lines for limit in limits_in(line.note)))


def limits_caption(lines: Iterable[Line], where: str = "rows") -> str:
    """Return the sentence of a caption about such numbers, after a space; empty if there are none."""
    # The reasons for these stand in the note of each number.
    short = {NOT_COMPARED: NOT_COMPARED.partition(",")[0]}
    short[WIDE] = "the interval exceeds possible scores"
    said = [short.get(limit, limit) for limit in limits(lines)]
    return f" In some {where} {'; in some '.join(said)}." if said else ""


def facts(params: Params, lines: Iterable[Line]) -> dict[str, str]:
    """Return where the numbers of some lines come from; each different value stands once."""
    lines = list(lines)
    found = {}
    for label, field in FACTS.items():
        values = (getattr(line, field) for line in lines)
        texts = dict.fromkeys(str(value) for value in values if value is not None)
        if texts and not (label == "seeds" and set(texts) == {"1"}):
            found[label] = ", ".join(texts)
    members = [
        member
        for system in dict.fromkeys(line.system for line in lines)
        if system in params.ensembles
        for member in params.translators(system).members
    ]
    return found | ({"members": ", ".join(members)} if members else {})
