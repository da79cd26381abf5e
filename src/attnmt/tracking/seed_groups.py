"""One run in MLflow for each system with several seeds, with the runs of its seeds below it.

The run has the mean of each of the main scores over the seeds, and the standard deviation between them.
MLflow's own "group by" also shows means, but no deviations.
"""

from collections.abc import Collection
from statistics import mean, stdev
from typing import Any

from attnmt.config import Params
from attnmt.files.text_file import json_text, sha256_of_lines
from attnmt.tracking.score_metrics import scored_run
from attnmt.tracking.store import SCORES, VIEW_TAG, find_experiment, log_final, search, view_of

PARENT = "mlflow.parentRunId"  # the tag by which MLflow puts a run below another
DEVIATIONS = [f"metrics.`{name}{end}`" for name in SCORES for end in ("", "_sd")]
VIEW = view_of(["metrics.`seeds`", *DEVIATIONS, "tags.`tables`"])


def group_seeds(client: Any, params: Params, scored: Collection[str]) -> set[str]:
    """Put the seeds of each system with several seeds below one run. Other groups are removed.

    Returns:
        The systems whose group changed.

    Raises:
        InputError: if a file of scores or of a training is missing or damaged.
    """
    experiment, changed = params.experiment, set[str]()
    names = [*params.models, *params.ensembles]
    groups = {name: _seeds(client, params, name, scored) for name in names}
    wanted = {_digest(seeds): name for name, seeds in groups.items() if len(seeds) > 1}
    known = {
        r.data.tags.get("digest"): r for r in search(client, experiment, "tags.kind = 'system'")
    }
    for digest in known.keys() - wanted.keys():
        _remove(client, experiment, known[digest].info.run_id)
        changed.add(known[digest].data.tags["system"])
    for digest in wanted.keys() - known.keys():
        _create(client, experiment, wanted[digest], groups[wanted[digest]], digest)
        changed.add(wanted[digest])
    return changed


def _seeds(client: Any, params: Params, name: str, scored: Collection[str]) -> list[Any]:
    """Return the runs of a system's scored seeds, or none if ``name`` is not its first seed."""
    names = params.runs_of(name)
    if names[0] != name or len(names) < 2:
        return []
    runs = [scored_run(client, params, seed) for seed in names if seed in scored]
    return [run for run in runs if run is not None]


def _digest(seeds: list[Any]) -> str:
    """Return a digest of all that a group shows of its seeds."""
    shown = [[seed.info.run_id, _scores(seed), seed.data.tags.get("tables")] for seed in seeds]
    return sha256_of_lines([json_text(shown)])


def _scores(seed: Any) -> dict[str, float]:
    return {name: seed.data.metrics[name] for name in SCORES if name in seed.data.metrics}


def _create(client: Any, experiment: str, name: str, seeds: list[Any], digest: str) -> None:
    """Create the run of a system, which starts with its first seed. The view shows the deviations."""
    place, started = find_experiment(client, experiment), seeds[0].info.start_time
    client.set_experiment_tag(place.experiment_id, VIEW_TAG, VIEW)
    tags = {"kind": "system", "system": name}
    tags |= {key: text for key, text in seeds[0].data.tags.items() if key == "tables"}
    title = f"{name}, {len(seeds)} seeds"
    run_id = client.create_run(place.experiment_id, started, tags, title).info.run_id
    numbers: dict[str, float] = {"seeds": len(seeds)}
    for score in set.intersection(*(set(_scores(seed)) for seed in seeds)):
        values = [_scores(seed)[score] for seed in seeds]
        numbers |= {score: mean(values), f"{score}_sd": stdev(values)}
    log_final(client, run_id, numbers)
    client.set_terminated(run_id, "FINISHED", started)
    for seed in seeds:
        client.set_tag(seed.info.run_id, PARENT, run_id)
    client.set_tag(run_id, "digest", digest)  # last: a group without it is not complete


def _remove(client: Any, experiment: str, run_id: str) -> None:
    for seed in search(client, experiment, f"tags.`{PARENT}` = '{run_id}'"):
        client.delete_tag(seed.info.run_id, PARENT)
    client.delete_run(run_id)
