"""Marks for systems that learned by another recipe than most of their table."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from attnmt.config import Params, Training

SIGNS = "†‡§¶"
Recipes = frozenset[Training]  # of a system: one, or those of an ensemble's members


@dataclass(frozen=True)
class Marks:
    """A sign for each system that is marked, and a sentence for each sign."""

    signs: dict[str, str]
    notes: dict[str, str]


def marks(params: Params, models: Sequence[str | None]) -> Marks:
    """Mark the systems whose recipe is not that of most rows. Each recipe has a sign of its own.

    Args:
        params: of the experiment.
        models: the systems and ensembles of a table, row by row; those that are not trained get no mark.
    """
    trained = [model for model in models if model and params.runs_of(model)]
    recipes = {model: _recipes(params, model) for model in trained}
    ranked = [found for found, _ in Counter(recipes[model] for model in trained).most_common()]
    signs = {
        found: SIGNS[i % len(SIGNS)] * (1 + i // len(SIGNS)) for i, found in enumerate(ranked[1:])
    }
    return Marks(
        {model: signs[found] for model, found in recipes.items() if found in signs},
        {sign: _note(sign, found, ranked[0]) for found, sign in signs.items()},
    )


def _recipes(params: Params, model: str) -> Recipes:
    members = params.translators(params.runs_of(model)[0]).members
    return frozenset(params.recipe(member) for member in members)


def _note(sign: str, here: Recipes, elsewhere: Recipes) -> str:
    """Return what differs, as "† Trained by another recipe: epochs 1, not 5."."""
    differences = [
        f"{key} {_values(here, key)}, not {_values(elsewhere, key)}"
        for key in Training.model_fields
        if _values(here, key) != _values(elsewhere, key)
    ]
    return f"{sign} Trained by another recipe: {'; '.join(differences)}."


def _values(recipes: Recipes, key: str) -> str:
    return " and ".join(sorted({str(getattr(recipe, key)) for recipe in recipes}))
