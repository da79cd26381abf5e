"""Marks for systems whose recipe of training differs from that of most systems of their table."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from attnmt.config import Params, Training

SIGNS = "†‡§¶"
Recipes = frozenset[Training]  # a model has one; an ensemble has several if members differ


@dataclass(frozen=True)
class Marks:
    """The sign of each system that is marked, and a sentence for each sign."""

    signs: dict[str, str]
    notes: dict[str, str]


def marks(params: Params, models: Sequence[str | None]) -> Marks:
    """Mark the systems whose recipe is not that of most rows. Each such recipe has its own sign.

    Args:
        models: the systems and ensembles of a table, row by row. Those that are not trained get no mark.
    """
    trained = [model for model in models if model and params.runs_of(model)]
    recipes = {model: _recipes(params, model) for model in trained}
    ranked = [recipe for recipe, _ in Counter(recipes[model] for model in trained).most_common()]
    signs = {
        recipe: SIGNS[i % len(SIGNS)] * (1 + i // len(SIGNS)) for i, recipe in enumerate(ranked[1:])
    }
    return Marks(
        {model: signs[recipe] for model, recipe in recipes.items() if recipe in signs},
        {sign: _note(sign, recipe, ranked[0]) for recipe, sign in signs.items()},
    )


def _recipes(params: Params, model: str) -> Recipes:
    members = params.translators(params.runs_of(model)[0]).members
    return frozenset(params.recipe(member) for member in members)


def _note(sign: str, marked: Recipes, usual: Recipes) -> str:
    """Return what differs, such as "† marks another recipe of training: epochs 1, not 5."."""
    differences = [
        f"{key} {_values(marked, key)}, not {_values(usual, key)}"
        for key in Training.model_fields
        if _values(marked, key) != _values(usual, key)
    ]
    return f"{sign} marks another recipe of training: {'; '.join(differences)}."


def _values(recipes: Recipes, key: str) -> str:
    return " and ".join(sorted({str(getattr(recipe, key)) for recipe in recipes}))
