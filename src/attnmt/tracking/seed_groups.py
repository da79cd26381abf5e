"""One run in MLflow for each system with several seeds, with the runs of its seeds below it.

The run has the mean of each of the main scores over the seeds, and the standard deviation between them.
MLflow's own "group by" also shows means, but no deviations.
"""

from statistics import mean, stdev
from typing import Any

from attnmt.config import Params
from attnmt.layout import Layout
from attnmt.tracking.score_metrics import scored_run
from attnmt.tracking.store import (
    SCORES,
    group_runs,
    log_final,
    make_group,
    model_runs,
    set_tag,
    show_deviations,
)

PARENT = "mlflow.parentRunId"  # the tag by which MLflow puts a run below another


def group_seeds(client: Any, params: Params) -> set[str]:
    """Put the seeds of each system with several seeds below one run. Remove other groups.

    Returns:
        The systems whose group changed.

    Raises:
        InputError: if a file of scores or of a training is missing or damaged.
    """
    experiment, changed = params.experiment, set[str]()
    known = group_runs(client, experiment)
    groups = {name: _seeds(client, params, name) for name in [*params.models, *params.ensembles]}
    groups = {name: seeds for name, seeds in groups.items() if len(seeds) > 1}
    for name, seeds in groups.items():
        run = known.get(name) or make_group(client, experiment, name, seeds[0].info.start_time)
        if _fill(client, run, name, seeds):
            changed.add(name)
    for name in known.keys() - groups.keys():
        for run in model_runs(client, experiment):
            if run.data.tags.get(PARENT) == known[name].info.run_id:
                client.delete_tag(run.info.run_id, PARENT)
        client.delete_run(known[name].info.run_id)
        changed.add(name)
    if groups:
        show_deviations(client, experiment)
    return changed


def _seeds(client: Any, params: Params, name: str) -> list[Any]:
    """Return the runs of a system's scored seeds, or none if ``name`` is not its first seed."""
    names, layout = params.runs_of(name), Layout(params.experiment)
    if names[0] != name or len(names) < 2:
        return []
    scored = [seed for seed in names if layout.scores(seed).exists()]
    runs = [scored_run(client, params, seed) for seed in scored]
    return [run for run in runs if run is not None]


def _fill(client: Any, run: Any, name: str, seeds: list[Any]) -> bool:
    """Bring a group up to date; return whether anything changed."""
    numbers: dict[str, float] = {"seeds": len(seeds)}
    for score in SCORES:
        values = [seed.data.metrics[score] for seed in seeds if score in seed.data.metrics]
        if len(values) == len(seeds):
            numbers |= {score: mean(values), f"{score}_sd": stdev(values)}
    title = f"{name}, {len(seeds)} seeds"
    changes = [log_final(client, run.info.run_id, numbers)]
    if run.info.run_name != title:
        client.update_run(run.info.run_id, name=title)
        changes.append(True)
    tables = seeds[0].data.tags.get("tables")
    if tables:
        changes.append(set_tag(client, run, "tables", tables))
    changes += [set_tag(client, seed, PARENT, run.info.run_id) for seed in seeds]
    return any(changes)
