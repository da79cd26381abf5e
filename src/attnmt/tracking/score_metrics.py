"""The scores of models, ensembles and systems in MLflow.

A model's scores are in the run of its training, and an ensemble has a run of its own. A system with
several seeds has a run, too, with the runs of its seeds below it: with the mean of each main score over
the seeds, and the standard deviation between them. MLflow's own "group by" shows only means.
"""

import hashlib
from collections.abc import Collection
from statistics import mean, stdev
from typing import Any

from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.files.text_file import json_text, sha256_of_lines
from attnmt.layout import Layout
from attnmt.scoring.numbers import DIGITS, Numbers, metrics
from attnmt.tracking.store import (
    SCORES,
    VIEW_TAG,
    RunKey,
    find_experiment,
    find_run,
    log_final,
    open_run,
    search,
    view_of,
)
from attnmt.training.trained import read_metrics, read_provenance

PARENT = "mlflow.parentRunId"  # the tag by which MLflow puts a run below another
DEVIATIONS = [f"metrics.`{name}{end}`" for name in SCORES for end in ("", "_sd")]
VIEW = view_of(["metrics.`seeds`", *DEVIATIONS, "tags.`tables`"])


def scored_here(params: Params, numbers: Numbers) -> list[str]:
    """Return the models and ensembles whose numbers are those of the trainings that lie here.

    A training is known by its perplexity on the development set, which the numbers have, too.
    """
    scored = {line.model for line in numbers.lines}

    def is_here(model: str) -> bool:
        folder = Layout(params.experiment).model(model)
        line = numbers.training(model, "ppl", params.sets.dev)
        if line is None or not (folder / "metrics.json").exists():
            return False
        return line.value == round(read_metrics(folder).dev_perplexity, DIGITS)

    names = [name for name in (*params.models, *params.ensembles) if name in scored]
    return [name for name in names if all(map(is_here, params.translators(name).members))]


def add_scores(client: Any, params: Params, numbers: Numbers, name: str) -> bool:
    """Add a model's scores to the run of its training, or an ensemble's to the ensemble's own run.

    The first set that has a score gives it its plain name, as ``bleu``. Later sets add theirs, as
    ``test2/bleu``.

    Returns:
        Whether MLflow lacked any of them.

    Raises:
        InputError: if MLflow has no run of the training, or a file is missing or damaged.
    """
    key = _key(params, name)
    run = find_run(client, key)
    if run is not None:
        run_id = run.info.run_id
    elif name in params.models:
        raise InputError(f"{name} with fingerprint {key.fingerprint} has no run in MLflow")
    else:
        system = params.translators(name)
        first = system.members[0]
        described = system.model_dump(include={"members", "average", "family"})
        described["direction"] = params.model(first).direction
        digest = read_provenance(Layout(params.experiment).model(first)).dataset_digest
        run_id, _ = open_run(client, key, described, {"dataset_digest": digest})
        client.set_terminated(run_id, "FINISHED")
    found: dict[str, float] = {}
    for test, scores in metrics(numbers).get(name, {}).items():
        for score in SCORES:  # the others are in scores.csv, which the report's run carries
            if score in scores:
                found[f"{test}/{score}" if score in found else score] = scores[score]
    return log_final(client, run_id, found)


def scored_run(client: Any, params: Params, name: str) -> Any:
    """Return the run that has the scores of a model or an ensemble, or None.

    Raises:
        InputError: if the files of a training behind them are missing or damaged.
    """
    return find_run(client, _key(params, name))


def _key(params: Params, name: str) -> RunKey:
    """Return the key of the run for the scores, which is the run of a training or of an ensemble."""
    system, experiment = params.translators(name), params.experiment
    trained = [read_provenance(Layout(experiment).model(member)) for member in system.members]
    if name in params.models:
        return RunKey(experiment, name, trained[0].fingerprint, trained[0].started)
    parts = [system.average, *(part for one in trained for part in (one.fingerprint, one.started))]
    return RunKey(experiment, name, hashlib.sha256(" ".join(parts).encode()).hexdigest()[:16], "")


def group_seeds(client: Any, params: Params, scored: Collection[str]) -> set[str]:
    """Put the seeds of each system with several seeds below one run. Other groups are removed.

    Returns:
        The systems whose group changed.

    Raises:
        InputError: if a file of scores or of a training is missing or damaged.
    """
    experiment, changed = params.experiment, set[str]()
    groups = {}  # the systems and the runs of their scored seeds, by a digest of what is shown of them
    for name in [*params.models, *params.ensembles]:
        names = params.runs_of(name)
        if names[0] == name:
            seeds = [scored_run(client, params, seed) for seed in names if seed in scored]
            seeds = [seed for seed in seeds if seed is not None]
            if len(seeds) > 1:
                groups[_digest(seeds)] = name, seeds
    runs = search(client, experiment, "tags.kind = 'system'")
    known = {run.data.tags.get("digest"): run for run in runs}
    for digest in known.keys() - groups.keys():
        run = known[digest]
        for seed in search(client, experiment, f"tags.`{PARENT}` = '{run.info.run_id}'"):
            client.delete_tag(seed.info.run_id, PARENT)
        client.delete_run(run.info.run_id)
        changed.add(run.data.tags["system"])
    for digest in groups.keys() - known.keys():
        name, seeds = groups[digest]
        _create_group(client, experiment, name, seeds, digest)
        changed.add(name)
    return changed


def _digest(seeds: list[Any]) -> str:
    """Return a digest of all that a group shows of its seeds."""
    shown = [[seed.info.run_id, _scores(seed), seed.data.tags.get("tables")] for seed in seeds]
    return sha256_of_lines([json_text(shown)])


def _scores(seed: Any) -> dict[str, float]:
    return {name: seed.data.metrics[name] for name in SCORES if name in seed.data.metrics}


def _create_group(client: Any, experiment: str, name: str, seeds: list[Any], digest: str) -> None:
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
