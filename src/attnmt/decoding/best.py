"""Which model of an experiment stands for it, known without loading any."""

from pathlib import Path

from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.model.trained import read_metrics


def best_model(params: Params, root: Path = Path()) -> str:
    """Return the English-German model of the first family with the lowest perplexity on the dev set.

    Models with faults of the authors' program do not stand for election.

    Raises:
        InputError: if none of them is trained, or the metrics of one are damaged.
    """
    family = next(iter(params.families))
    layout, found = Layout(params.experiment, root), {}
    for name, model in params.models.items():
        path = layout.model(name) / "metrics.json"
        fits = model.family == family and model.direction == "en-de" and not model.faults
        if fits and path.exists():
            found[name] = read_metrics(path.parent).dev_perplexity
    if not found:
        raise InputError(
            f"{layout.model('*') / 'metrics.json'}: no English-German model of family {family!r} is "
            f"trained; run the stages train first, or name a model"
        )
    return min(found, key=lambda name: found[name])
