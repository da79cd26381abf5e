"""The rows of the tables: those of systems.yaml, and those of our own tables, which follow from it."""

import json
from dataclasses import dataclass, replace

from attnmt.config import ALIGNER, DIAGONAL, Params
from attnmt.reporting.marks import recipe_marks
from attnmt.reporting.own_text import own_systems


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
    systems = own_systems(params)
    return marked(params, [Row(n, n, n, replaced=params.replaces_words(n)) for n in systems])


def own_linked_rows(params: Params, _: str) -> list[Row]:
    """Return a row of each system with attention, then one of links that no model makes."""
    systems = [Row(name, name, name) for name in own_systems(params) if params.attends(name)]
    return [*marked(params, systems), Row(ALIGNER, ALIGNER, ALIGNER), DIAGONAL_ROW]


def subword_pairs(params: Params, _: str) -> list[Row]:
    """Return the rows of each forward system that is trained both on words and on subwords.

    Words come first. The models of a pair differ only in the seed and in their family's vocabulary and
    pieces. The gain of each row counts from the row above it.
    """

    def pieces(name: str) -> bool:
        return params.families[params.models[name].family].encoding.pieces is not None

    rows = []
    for names in _alike(params, {"family"}, without_encoding={"vocabulary", "pieces"}):
        if {pieces(name) for name in names} == {True, False}:
            ordered = sorted(names, key=pieces)
            for above, name in zip([None, *ordered], ordered, strict=False):
                label = f"{name} ({'subwords' if pieces(name) else 'words'})"
                rows.append(Row(name, label, name, over=above))
    return marked(params, rows)


def fault_rows(params: Params, _: str) -> list[Row]:
    """Return the rows of each forward system that is trained both with faults and without.

    The model without faults comes first, and the gains of the others count from it. The models of a
    system differ only in the seed and in their faults.
    """
    faults = {name: sorted(model.faults) for name, model in params.models.items()}
    rows = []
    for names in _alike(params, {"faults"}, without_encoding=set()):
        first, *others = sorted(names, key=lambda name: len(faults[name]))
        if others and not faults[first]:
            rows.append(Row(first, f"{first} (no fault)", first))
            for name in others:
                rows.append(Row(name, f"{name} ({', '.join(faults[name])})", name, over=first))
    return marked(params, rows)


def deciding_rows(params: Params, table: str) -> list[Row]:
    """Return the rows of a table "What decides" that the experiment trains.

    There are none if the experiment trains no system or ensemble on request. The other systems of these
    tables fill rows of the paper.
    """
    rows = [row for row in table_rows(params, table) if params.runs_of(row.system)]
    return rows if any(row.system in params.on_request for row in rows) else []


def _alike(params: Params, without_model: set[str], without_encoding: set[str]) -> list[list[str]]:
    """Return groups of forward models that differ only in the seed and in the named settings.

    Models that differ only in the seed share a row, so a group names only the first of them.
    """
    groups: dict[str, dict[str, None]] = {}
    for name, model in params.models.items():
        if model.direction != "forward":
            continue
        family = params.families[model.family]
        settings = model.model_dump(exclude={"seed", "entry", *without_model})
        settings |= params.recipe(name).model_dump()
        settings |= family.encoding.model_dump(exclude=without_encoding)
        settings |= {"shape": family.shape.model_dump()}
        group = groups.setdefault(json.dumps(settings, sort_keys=True), {})
        group[params.seeds_of(name)[0]] = None
    return [list(names) for names in groups.values()]
