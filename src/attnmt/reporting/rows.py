"""The rows of the tables of scores: those of systems.yaml, and one for each system."""

from collections import Counter
from dataclasses import dataclass, replace

from attnmt.config import ALIGNER, DIAGONAL, Params, Recipe
from attnmt.scoring.published import printed_tables

OTHER_SETTINGS = "†"  # follows the name of a system that was trained with other settings than most


@dataclass(frozen=True)
class Row:
    """One line of one table."""

    key: str  # unique in its table
    label: str  # what a reader sees
    system: str | None  # one, an ensemble, ALIGNER or DIAGONAL; None where the project has none
    over: str | None = None  # the key of the row from which its gain counts
    replaced: bool = False  # whether unknown words are replaced before BLEU is measured
    question: str | None = None  # what the gain answers
    mark: str = ""  # OTHER_SETTINGS, or nothing


def table_rows(params: Params, table: str) -> list[Row]:
    """Return the rows of a table in the order of systems.yaml, those of other people's systems last.

    A table without published numbers has only what the experiment trains. If its rows have gains, a row
    stays only if its gain counts from another one, or another's gain from it.
    """
    rows = [Row(key, **row.model_dump()) for key, row in params.tables[table].rows.items()]
    if table not in printed_tables():
        with_gains = any(row.over for row in rows)
        rows = [row for row in rows if params.runs_of(row.system)]
        if with_gains:
            keys, bases = {row.key for row in rows}, {row.over for row in rows}
            rows = [row for row in rows if row.over in keys or row.key in bases]
    return marked(params, sorted(rows, key=lambda row: row.system is None))


def own_rows(params: Params) -> list[Row]:
    """Return a row of each system and ensemble of the experiment, as it translates in the end."""
    systems = params.systems_and_ensembles
    return marked(params, [Row(n, n, n, replaced=params.replaces_words(n)) for n in systems])


def baseline_rows() -> list[Row]:
    """Return the rows of links that no model makes."""
    return [Row(ALIGNER, ALIGNER, ALIGNER), Row(DIAGONAL, DIAGONAL, DIAGONAL)]


def marked(params: Params, rows: list[Row]) -> list[Row]:
    """Return the rows, with a mark where a system was trained with other settings than most of them."""
    settings = {
        row.key: _settings(params, row.system) for row in rows if params.runs_of(row.system)
    }
    usual = Counter(settings.values()).most_common(1)[0][0] if settings else None
    return [
        replace(row, mark=OTHER_SETTINGS) if settings.get(row.key, usual) != usual else row
        for row in rows
    ]


def _settings(params: Params, system: str | None) -> frozenset[Recipe]:
    """Return the settings of a model's training; an ensemble has several if its members differ."""
    members = params.translators(params.runs_of(system)[0]).members
    return frozenset(params.recipe(member) for member in members)
