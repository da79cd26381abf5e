"""The table of dictionaries: what they hold for the words that a vocabulary lacks."""

from attnmt.config import Params
from attnmt.reporting.facts import facts
from attnmt.reporting.table import Cell, Format, Table, table_of
from attnmt.scoring.numbers import Line, Numbers

HEADINGS = {
    "entries": "source words",
    "outside": "outside the vocabulary",
    "translated_outside": "translation outside",
}
CAPTION = (
    "How many source words each dictionary holds ({how}), and how many of them, or of their best "
    "translations, are outside the vocabulary. Only these entries help to replace unknown words."
)


def dictionary_table(params: Params, numbers: Numbers) -> Table | None:
    """Return the table of both dictionaries, for each family that reads words."""
    by_row: dict[str, dict[str, Line]] = {}
    for line in numbers.lines:
        if line.metric in HEADINGS and line.direction:
            by_row.setdefault(f"{line.direction} {line.family}", {})[line.metric] = line
    if not by_row:
        return None
    firsts = {key: next(iter(lines.values())) for key, lines in by_row.items()}
    rows: dict[str, dict[str, Cell]] = {
        key: {
            "dictionary": params.languages.title(first.direction),
            "family": first.family,
            **{heading: by_row[key][metric].value for metric, heading in HEADINGS.items()},
        }
        for key, first in firsts.items()
        if first.direction
    }
    frame, formats = table_of(rows, dict.fromkeys(HEADINGS.values(), Format(0)))
    how = next(iter(firsts.values())).signature
    return Table(
        "table_dictionary",
        "Dictionaries for unknown words",
        CAPTION.format(how=how),
        frame,
        formats,
        facts={key: facts(params, list(lines.values())) for key, lines in by_row.items()},
    )
