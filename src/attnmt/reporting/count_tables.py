"""The tables of counts: unknown words and their replacements, dictionaries, the cost of training."""

from collections.abc import Callable, Mapping

from attnmt.config import Params
from attnmt.reporting.facts import facts
from attnmt.reporting.learning import COLUMNS, FALL
from attnmt.reporting.table import Cell, Format, Table, hours_of, table_of
from attnmt.scoring.numbers import Line, Numbers

UNKNOWN = {
    "unknown": "unknown words",
    "replaced": "replaced",
    "right": "right",
    "repeated": "repeats a neighbor",
    "copied": "copied",
    "copied_right": "copied, right",
}
WHOLES = {"right": "replaced", "repeated": "replaced", "copied_right": "copied"}
ENTRIES = {
    "entries": "source words",
    "outside": "outside the vocabulary",
    "translated_outside": "translation outside",
}
COSTS = {
    "parameters": "parameters",
    "steps": "batches",
    "target_words": "target words",
    **COLUMNS,
    "minutes": "minutes",
    "target_words_per_second": "target words/s",
    "peak_memory_mb": "peak memory, MB",
}
Counts = dict[str, dict[str, Line]]  # the lines of each row, by metric


def unknown_table(params: Params, numbers: Numbers) -> Table | None:
    """Return the table on the first test set; None if no system that reads words has attention."""
    test = params.sets.tests[0]
    counts = _counts(
        numbers, UNKNOWN, lambda line: line.kind == "system" and line.set == test, _system
    )
    if not counts:
        return None
    rows: dict[str, dict[str, Cell]] = {}
    for name, lines in counts.items():
        rows[name] = {"system": name}
        for metric, heading in UNKNOWN.items():
            rows[name][heading] = lines[metric].value
            if metric in WHOLES:
                whole = lines[WHOLES[metric]].value
                percent = 100 * (lines[metric].value or 0.0) / whole if whole else None
                rows[name][f"{heading}, %"] = percent
    first = next(iter(counts.values()))["unknown"]
    caption = (
        f"The table counts the words of the references of {test} ({first.lines:,} sentences) that the "
        "vocabulary lacks, and the words that replaced <unk>. A replacement is right if it is an "
        "unknown word of its reference; a copied one also stands in the source."
    )
    return _table(params, "table_unknown", "Unknown words", caption, rows, counts, UNKNOWN)


def dictionary_table(params: Params, numbers: Numbers) -> Table | None:
    """Return the table of both dictionaries, for each family that reads words."""
    counts = _counts(numbers, ENTRIES, lambda line: line.kind == "system", _family)
    if not counts:
        return None
    rows: dict[str, dict[str, Cell]] = {}
    for key, lines in counts.items():
        first = next(iter(lines.values()))
        title = params.languages.title(first.direction or "forward")
        rows[key] = {"dictionary": title, "family": first.family, **_values(lines, ENTRIES)}
    how = next(iter(next(iter(counts.values())).values())).signature
    caption = (
        f"How many source words each dictionary holds ({how}), and how many of them, or of their best "
        "translations, are outside the vocabulary. Only these entries help to replace unknown words."
    )
    name, title = "table_dictionary", "Dictionaries for unknown words"
    return _table(params, name, title, caption, rows, counts, ENTRIES)


def cost_table(params: Params, numbers: Numbers) -> Table | None:
    """Return the table of all trainings. Unlike the others, it differs after every training."""
    counts = _counts(numbers, COSTS, lambda line: line.kind == "training", _model)
    if not counts:
        return None
    machines = {line.signature for lines in counts.values() for line in lines.values()}
    rows: dict[str, dict[str, Cell]] = {}
    for name, lines in counts.items():
        machine = lines["minutes"].signature if len(machines) > 1 else None
        rows[name] = {"model": name, **_values(lines, COSTS), "machine": machine}
    spent = hours_of(sum(lines["minutes"].value or 0.0 for lines in counts.values()))
    count = "One training" if len(rows) == 1 else f"{len(rows)} trainings"
    where = f" ({machines.pop()})" if len(machines) == 1 else ""
    caption = (
        f"{count}{where} took {spent} in all, evaluations included. The table counts jumps of "
        "the development cost, and says by what part it fell in the last tenth of the steps. Memory is "
        "the most that the process held, or on a GPU the most that torch allocated there."
    )
    return _table(params, "table_cost", "Cost of training", caption, rows, counts, COSTS)


def _system(line: Line) -> str:
    return line.system or ""


def _family(line: Line) -> str:
    return f"{line.direction} {line.family}"


def _model(line: Line) -> str:
    return line.model or ""


def _counts(
    numbers: Numbers,
    headings: Mapping[str, str],
    wanted: Callable[[Line], bool],
    row: Callable[[Line], str],
) -> Counts:
    """Return the lines of some metrics by row and metric."""
    counts: Counts = {}
    for line in numbers.lines:
        if line.metric in headings and wanted(line):
            counts.setdefault(row(line), {})[line.metric] = line
    return counts


def _values(lines: Mapping[str, Line], headings: Mapping[str, str]) -> dict[str, Cell]:
    return {heading: lines[metric].value for metric, heading in headings.items() if metric in lines}


def _table(
    params: Params,
    name: str,
    title: str,
    caption: str,
    rows: Mapping[str, Mapping[str, Cell]],
    counts: Counts,
    headings: Mapping[str, str],
) -> Table:
    in_parts = ("minutes", FALL)
    whole = {heading: Format(0) for heading in headings.values() if heading not in in_parts}
    frame, formats = table_of(rows, whole)
    sources = {key: facts(params, list(lines.values())) for key, lines in counts.items()}
    systems = {key: next(iter(lines.values())).system or "" for key, lines in counts.items()}
    return Table(name, title, caption, frame, formats, facts=sources, systems=systems)
