"""All numbers of a model or an ensemble, each with what it was measured on."""

from collections.abc import Iterator
from typing import Any, get_args

from attnmt.config import LinkStep, Params
from attnmt.decoding.link_step import Reading, load_reading
from attnmt.errors import InputError
from attnmt.files.text_file import sha256_of_lines
from attnmt.layout import Layout
from attnmt.scoring.alignment import read_forced, score_links
from attnmt.scoring.lengths import by_length
from attnmt.scoring.limits import note_of, of_interval, of_links
from attnmt.scoring.numbers import Line, Replacement
from attnmt.scoring.reference_links import reference_links
from attnmt.scoring.replacements import score_replacements
from attnmt.scoring.results import LinkScore, Score, Script
from attnmt.scoring.scripts import SCRIPTS, score
from attnmt.scoring.system_outputs import Outputs
from attnmt.text.encoded import EncodedSets
from attnmt.training.trained import read_metrics

SHA_DIGITS = 12  # digits of a SHA-256 that are kept
DIGITS = 6  # decimals of a perplexity or a rate that are kept
METRICS: dict[Script, tuple[str, str | None]] = {  # the metric and the script of a line
    "tokenized": ("bleu", "tokenized"),
    "nist": ("bleu", "nist"),
    "sacrebleu": ("bleu", "sacrebleu"),
    "chrf": ("chrf", None),
    "ter": ("ter", None),
}
REPLACEMENTS: tuple[Replacement, Replacement] = get_args(Replacement)


def score_system(params: Params, name: str) -> list[Line]:
    """Return all numbers of a model or an ensemble.

    All files are read before the first translation is scored.

    Raises:
        InputError: if a file is missing, or does not fit the others.
    """
    system, single = params.translators(name), name in params.models
    first = params.model(system.members[0])
    data = EncodedSets(Layout(params.experiment).encoded(system.family))
    perplexity = read_perplexity(params, name, data) if single else {}
    outputs = {test: Outputs.read(params, name, test) for test in params.sets.tests}
    reading = load_reading(params, name) if params.attends(name) else None
    words = {test: score_replacements(params, name, test, outputs[test]) for test in outputs}
    links: list[dict[str, Any]] = []
    if reading is not None:
        for aligned in params.sets.aligned:
            links += _links(params, name, aligned, reading)
    common = {
        "kind": "training",
        "system": params.runs_of(name)[0],
        "model": name,
        "seed": first.seed if single else None,
        "trainings": 1,
        "family": system.family,
        "direction": first.direction,
        "data": data.digest[:SHA_DIGITS],
    }
    values: list[dict[str, Any]] = []
    for test, texts in outputs.items():
        on_set = {"set": test, "lines": len(texts.reference.sentences), "reference": _digest(texts)}
        if test in perplexity:
            values.append(on_set | {"metric": "ppl", "value": round(perplexity[test], DIGITS)})
        beam = on_set | {"beam": params.decoding.beam}
        values += (beam | one for one in _scores(params, texts, reading))
        values += (
            beam | {"metric": metric, "value": count} for metric, count in words[test].items()
        )
    values += [*_lengths(params, outputs[params.sets.tests[0]]), *links]
    return [Line.model_validate(common | one) for one in values]


def _digest(outputs: Outputs) -> str:
    lines = (" ".join(words) for text in outputs.all_references for words in text.sentences)
    return sha256_of_lines(lines)[:SHA_DIGITS]


def _scores(params: Params, outputs: Outputs, reading: Reading | None) -> Iterator[dict[str, Any]]:
    """Yield the scores of one test set by every script, before and after unknown words are replaced."""
    unchanged = outputs.before.sentences == outputs.after.sentences
    scores: dict[Script, Score] = {}
    for replacement in REPLACEMENTS:
        after = replacement == "after"
        if not (after and unchanged):
            scores = {
                script: score(
                    script,
                    outputs.translations(script, after),
                    outputs.references(script),
                    params.evaluation.bootstrap_samples,
                )
                for script in SCRIPTS
            }
        for script, found in scores.items():
            metric, label = METRICS[script]
            told = reading if after and script == "tokenized" else None
            why = f"unknown words are looked up at {told.why}" if told else None
            yield {
                **{"metric": metric, "script": label, "replacement": replacement},
                **found._asdict(),
                "note": note_of(why, found.note),
            }


def _lengths(params: Params, outputs: Outputs) -> Iterator[dict[str, Any]]:
    """Yield BLEU of the first test set's groups of sentences of similar length, Figure 6."""
    for replacement in REPLACEMENTS:
        translations = outputs.translations("tokenized", replacement == "after")
        references, size = outputs.references("tokenized"), params.evaluation.length_group
        for group in by_length(translations, references, size):
            yield {
                "set": params.sets.tests[0],
                "metric": "bleu",
                "script": "tokenized",
                "replacement": replacement,
                **group._asdict(),
            }


def _links(params: Params, name: str, aligned: str, reading: Reading) -> Iterator[dict[str, Any]]:
    """Yield four error rates: at the authors' step, at the chosen step, and at each of the two steps.

    The note of the second says what chose the step.
    """
    steps: tuple[LinkStep, ...] = get_args(LinkStep)
    links = read_forced(params, name, aligned, steps)
    reference = reference_links(params, aligned, params.translators(name).family)
    samples = params.evaluation.bootstrap_samples
    scores = {step: score_links(links[step], reference, samples) for step in steps}
    read_at = {"aer": reading.authors, "aer_chosen": reading.chosen}
    for metric, step in (read_at | {f"aer_{step}": step for step in steps}).items():
        values = link_values(scores[step])
        if metric == "aer_chosen":
            values["note"] = note_of(values["note"], f"read at {reading.why}")
        yield values | {"set": aligned, "metric": metric, "script": step}


def link_values(score: LinkScore) -> dict[str, Any]:
    """Return what a line says of an error rate of links."""
    return {
        "lines": score.lines,
        "value": round(score.aer, DIGITS),
        "low": score.low,
        "high": score.high,
        "note": note_of(
            f"{score.sure:,} sure and {score.possible:,} possible {score.kind} links",
            *of_links(score.sure, score.possible),
            *of_interval(score.low, score.high, score.lines, 1.0),
        ),
    }


def read_perplexity(params: Params, name: str, data: EncodedSets) -> dict[str, float]:
    """Return a model's perplexity on each test set.

    Raises:
        InputError: if the model was trained on other data, or its training did not measure a set.
    """
    folder = Layout(params.experiment).model(name)
    path, trained = folder / "metrics.json", read_metrics(folder)
    if trained.dataset_digest != data.digest:
        raise InputError(
            f"{path}: the data in {data.folder} changed after this training; train {name} again"
        )
    for test in params.sets.tests:
        if test not in trained.perplexity:
            raise InputError(
                f"{path}: this training measured no perplexity on {test!r}; train {name} again"
            )
    return dict(trained.perplexity)
