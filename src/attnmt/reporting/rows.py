"""The rows of the tables: those of systems.yaml, and those of our own tables, which follow from it.

A row is marked if its system was trained by another recipe than those of most rows.
"""

from collections import Counter
from dataclasses import dataclass, replace

from attnmt.config import ALIGNER, DIAGONAL, Params, Training
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


SIGNS = "†‡§¶"  # of other recipes
Recipes = frozenset[Training]  # a model has one; an ensemble has several if members differ
DIAGONAL_ROW = Row(DIAGONAL, "diagonal, no model", DIAGONAL)


def table_rows(params: Params, table: str) -> list[Row]:
    """Return the rows of one table in the order of systems.yaml, with marks for other recipes.

    Systems of others come last.
    """
    rows = [Row(key, **row.model_dump()) for key, row in params.rows.get(table, {}).items()]
    return marked(params, sorted(rows, key=lambda row: row.system is None))


def marked(params: Params, rows: list[Row]) -> list[Row]:
    """Return the rows, each with a mark if its recipe differs from that of most rows.

    Each such recipe has its own sign. A row whose system is not trained has none.
    """
    recipes = {row.key: _recipes(params, row.system) for row in rows if params.runs_of(row.system)}
    usual, *others = [one for one, _ in Counter(recipes.values()).most_common()] or [Recipes()]
    signs = {other: SIGNS[i % len(SIGNS)] * (1 + i // len(SIGNS)) for i, other in enumerate(others)}
    return [
        replace(row, mark=signs[recipe], meaning=_meaning(signs[recipe], recipe, usual))
        if (recipe := recipes.get(row.key)) in signs
        else replace(row, mark="", meaning="")
        for row in rows
    ]


def _recipes(params: Params, system: str | None) -> Recipes:
    members = params.translators(params.runs_of(system)[0]).members
    return frozenset(params.recipe(member) for member in members)


def _meaning(sign: str, marked: Recipes, usual: Recipes) -> str:
    def values(recipes: Recipes, key: str) -> str:
        return " and ".join(sorted({str(getattr(recipe, key)) for recipe in recipes}))

    differences = [
        f"{key} {values(marked, key)}, not {values(usual, key)}"
        for key in Training.model_fields
        if values(marked, key) != values(usual, key)
    ]
    return f"{sign} marks another recipe of training: {'; '.join(differences)}."


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
