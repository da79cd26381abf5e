"""The scores of models and ensembles in MLflow. A model's scores are in the run of its training."""

import hashlib
from typing import Any

from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.scoring.results import LinkScores, Score, Script, SystemScores, read_scores
from attnmt.tracking.store import RunKey, find_run, log_final, open_run
from attnmt.training.trained import Provenance, read_provenance

LABELS: dict[Script, str] = {  # the names in MLflow of the scripts of a scores file
    "tokenized": "bleu_tokenized",
    "nist": "bleu_nist",
    "sacrebleu": "bleu_sacrebleu",
    "chrf": "chrf",
    "ter": "ter",
}


def add_scores(client: Any, experiment: str, name: str) -> bool:
    """Add a model's scores to the run of its training, or an ensemble's to the ensemble's own run.

    Returns:
        Whether MLflow lacked any of them.

    Raises:
        InputError: if MLflow has no run of the training, or a file is missing or damaged.
    """
    layout = Layout(experiment)
    scores = read_scores(experiment, name)
    trained = [read_provenance(layout.model(member)) for member in scores.models]
    key = _key(experiment, name, scores.average, trained)
    run = find_run(client, key)
    if run is not None:
        run_id = run.info.run_id
    elif scores.average is None:
        raise InputError(f"{name} with fingerprint {key.fingerprint} has no run in MLflow")
    else:
        described = scores.model_dump(include={"models", "average", "family", "direction"})
        tags = {"dataset_digest": scores.dataset_digest}
        run_id, _ = open_run(client, key, described, tags)
        client.set_terminated(run_id, "FINISHED")
    return log_final(client, run_id, score_metrics(scores))


def scored_run(client: Any, experiment: str, name: str) -> Any:
    """Return the run that has the scores of a model or an ensemble, or None.

    Raises:
        InputError: if its scores, or the files of a training behind them, are missing or damaged.
    """
    scores, layout = read_scores(experiment, name), Layout(experiment)
    trained = [read_provenance(layout.model(member)) for member in scores.models]
    return find_run(client, _key(experiment, name, scores.average, trained))


def _key(experiment: str, name: str, average: str | None, trained: list[Provenance]) -> RunKey:
    """Return the key of the run for the scores, which is the run of a training or of an ensemble."""
    if average is None:
        return RunKey(experiment, name, trained[0].fingerprint, trained[0].started)
    parts = [average, *(part for one in trained for part in (one.fingerprint, one.started))]
    return RunKey(experiment, name, hashlib.sha256(" ".join(parts).encode()).hexdigest()[:16], "")


def score_metrics(scores: SystemScores) -> dict[str, float]:
    """Return the numbers of a scores file by their MLflow names, such as ``<set>/bleu_nist_after``.

    The most important ones have short names, too: ``bleu`` and ``bleu_unk`` (on tokens, before and after
    unknown words are replaced) and ``perplexity``, all on the first test set, and ``aer``. The bounds of
    an interval have names such as ``<set>/interval/bleu_nist_after_low``. A null, such as an ensemble's
    perplexity, is left out.
    """
    first = next(iter(scores.sets.values()))
    metrics: dict[str, float | None] = {
        "bleu": first.before.tokenized.value,
        "bleu_unk": first.after.tokenized.value,
        "aer": scores.alignments[0].aer if scores.alignments else None,
        "perplexity": first.perplexity,
    }
    for name, result in scores.sets.items():
        metrics[f"{name}/perplexity"] = result.perplexity
        for when, by_script in (("before", result.before), ("after", result.after)):
            for script, label in LABELS.items():
                score, key = by_script.by(script), f"{label}_{when}"
                metrics[f"{name}/{key}"] = score.value
                metrics |= _interval(f"{name}/interval/{key}", score)
    for links in scores.alignments:
        metrics[f"{links.set}/aer"] = links.aer
        metrics |= _interval(f"{links.set}/interval/aer", links)
        for step, rate in links.aer_by_link_step.items():
            metrics[f"{links.set}/aer_{step}"] = rate
    return {name: float(value) for name, value in metrics.items() if value is not None}


def _interval(key: str, score: Score | LinkScores) -> dict[str, float | None]:
    return {f"{key}_low": score.low, f"{key}_high": score.high}
