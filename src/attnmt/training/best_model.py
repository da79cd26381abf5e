"""Which model of an experiment is best on the development set. No model is loaded to find out.

The report names the best system, which is the same where each system is trained once.
"""

from pathlib import Path

from attnmt.config import DEMO, Params
from attnmt.errors import InputError
from attnmt.layout import METRICS, Layout
from attnmt.training.trained import read_metrics


def best_model(params: Params, root: Path = Path()) -> str:
    """Return the best trained model of the first group of :meth:`Params.by_units`.

    It has the lowest perplexity on the development set.

    Raises:
        InputError: if none of them is trained, or the metrics of one are damaged.
    """
    folders = {name: Layout(params.experiment, root).model(name) for name in params.trainings}
    perplexities = {
        name: read_metrics(folders[name]).dev_perplexity
        for name in next(iter(params.by_units()), [])
        if (folders[name] / METRICS).exists()
    }
    if not perplexities:
        path = Layout(params.experiment, root).model("")
        other = f"snakemake -j2 --config experiment={params.experiment}"
        run = "make demo" if params.experiment == DEMO else other
        raise InputError(
            f"{path}: no {params.main_direction} model is trained; run {run}, or name packed weights, "
            f"as in --weights weights/demo"
        )
    return min(perplexities, key=lambda name: perplexities[name])
