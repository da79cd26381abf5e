"""The rows of our own tables: systems that differ in one thing and in nothing else."""

import json

from attnmt.config import Params
from attnmt.reporting.paper import Row, paper_rows
from attnmt.reporting.tables import FAULTS, SCORINGS, SUBWORDS


def scored_rows(params: Params) -> list[list[Row]]:
    """Return the rows of Table 1 that answer to a system of the experiment, in one group."""
    own = params.models.keys() | params.ensembles.keys()
    rows = [row for row in paper_rows("Table 1") if row.model in own]
    return [[Row(SCORINGS.title, row.system, row.model, replaced=row.replaced) for row in rows]]


def subword_pairs(params: Params) -> list[list[Row]]:
    """Return a group of rows, words first, for each English-German system that is trained on both.

    The models of a group agree in everything but the seed and their family's vocabulary and pieces.
    """

    def pieces(name: str) -> bool:
        return params.families[params.models[name].family].encoding.pieces is not None

    groups = _alike(params, without_model={"family"}, without_encoding={"vocabulary", "pieces"})
    return [
        [
            Row(SUBWORDS.title, f"{name} ({'subwords' if pieces(name) else 'words'})", name)
            for name in sorted(names, key=pieces)
        ]
        for names in groups
        if {pieces(name) for name in names} == {True, False}
    ]


def fault_groups(params: Params) -> list[list[Row]]:
    """Return a group of rows for each English-German system that is trained with faults and without.

    The one without comes first. The models of a group agree in everything but the seed and the faults.
    """

    def faults(name: str) -> list[str]:
        return sorted(params.models[name].faults)

    def label(name: str) -> str:
        return f"{name} ({', '.join(faults(name)) or 'no fault'})"

    alike = _alike(params, without_model={"faults"}, without_encoding=set())
    groups = [sorted(names, key=lambda name: len(faults(name))) for names in alike]
    return [
        [Row(FAULTS.title, label(name), name) for name in names]
        for names in groups
        if not faults(names[0]) and len(names) > 1
    ]


def _alike(params: Params, without_model: set[str], without_encoding: set[str]) -> list[list[str]]:
    """Group the English-German models that agree in everything but what is named and the seed.

    The first seed stands for the others, with which it makes one row.
    """
    groups: dict[str, dict[str, None]] = {}
    for name, model in params.models.items():
        if model.direction != "en-de":
            continue
        family = params.families[model.family]
        own = model.model_dump(exclude={"seed", *without_model}) | params.recipe(name).model_dump()
        own |= family.encoding.model_dump(exclude=without_encoding)
        own |= {"shape": family.shape.model_dump()}
        group = groups.setdefault(json.dumps(own, sort_keys=True), {})
        group[params.seeds_of(name)[0]] = None
    return [list(names) for names in groups.values()]
