"""The rows of the tables: those of systems.yaml, and those of our own tables, which follow from it."""

from dataclasses import dataclass, replace

from attnmt.config import ALIGNER, DIAGONAL, Params
from attnmt.reporting.marks import recipe_marks
from attnmt.scoring.compared import is_shown


@dataclass(frozen=True)
class Row:
    """One line of one table."""

    key: str  # unique in its table
    label: str  # what a reader sees
    system: str | None  # one, an ensemble, ALIGNER or DIAGONAL; None where the project has none
    over: str | None = None  # the key of the row from which its gain counts
    replaced: bool = False  # whether unknown words are replaced before BLEU is measured
    question: str | None = None  # what the gain answers
    mark: str = ""  # follows the label if the recipe differs from that of most rows
    meaning: str = ""  # what the mark says


DIAGONAL_ROW = Row(DIAGONAL, "diagonal, no model", DIAGONAL)


def table_rows(params: Params, table: str) -> list[Row]:
    """Return the rows of one table in the order of systems.yaml, with marks for other recipes."""
    rows = params.rows.get(table, {})
    return marked(params, [Row(key, **row.model_dump()) for key, row in rows.items()])


def marked(params: Params, rows: list[Row]) -> list[Row]:
    """Return the rows, each with a mark if its recipe differs from that of most rows."""
    marks = recipe_marks(params, [row.system for row in rows])
    pairs = (marks.get(row.system or "", ("", "")) for row in rows)
    return [
        replace(row, mark=mark, meaning=meaning)
        for row, (mark, meaning) in zip(rows, pairs, strict=True)
    ]


def aligned_rows(params: Params, _: str) -> list[Row]:
    """Return the rows of Table 6, and the diagonal below them."""
    return [*table_rows(params, "table6"), DIAGONAL_ROW]


def scored_rows(params: Params, _: str) -> list[Row]:
    """Return the rows of Table 1 for which the experiment has a system, without their gains."""
    rows = [row for row in table_rows(params, "table1") if params.runs_of(row.system)]
    return marked(params, [replace(row, over=None) for row in rows])


def own_rows(params: Params, _: str) -> list[Row]:
    """Return a row of each system and ensemble of the experiment, as it translates in the end."""
    systems = params.systems_and_ensembles
    return marked(params, [Row(n, n, n, replaced=params.replaces_words(n)) for n in systems])


def own_linked_rows(params: Params, _: str) -> list[Row]:
    """Return a row of each system with attention, then one of links that no model makes."""
    systems = [
        Row(name, name, name) for name in params.systems_and_ensembles if params.attends(name)
    ]
    return [*marked(params, systems), Row(ALIGNER, ALIGNER, ALIGNER), DIAGONAL_ROW]


def paired_rows(params: Params, table: str) -> list[Row]:
    """Return the rows of a table of our own that the experiment trains and compares.

    A row is compared if its gain counts from another of these rows, or another's gain from it.
    """
    if table not in params.rows or not is_shown(params, table):
        return []
    trained = [row for row in table_rows(params, table) if params.runs_of(row.system)]
    keys = {row.key for row in trained}
    bases = {row.over for row in trained}
    return marked(params, [row for row in trained if row.over in keys or row.key in bases])
