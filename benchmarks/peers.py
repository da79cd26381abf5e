"""Whole trainings of ours and of the peers, with the same batches, schedule and number of updates."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sacrebleu.metrics.bleu import BLEU

from attnmt.config import load_params
from attnmt.decoding.link_step import SHIFTS
from attnmt.errors import InputError
from attnmt.files.text_file import read_lines
from attnmt.scoring.aer import aer
from attnmt.scoring.reference_links import reference_links
from attnmt.training.optimizers import learning_rate
from benchmarks.pool import Worker, pool
from benchmarks.systems import LABELS
from benchmarks.workload import DEV, DROPOUT, EXPERIMENT, TARGET, TEST, tokens

Results = dict[str, Any]
SAME = ("git_commit", "device", "instructions", "threads", "torch")  # of trainings in one table


def rates() -> list[float]:
    """Return the learning rate of each epoch of the experiment multi30k."""
    recipe = next(iter(load_params(EXPERIMENT).families.values())).training
    return [learning_rate(recipe, epoch) for epoch in range(1, recipe.epochs + 1)]


def whole_trainings(size: str, systems: Sequence[str], seed: int, threads: int) -> Results:
    """Train every system with one seed; return each one's costs, BLEU and AER.

    BLEU is on tokens, before unknown words are replaced, because the peers replace none. AER compares
    the outside aligner's links with those of attention when the references are given.

    Raises:
        InputError: if the outside aligner's links are missing.
    """
    reference = reference_links(load_params(EXPERIMENT), TEST).links
    sure, possible = [one.sure for one in reference], [one.possible for one in reference]
    schedule = rates()
    arguments = [size, str(tokens()), "--dropout", str(DROPOUT), "--seed", str(seed)]
    trained: dict[str, list[dict[str, float]]] = {system: [] for system in systems}
    results: dict[str, list[Results]] = {}
    with pool({system: arguments for system in systems}, threads) as workers:
        for epoch, rate in enumerate(schedule, 1):
            for system in systems:
                answer = workers[system].do("train", epoch=epoch, rate=rate)
                answer["dev_cost"] = workers[system].do("cost", split=DEV)
                trained[system].append(answer)
                perplexity = f"dev perplexity {math.exp(answer['dev_cost']):.2f}"
                print(f"seed {seed}, epoch {epoch}: {LABELS[system]:24} {perplexity}", flush=True)
        for system in systems:
            links = _links(workers[system].do("attended"))
            scores = {
                "seed": seed,
                "epochs": trained[system],
                **_scores(workers[system]),
                "aer": {step: round(aer(links[step], sure, possible), 4) for step in SHIFTS},
            }
            results[system] = [scores]
            print(f"seed {seed}: {LABELS[system]:24} BLEU {scores['bleu']:.1f}", flush=True)
    return {"rates": schedule, "systems": results}


def refuse_others(earlier: Results, machine: Mapping[str, Any]) -> None:
    """Refuse trainings that would stand beside earlier ones of other code or of another machine.

    Raises:
        InputError: naming what differs.
    """
    for key in SAME if earlier else ():
        if earlier["machine"][key] != machine[key]:
            raise InputError(
                f"the seeds that are there have the {key} {earlier['machine'][key]}, and here it is "
                f"{machine[key]}; name another file with --name"
            )


def joined(earlier: Results, results: Results) -> Results:
    """Return results, with the earlier trainings of other seeds if the learning rates were the same."""
    if earlier.get("rates") != results["rates"]:
        return results
    systems = {name: list(trainings) for name, trainings in earlier["systems"].items()}
    for name, trainings in results["systems"].items():
        seeds = {one["seed"] for one in trainings}
        others = [one for one in systems.get(name, []) if one["seed"] not in seeds]
        systems[name] = sorted([*others, *trainings], key=lambda one: one["seed"])
    return results | {"systems": systems}


def _links(attended: Sequence[Sequence[int]]) -> dict[str, list[list[tuple[int, int]]]]:
    """Return the links (source, target) of each sentence, by the step at which attention is read."""
    return {
        step: [
            [(source, target) for target, source in enumerate(line[shift : shift + len(line) - 1])]
            for line in attended
        ]
        for step, shift in SHIFTS.items()
    }


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
