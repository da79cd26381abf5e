"""The scores of models and ensembles in MLflow. A model's scores are in the run of its training."""

import hashlib
from typing import Any

from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.scoring.evaluate import DIGITS
from attnmt.scoring.numbers import Numbers, metrics
from attnmt.tracking.store import RunKey, find_run, log_final, open_run
from attnmt.training.trained import read_metrics, read_provenance

SHOWN = ("bleu", "bleu_unk", "aer")  # the others are in scores.csv, which the report's run carries


def is_of_these_trainings(params: Params, numbers: Numbers, name: str) -> bool:
    """Return whether the numbers of a model or an ensemble are those of the trainings that lie here.

    A training is known by its perplexity on the development set, which the numbers have, too.
    """
    if not any(line.model == name for line in numbers.lines):
        return False
    for member in params.translators(name).members:
        folder = Layout(params.experiment).model(member)
        line = numbers.training(member, "ppl", params.sets.dev)
        if line is None or not (folder / "metrics.json").exists():
            return False
        if line.value != round(read_metrics(folder).dev_perplexity, DIGITS):
            return False
    return True


def add_scores(client: Any, params: Params, numbers: Numbers, name: str) -> bool:
    """Add a model's scores to the run of its training, or an ensemble's to the ensemble's own run.

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
    return log_final(client, run_id, score_metrics(numbers, name))


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


def score_metrics(numbers: Numbers, name: str) -> dict[str, float]:
    """Return the few scores of a model or an ensemble that MLflow shows, as ``dvc metrics`` names them.

    The first set that has a score gives it its plain name, as ``bleu``. Later sets add theirs, as
    ``test2/bleu``.
    """
    found: dict[str, float] = {}
    for test, scores in metrics(numbers).get(name, {}).items():
        for score in SHOWN:
            if score in scores:
                found[f"{test}/{score}" if score in found else score] = scores[score]
    return found
