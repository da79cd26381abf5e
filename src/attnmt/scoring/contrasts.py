"""How the two sides of a claim differ, and which faults the authors' program had in them."""

from collections.abc import Iterable, Iterator, Sequence

from attnmt.config import Model, Params
from attnmt.config.claims import Claim
from attnmt.config.parts import SCORES, WINDOWS, Part
from attnmt.scoring.claims import systems_of
from attnmt.scoring.numbers import Numbers

FAULTS = {  # of the authors' program, in words
    "general_gradient": "a wrong gradient of the general score",
    "position_gradient": "a wrong gradient of p_t",
    "unmasked_padding": "weight on padding",
}


def contrasts(params: Params, numbers: Numbers, claim: Claim) -> list[str]:
    """Return every property in which a claim's systems differ from those that they are compared with.

    What the claim is about is among them, and so is whatever changes with it. The faults that the
    authors' program had in these systems come last. If a claim has no systems to compare with, the list
    has only these. It is empty if a system is not trained.
    """
    if not all(params.runs_of(name) for name in systems_of(claim)):
        return []
    ours, others = (
        _properties(params, numbers, side) for side in (claim.systems, claim.over or ())
    )
    found = [
        f"{label} {', '.join(ours[label])} against {', '.join(others[label])}"
        for label in (ours if claim.over else ())
        if ours[label] != others[label]
    ]
    sides = [
        ", ".join(_faults(params, side)) or "none" for side in (claim.systems, claim.over or ())
    ]
    if sides[0] != sides[1]:
        other = f" on this side, {sides[1]} on the other" if claim.over else ""
        found.append(f"faults of the authors' program, which ours has not: {sides[0]}{other}")
    return found


def _properties(params: Params, numbers: Numbers, systems: Sequence[str]) -> dict[str, list[str]]:
    """Return the values that each property has among some systems, each value once."""
    values: dict[str, dict[str, None]] = {}
    for name in systems:
        members = params.translators(params.runs_of(name)[0]).members
        values.setdefault("models", {})[str(len(members))] = None
        for member in members:
            for label, value in _of_model(params, numbers, member):
                values.setdefault(label, {})[value] = None
    return {label: sorted(found) for label, found in values.items()}


def _of_model(params: Params, numbers: Numbers, name: str) -> Iterator[tuple[str, str]]:
    model, recipe = params.model(name), params.recipe(name)
    yield "attention", model.attention
    yield "score", model.score or "none"
    yield "input feeding", "yes" if model.input_feeding else "no"
    yield "source read", "backwards" if model.reverse else "forwards"
    yield "dropout", f"{model.dropout:g}"
    weights = numbers.training(name, "parameters")
    if weights and weights.value is not None:
        yield "weights", f"{weights.value:,.0f}"
    yield "optimizer", recipe.optimizer
    yield "learning rate", f"{recipe.learning_rate:g}"
    yield "epochs", f"{recipe.epochs} (rate halved after {recipe.halve_after})"


def _faults(params: Params, systems: Iterable[str]) -> list[str]:
    """Return the faults that the authors' program had in some of these systems."""
    models = [
        params.model(member)
        for name in systems
        for member in params.translators(params.runs_of(name)[0]).members
    ]
    found = {name for model in models for name in _faults_of(params, model)}
    return [words for name, words in FAULTS.items() if name in found]


def _faults_of(params: Params, model: Model) -> Iterator[str]:
    if params.families[model.family].shape.cell == "lstm" and model.score is not None:
        score = SCORES.get(model.score, Part())
        yield from score.faults
        if score.windowed:
            yield from WINDOWS.get(model.attention, Part()).faults
