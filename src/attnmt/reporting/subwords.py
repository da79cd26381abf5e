"""The rows of the table of words against subwords: one system on either, and nothing else changed."""

import json

from attnmt.config import Params
from attnmt.reporting.paper import Row
from attnmt.reporting.tables import SUBWORDS


def subword_pairs(params: Params) -> list[list[Row]]:
    """Return a group of rows, words first, for each English-German system that is trained on both.

    The models of a group agree in everything but the seed and their family's vocabulary and pieces.
    """
    groups: dict[str, dict[str, bool]] = {}
    for name, model in params.models.items():
        if model.direction != "en-de":
            continue
        first = params.seeds_of(name)[0]  # stands for the others, with which it makes one row
        pieces = params.families[model.family].encoding.pieces is not None
        groups.setdefault(_like(params, name), {})[first] = pieces
    return [
        [_row(name, pieces) for name, pieces in sorted(models.items(), key=lambda item: item[1])]
        for models in groups.values()
        if set(models.values()) == {True, False}
    ]


def _like(params: Params, name: str) -> str:
    """Return what the models of a group have in common."""
    model = params.models[name]
    family = params.families[model.family]
    own = model.model_dump(exclude={"family", "seed"}) | params.recipe(name).model_dump()
    encoding = family.encoding.model_dump(exclude={"vocabulary", "pieces"})
    return json.dumps(own | encoding | {"shape": family.shape.model_dump()}, sort_keys=True)


def _row(name: str, pieces: bool) -> Row:
    return Row(SUBWORDS.title, f"{name} ({'subwords' if pieces else 'words'})", name)
