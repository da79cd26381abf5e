"""Which systems of an experiment are best on the development set, according to its numbers."""

from attnmt.config import Direction, Params
from attnmt.scoring.numbers import Line, Numbers


def ranked_systems(params: Params, numbers: Numbers, direction: Direction = "forward") -> list[str]:
    """Return the systems of a direction, by their perplexity on the development set.

    Only systems of the first family count, because perplexities over other units do not
    compare. Systems with faults of the authors' program are left out.
    """
    family, perplexities = next(iter(params.families)), dict[str, float]()
    for name, model in params.models.items():
        line = numbers.system(name, "ppl", params.sets.dev)
        fits = model.family == family and model.direction == direction and not model.faults
        if fits and line and line.value:
            perplexities[name] = line.value
    return sorted(perplexities, key=lambda name: perplexities[name])


def best_systems(
    params: Params, numbers: Numbers, direction: Direction = "forward"
) -> tuple[str | None, str | None]:
    """Return the best system with attention and the best one without; None where there is none."""
    ranked = ranked_systems(params, numbers, direction)
    with_attention = next((name for name in ranked if params.attends(name)), None)
    without = next((name for name in ranked if not params.attends(name)), None)
    return with_attention, without


def attention_pair(params: Params, numbers: Numbers) -> tuple[Line, Line] | None:
    """Return BLEU of the best system with attention and of the best one without, if both are trained."""
    test, names = params.sets.tests[0], best_systems(params, numbers)
    one, two = (numbers.system(name, "bleu", test, "tokenized", "before") for name in names)
    return (one, two) if one and two else None
