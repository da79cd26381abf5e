"""How the two sides of a claim differ, and which faults the authors' program had in them."""

from collections.abc import Iterator, Sequence

from attnmt.config import Params
from attnmt.config.claims import Claim
from attnmt.config.parts import SCORES, WINDOWS, Part
from attnmt.scoring.numbers import Numbers

FAULTY = "faults of the authors' program"
FAULTS = {  # of the authors' program, in words
    "general_gradient": "a wrong gradient of the general score",
    "position_gradient": "a wrong gradient of p_t",
    "unmasked_padding": "weight on padding",
}


def contrasts(params: Params, numbers: Numbers, claim: Claim) -> list[str]:
    """Return every property in which a claim's systems differ from those that they are compared with.

    What the claim is about is among them, and so is whatever changes with it. What only one side can
    have, such as the half-width D of a local window, follows from another property and is left out. The
    faults that the authors' program had in these systems come last. If a claim has no systems to compare
    with, the list has only these. It is empty if a system is not trained.
    """
    sides = claim.systems, claim.over or []
    if not all(params.runs_of(name) for side in sides for name in side):
        return []
    ours, others = (_properties(params, numbers, side) for side in sides)
    found = [
        f"{label} {', '.join(sorted(ours[label]))} against {', '.join(sorted(others[label]))}"
        for label in ours
        if claim.over and label in others and label != FAULTY and ours[label] != others[label]
    ]
    fault, other = (
        ", ".join(words for name, words in FAULTS.items() if name in side.get(FAULTY, ())) or "none"
        for side in (ours, others)
    )
    if fault != other:
        both = f" on this side, {other} on the other" if claim.over else ""
        found.append(f"{FAULTY}, which ours has not: {fault}{both}")
    return found


def _properties(params: Params, numbers: Numbers, systems: Sequence[str]) -> dict[str, set[str]]:
    """Return the values that each property has among some systems."""
    values: dict[str, set[str]] = {}
    for name in systems:
        ensemble = params.translators(params.runs_of(name)[0])
        values.setdefault("models", set()).add(str(len(ensemble.members)))
        if len(ensemble.members) > 1:
            values.setdefault("average of", set()).add(ensemble.average)
        for member in ensemble.members:
            for label, value in _of_model(params, numbers, member):
                values.setdefault(label, set()).add(value)
    return values


def _of_model(params: Params, numbers: Numbers, name: str) -> Iterator[tuple[str, str]]:
    model, recipe = params.model(name), params.recipe(name)
    shape, D = params.shape(name), params.half_width(name)
    yield "family", model.family
    yield "layers", str(shape.layers)
    yield "cells", str(shape.size)
    yield "attention", model.attention
    yield "score", model.score or "none"
    if D is not None:
        yield "window's D", str(D)
    yield "input feeding", "yes" if model.input_feeding else "no"
    yield "source read", model.order
    yield "dropout", f"{model.dropout:g}"
    weights = numbers.training(name, "parameters")
    if weights and weights.value is not None:
        yield "weights", f"{weights.value:,.0f}"
    yield "optimizer", recipe.optimizer
    yield "learning rate", f"{recipe.learning_rate:g}"
    yield "epochs", f"{recipe.epochs} (rate halved after {recipe.halve_after})"
    yield "patience", str(recipe.patience or "none")
    own = {part: model.numbers.get(part, {}) for part in model.system.parts}
    given = [f"{key} {value:g} of {part}" for part in own for key, value in own[part].items()]
    yield "numbers", ", ".join(given) or "defaults"
    if params.families[model.family].shape.cell == "lstm" and model.score is not None:
        score = SCORES.get(model.score, Part())
        windowed = WINDOWS.get(model.attention, Part()).faults if score.windowed else ()
        yield from ((FAULTY, fault) for fault in (*score.faults, *windowed))
