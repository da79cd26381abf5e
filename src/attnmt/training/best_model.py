"""Which model of an experiment is best on the development set. No model is loaded to find out.

MLflow and the server name this model. The report names the best system, which is the same where each
system is trained once.
"""

from pathlib import Path

from attnmt.config import DEMO, Params
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.training.trained import read_metrics


def best_model(params: Params, root: Path = Path()) -> str:
    """Return the first of :func:`ranked_models`.

    Raises:
        InputError: if none of them is trained, or the metrics of one are damaged.
    """
    ranked = ranked_models(params, root)
    if not ranked:
        path = Layout(params.experiment, root).model("*") / "metrics.json"
        other = f"snakemake -j2 --config experiment={params.experiment}"
        run = "make demo" if params.experiment == DEMO else other
        raise InputError(
            f"{path}: no forward model of family {_family(params)!r} is trained; to train "
            f"them all: {run}; or name a model"
        )
    return ranked[0]


def ranked_models(params: Params, root: Path = Path()) -> list[str]:
    """Return the trained forward models of the first family, the best one first.

    The best one has the lowest perplexity on the development set. Models with faults of the authors'
    program are left out.

    Raises:
        InputError: if the metrics of one are damaged.
    """
    layout, perplexities = Layout(params.experiment, root), {}
    for name, model in params.models.items():
        folder = layout.model(name)
        fits = model.family == _family(params) and model.direction == "forward" and not model.faults
        if fits and (folder / "metrics.json").exists():
            perplexities[name] = read_metrics(folder).dev_perplexity
    return sorted(perplexities, key=lambda name: perplexities[name])


def _family(params: Params) -> str:
    return next(iter(params.families))
