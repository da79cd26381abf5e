"""The table of unknown words: how many each system replaced, and how many replacements are right."""

from attnmt.config import Params
from attnmt.reporting.facts import facts
from attnmt.reporting.table import Cell, Format, Table, table_of
from attnmt.scoring.numbers import Line, Numbers

HEADINGS = {
    "unknown": "unknown words",
    "replaced": "replaced",
    "right": "right",
    "repeated": "repeats a neighbor",
    "copied": "copied",
    "copied_right": "copied, right",
}
WHOLES = {"right": "replaced", "repeated": "replaced", "copied_right": "copied"}
CAPTION = (
    "Words of the references of {test} ({lines:,} sentences) that the vocabulary lacks, and the words "
    "put in place of <unk>. A replacement is right if it is an unknown word of its reference; a copied "
    "one also stands in the source. Percentages are of the replaced, or of the copied, words."
)


def unknown_table(params: Params, numbers: Numbers) -> Table | None:
    """Return the table on the first test set; None if no system that reads words has attention."""
    test, by_system = params.sets.tests[0], dict[str, dict[str, Line]]()
    for line in numbers.lines:
        if line.kind == "system" and line.set == test and line.metric in HEADINGS and line.system:
            by_system.setdefault(line.system, {})[line.metric] = line
    if not by_system:
        return None
    rows: dict[str, dict[str, Cell]] = {}
    for name, counts in by_system.items():
        rows[name] = {"system": name}
        for metric, heading in HEADINGS.items():
            rows[name][heading] = counts[metric].value
            if metric in WHOLES:
                whole = counts[WHOLES[metric]].value
                percent = 100 * (counts[metric].value or 0.0) / whole if whole else None
                rows[name][f"{heading}, %"] = percent
    frame, formats = table_of(rows, dict.fromkeys(HEADINGS.values(), Format(0)))
    lines = next(iter(by_system.values()))["unknown"].lines
    return Table(
        "table_unknown",
        "Unknown words",
        CAPTION.format(test=test, lines=lines),
        frame,
        formats,
        facts={name: facts(params, list(counts.values())) for name, counts in by_system.items()},
        systems={name: name for name in by_system},
    )
