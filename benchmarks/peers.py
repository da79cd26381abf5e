"""Whole trainings of ours and of the peers, with the same batches, schedule and number of updates."""

import math
from collections.abc import Sequence
from typing import Any

from sacrebleu.metrics.bleu import BLEU

from attnmt.config import load_params
from attnmt.files.text_file import read_lines
from attnmt.training.optimizers import learning_rate
from benchmarks.pool import Worker, pool
from benchmarks.systems import LABELS
from benchmarks.workload import DEV, DROPOUT, EXPERIMENT, TARGET, TEST, tokens

EPOCHS = 5  # more than the experiment multi30k has, which trains 67 models


def rates() -> list[float]:
    """Return the learning rate of each epoch, by the schedule of the experiment multi30k."""
    recipe = next(iter(load_params(EXPERIMENT).families.values())).training
    return [learning_rate(recipe, epoch) for epoch in range(1, EPOCHS + 1)]


def whole_trainings(
    size: str, systems: Sequence[str], seeds: Sequence[int], threads: int
) -> dict[str, Any]:
    """Train every system with every seed; return its costs, its BLEU and its time.

    BLEU is on tokens, before unknown words are replaced, because the peers replace none.
    """
    schedule = rates()
    results: dict[str, Any] = {"rates": schedule, "systems": {system: [] for system in systems}}
    for seed in seeds:
        arguments = [size, str(tokens()), "--dropout", str(DROPOUT), "--seed", str(seed)]
        with pool({system: arguments for system in systems}, threads) as workers:
            trained: dict[str, list[dict[str, float]]] = {system: [] for system in systems}
            for epoch, rate in enumerate(schedule, 1):
                for system in systems:
                    answer = workers[system].do("train", epoch=epoch, rate=rate)
                    answer["dev_cost"] = workers[system].do("cost", split=DEV)
                    trained[system].append(answer)
                    print(
                        f"seed {seed}, epoch {epoch}: {LABELS[system]:24} "
                        f"{answer['seconds']:6.1f} s, dev perplexity "
                        f"{math.exp(answer['dev_cost']):.2f}",
                        flush=True,
                    )
            for system in systems:
                scores = {"seed": seed, "epochs": trained[system], **_scores(workers[system])}
                results["systems"][system].append(scores)
                print(f"seed {seed}: {LABELS[system]:24} BLEU {scores['bleu']:.1f}", flush=True)
    return results


def _scores(worker: Worker) -> dict[str, Any]:
    references = read_lines(tokens() / f"{TEST}.{TARGET}")
    metric = BLEU(tokenize="none", force=True)
    score = metric.corpus_score(worker.do("translate"), [references])
    return {
        "test_cost": worker.do("cost", split=TEST),
        "bleu": round(score.score, 4),
        "ratio": round(score.ratio, 4),  # words of the translations to words of the references
        "signature": str(metric.get_signature()),
    }
