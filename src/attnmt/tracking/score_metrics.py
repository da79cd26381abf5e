"""The scores of models and ensembles in MLflow.

A model's scores are in the run of its training, and an ensemble has a run of its own. The tag ``system``
is that of the model, so that MLflow's "group by" shows the mean over the seeds of a system.
"""

import hashlib
from typing import Any

from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.scoring.numbers import DIGITS, Numbers, metrics
from attnmt.tracking.runs import RunKey, find_run, log_final, open_run
from attnmt.tracking.store import SCORES
from attnmt.training.trained import read_metrics, read_provenance


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
    run = find_run(client, key.experiment, key.tags)
    if run is None and name in params.models:
        raise InputError(f"{name} with fingerprint {key.fingerprint} has no run in MLflow")
    if run is None:
        translators = params.translators(name)
        first = translators.members[0]
        described = translators.model_dump(include={"members", "average", "family"})
        described["direction"] = params.model(first).direction
        digest = read_provenance(Layout(params.experiment).model(first)).dataset_digest
        run_id, _ = open_run(client, key, described, {"dataset_digest": digest})
        client.set_terminated(run_id, "FINISHED")
        run = client.get_run(run_id)
    found: dict[str, float] = {}
    for test, scores in metrics(numbers).get(name, {}).items():
        for score in SCORES:  # the others are in scores.csv, which the report's run carries
            if score in scores:
                found[f"{test}/{score}" if score in found else score] = scores[score]
    first_seed = params.runs_of(name)[0]
    if run.data.tags.get("system") != first_seed:
        client.set_tag(run.info.run_id, "system", first_seed)
    return log_final(client, run.info.run_id, found)


def _key(params: Params, name: str) -> RunKey:
    """Return the key of the run for the scores, which is the run of a training or of an ensemble."""
    system, experiment = params.translators(name), params.experiment
    trained = [read_provenance(Layout(experiment).model(member)) for member in system.members]
    if name in params.models:
        return RunKey(experiment, name, trained[0].fingerprint, trained[0].started)
    parts = [system.average, *(part for one in trained for part in (one.fingerprint, one.started))]
    return RunKey(experiment, name, hashlib.sha256(" ".join(parts).encode()).hexdigest()[:16], "")
