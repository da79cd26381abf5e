"""Signs that follow the label of a system that was trained by another recipe."""

from collections import Counter
from collections.abc import Sequence

from attnmt.config import Params, Training

SIGNS = "†‡§¶"  # of other recipes
Recipes = frozenset[Training]  # a model has one; an ensemble has several if members differ


def recipe_marks(params: Params, systems: Sequence[str | None]) -> dict[str, tuple[str, str]]:
    """Mark the systems whose recipe is not that of most rows. Each such recipe has its own sign.

    Args:
        systems: those of a table, row by row. If one is not trained, it gets no mark.

    Returns:
        The sign and what it means, such as "† marks another recipe of training: epochs 1, not 5.", of
        each system that is marked.
    """
    trained = [system for system in systems if system and params.runs_of(system)]
    recipes = {system: _recipes(params, system) for system in trained}
    usual, *others = [
        recipe for recipe, _ in Counter(recipes[system] for system in trained).most_common()
    ] or [Recipes()]
    signs = {
        recipe: SIGNS[i % len(SIGNS)] * (1 + i // len(SIGNS)) for i, recipe in enumerate(others)
    }
    return {
        system: (signs[recipe], _note(signs[recipe], recipe, usual))
        for system, recipe in recipes.items()
        if recipe in signs
    }


def _recipes(params: Params, system: str) -> Recipes:
    members = params.translators(params.runs_of(system)[0]).members
    return frozenset(params.recipe(member) for member in members)


def _note(sign: str, marked: Recipes, usual: Recipes) -> str:
    differences = [
        f"{key} {_values(marked, key)}, not {_values(usual, key)}"
        for key in Training.model_fields
        if _values(marked, key) != _values(usual, key)
    ]
    return f"{sign} marks another recipe of training: {'; '.join(differences)}."


def _values(recipes: Recipes, key: str) -> str:
    return " and ".join(sorted({str(getattr(recipe, key)) for recipe in recipes}))
