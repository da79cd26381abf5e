"""The paper's published numbers, from ``paper.csv``, and which of our models answers to each."""

import csv
from dataclasses import dataclass
from pathlib import Path

NUMBERS = Path(__file__).with_name("paper.csv")


@dataclass(frozen=True)
class PaperRow:
    """One line of one table as published.

    ``gain`` is the difference in BLEU to the row above as printed (a printed gain is not always the
    difference of the printed scores); ``model`` is the name of our model, None where the project
    trains none; ``replaced`` says whether unknown words were replaced.
    """

    table: str
    set: str
    direction: str
    system: str
    ppl: float | None
    bleu: float | None
    gain: str
    model: str | None
    replaced: bool
    source: str


def paper_rows(table: str | None = None) -> list[PaperRow]:
    """Return the rows of one table, or of all, in the paper's order."""
    with NUMBERS.open(encoding="utf-8", newline="") as stream:
        rows = [_row(cells) for cells in csv.DictReader(stream)]
    return [row for row in rows if table in (None, row.table)]


def tables_of(model: str) -> list[str]:
    """Return the names of the tables that show a model, in the paper's order."""
    return list(dict.fromkeys(row.table for row in paper_rows() if row.model == model))


def _row(cells: dict[str, str]) -> PaperRow:
    return PaperRow(
        table=cells["table"],
        set=cells["set"],
        direction=cells["direction"],
        system=cells["system"],
        ppl=float(cells["ppl"]) if cells["ppl"] else None,
        bleu=float(cells["bleu"]) if cells["bleu"] else None,
        gain=cells["gain"],
        model=cells["model"] or None,
        replaced=cells["replaced"] == "yes",
        source=cells["source"],
    )
