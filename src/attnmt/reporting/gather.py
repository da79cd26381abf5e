"""All numbers of an experiment, gathered from the files of its trainings and scores, with tested gains.

Over several seeds a system's number is their mean, and its interval holds for a new training on a new
sample of sentences. With one seed the interval is from the bootstrap and holds for other sentences.
A gain between systems of several seeds is tested over seeds and sentences, and a gain between two
trainings over sentences (:mod:`attnmt.scoring.seed_statistics`, :mod:`attnmt.scoring.significance`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from statistics import mean, stdev
from typing import Any

from attnmt.config import ALIGNER, DIAGONAL, DIRECTIONS, Params
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.model.size import parameters
from attnmt.model.translator import ModelConfig
from attnmt.reporting.published import published_lines
from attnmt.reporting.ranking import attention_pairs
from attnmt.reporting.specs import specs_of
from attnmt.scoring.evaluate import DIGITS, METRICS, SHA_DIGITS, link_values
from attnmt.scoring.limits import common_note
from attnmt.scoring.numbers import Key, Line, Numbers, key_of, read_scores, significant
from attnmt.scoring.paired import (
    aligner_score,
    alignment_comparison,
    diagonal_score,
    translation_comparison,
)
from attnmt.scoring.results import Script, read_aligner
from attnmt.scoring.seed_runs import Study
from attnmt.scoring.seed_statistics import Outcome, Runs, prediction
from attnmt.scoring.significance import Comparison
from attnmt.text.dictionary import Dictionary
from attnmt.text.encoded import EncodedSets
from attnmt.training.trained import (
    Provenance,
    machine,
    read_config,
    read_history,
    read_metrics,
    read_provenance,
)

DICTIONARY = "dictionary"  # in the column `system`
OF_MODEL = ("kind", "system", "model", "seed", "trainings", "family", "direction")
SCRIPTS: dict[tuple[str, str | None], Script] = {line: script for script, line in METRICS.items()}


def gather(study: Study) -> Numbers:
    """Return all numbers of an experiment, the published ones first.

    Raises:
        InputError: if a file is missing or damaged, or two systems were not measured alike.
    """
    params = study.params
    runs = [*params.models, *params.ensembles]
    trainings = [line for name in runs for line in _training_lines(params, name)]
    _check_alike(params, trainings)
    systems = list(_system_lines(study, trainings))
    systems += [*_link_lines(params), *_dictionary_lines(params)]
    numbers = Numbers([*published_lines(params), *trainings, *systems])
    return Numbers([*numbers.lines, *_gain_lines(study, numbers)])


def short_commits(commits: Iterable[str]) -> str:
    """Return the first digits of the commits at which a model was trained, each once.

    A mark after a commit, which says that the files differed from it, is kept.
    """
    parts = (commit.partition("-") for commit in commits)
    return _each(digits[:SHA_DIGITS] + dash + mark for digits, dash, mark in parts)


def _training_lines(params: Params, name: str) -> list[Line]:
    """Return every number of one model, or of one ensemble, with the trainings behind it."""
    lines = read_scores(params, name).lines
    members = params.translators(name).members
    trained = [read_provenance(Layout(params.experiment).model(member)) for member in members]
    origin = {
        "commit": short_commits(commit for one in trained for commit in one.commits),
        "code": _each(one.code for one in trained),
    }
    if name in params.models:
        same = {key: getattr(lines[0], key) for key in OF_MODEL}
        lines = [*lines, *(Line(**same, **one) for one in _cost_values(params, name, trained[0]))]
    return [line.model_copy(update=origin) for line in lines]


def _cost_values(params: Params, name: str, trained: Provenance) -> Iterator[dict[str, Any]]:
    """Yield what a model's curve says of the development set, and what its training cost."""
    folder = Layout(params.experiment).model(name)
    metrics = read_metrics(folder)
    config = read_config(folder)
    words = config.source_words, config.target_words
    size = parameters(ModelConfig(config.system, config.shape, *words))
    machine_of_it = f"{machine(trained.device, trained.threads)}, torch {trained.torch}"
    learned, cost = {"set": params.sets.dev}, {"signature": machine_of_it}
    for where, metric, value in (
        (learned, "ppl", round(metrics.dev_perplexity, DIGITS)),
        (learned, "jumps", metrics.jumps),
        (learned, "late_fall", round(100 * metrics.late_fall, DIGITS)),
        (cost, "parameters", size),
        (cost, "steps", metrics.steps),
        (cost, "target_words", int(read_history(folder, "target_words")[-1]["target_words"])),
        (cost, "minutes", round(trained.seconds / 60, 2)),
        (cost, "target_words_per_second", trained.target_words_per_second),
        (cost, "peak_memory_mb", trained.peak_memory_mb),
    ):
        if value is not None:
            yield {**where, "metric": metric, "value": value}


def _check_alike(params: Params, lines: Iterable[Line]) -> None:
    """Refuse numbers that do not compare, because they were measured in different ways.

    Raises:
        InputError: naming two files of scores that differ, and in what.
    """
    seen: dict[tuple[Any, ...], Line] = {}
    for line in lines:
        if line.data is None or line.max_words is not None:
            continue
        encoding = params.families[line.family or ""].encoding  # what was done to its references
        text = encoding.lowercase, encoding.length, line.direction
        measured = line.set, text, line.metric, line.script
        for key in ("lines", "beam", "signature", "reference", "data"):
            group = line.family if key == "data" else measured
            first = seen.setdefault((key, group), line)
            value, other = getattr(line, key), getattr(first, key)
            if value != other:
                layout = Layout(params.experiment)
                files = [layout.scores(one.model or "") for one in (line, first)]
                raise InputError(
                    f"{files[0]} and {files[1]} differ in {key} of {line.metric} on {line.set}: "
                    f"{value} against {other}; run the stages that made these files again"
                )


def _system_lines(study: Study, trainings: Sequence[Line]) -> Iterator[Line]:
    """Yield each system's numbers as the means over its trainings."""
    shown = _shown_keys(study.params)
    groups: dict[tuple[Key, int | None, int], list[Line]] = {}
    met = Counter[tuple[str | None, Key, int | None]]()
    for line in trainings:
        alike = line.model, key_of(line), line.max_words
        nth = met[alike]  # two groups of sentences may have equally long references
        groups.setdefault((*alike[1:], nth), []).append(line)
        met[alike] += 1
    for (key, max_words, _), lines in groups.items():
        first = lines[0]
        changes: dict[str, Any] = {"kind": "system", "model": None}
        if len(lines) > 1:
            values = [line.value for line in lines if line.value is not None]
            runs = _runs(study, first) if key in shown and max_words is None else None
            low, high = prediction(runs) if runs else (None, None)
            changes |= _rounded(value=mean(values), sd=stdev(values), low=low, high=high)
            changes |= {
                "seed": None,
                "trainings": len(lines),
                "commit": _each(c for line in lines for c in (line.commit or "").split(", ")),
                "code": _each(line.code or "" for line in lines),
                "script": first.script if len({line.script for line in lines}) == 1 else None,
                "note": common_note([line.note for line in lines]),
            }
        yield first.model_copy(update=changes)


def _each(texts: Iterable[str]) -> str:
    """Return each different text once."""
    return ", ".join(dict.fromkeys(texts))


def _rounded(**values: float | None) -> dict[str, float | None]:
    return {key: None if v is None else round(v, DIGITS) for key, v in values.items()}


def _shown_keys(params: Params) -> set[Key]:
    """Return the keys of all numbers that a table shows."""
    return {
        (row.system, measure.metric, spec.set_of(params, measure), measure.script, replacement)
        for spec in specs_of(params)
        for row in spec.rows(params, spec.name)
        for measure in spec.measures
        for replacement in ("before", "after", None)
    }


def _runs(study: Study, line: Line) -> Runs | None:
    """Return the seeds of a line's system with what their sentences add; None if that is unknown."""
    system, test = line.system or "", line.set or ""
    if line.metric == "aer":
        return study.alignments(system, test)
    script = SCRIPTS.get((line.metric, line.script))
    return study.translations(system, script, test, line.replacement == "after") if script else None


def _link_lines(params: Params) -> Iterator[Line]:
    """Yield the error rates of the outside aligner and of the diagonal."""
    signature = read_aligner(params).system
    for aligned in params.sets.aligned:
        for name, how, links in (
            (ALIGNER, signature, aligner_score(params, aligned)),
            (DIAGONAL, None, diagonal_score(params, aligned)),
        ):
            if links is not None:
                common = {"kind": "system", "system": name, "set": aligned, "metric": "aer"}
                yield Line.model_validate(common | {"signature": how} | link_values(links))


def _dictionary_lines(params: Params) -> Iterator[Line]:
    """Yield counts of both dictionaries, for each family that reads words.

    ``outside`` counts the source words that the family's vocabulary lacks. ``translated_outside`` counts
    the source words whose best translation the vocabulary of the other language lacks.
    """
    aligner, layout = read_aligner(params), Layout(params.experiment)
    in_parts = f", in {aligner.parts} parts" if aligner.parts > 1 else ""
    linked = f"words linked {aligner.min_count} times or more"
    how = f"{aligner.system}, {aligner.pairs:,} pairs{in_parts}, {linked}"
    for direction, (name, family) in product(DIRECTIONS, params.families.items()):
        if family.encoding.pieces is not None:
            continue
        source, target = (side.code for side in params.languages.sides(direction))
        path = layout.dictionary_file(source, target)
        dictionary = Dictionary.load(path, lowercase=family.encoding.lowercase)
        data = EncodedSets(layout.encoded(name))
        sources, targets = data.vocabulary(source), data.vocabulary(target)
        values = {
            "entries": len(dictionary),
            "outside": sum(word not in sources for word in dictionary),
            "translated_outside": sum(dictionary.best(word) not in targets for word in dictionary),
        }
        common = {"kind": "system", "system": DICTIONARY, "family": name, "direction": direction}
        for metric, value in values.items():
            fields = {"metric": metric, "value": value, "signature": how}
            yield Line.model_validate(common | fields)


def _gain_lines(study: Study, numbers: Numbers) -> Iterator[Line]:
    """Yield every gain that a table shows, and the gain by attention, each tested once."""
    for ours, other in dict.fromkeys(_pairs(study.params, numbers)):
        yield _gain(study, ours, other)


def _pairs(params: Params, numbers: Numbers) -> Iterator[tuple[Line, Line]]:
    for spec in specs_of(params):
        rows = {row.key: row for row in spec.rows(params, spec.name)}
        for row in rows.values():
            over = spec.over(row, rows)
            if spec.gain and over:
                ours = spec.number(params, numbers, row, spec.gain)
                other = spec.number(params, numbers, over, spec.base or spec.gain)
                if ours and other:
                    yield ours, other
    yield from attention_pairs(params, numbers)


def _gain(study: Study, ours: Line, other: Line) -> Line:
    """Return the gain of one system's number over another's, with its test."""
    one, two = ours.system or "", other.system or ""
    counts = [len(study.seeds(system)) or 1 for system in (one, two)]
    value, note = (ours.value or 0.0) - (other.value or 0.0), None
    tested: Comparison | Outcome | None = None
    if counts == [1, 1]:
        tested = _sentence_comparison(study.params, ours, other)
    elif min(counts) > 1:
        runs, others = _runs(study, ours), _runs(study, other)
        estimate = study.gain(one, runs, two, others) if runs and others else None
        if estimate is not None:
            tested = estimate.test("greater")
            value = tested.value
        pairs = study.pairs(one, two)
        if pairs and counts[0] != counts[1]:
            note = f"over the {len(pairs[0])} seeds that both have"
    low, high = (tested.low, tested.high) if tested else (None, None)
    changes = {
        "kind": "gain",
        "over": other.system,
        "over_replacement": other.replacement,
        **_rounded(value=value, low=low, high=high, sd=None),
        "p": significant(tested.p) if tested and tested.p is not None else None,
        "trainings": min(ours.trainings or 1, other.trainings or 1),
        "commit": None,
        "code": None,
        "note": note,
    }
    return ours.model_copy(update=changes)


def _sentence_comparison(params: Params, ours: Line, other: Line) -> Comparison:
    """Compare two trainings over sentences."""
    test = ours.set or ""
    if ours.metric == "aer":
        return alignment_comparison(params, test, ours.system or "", other.system or "")
    one, two = ((line.system or "", line.replacement == "after") for line in (ours, other))
    return translation_comparison(params, SCRIPTS[ours.metric, ours.script], test, one, two)
