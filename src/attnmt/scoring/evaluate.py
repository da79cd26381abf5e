"""All numbers of a model, an ensemble, or what is no model, with what they were measured on.

What is no model is the outside aligner's links, diagonal links, and the dictionaries.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple, get_args

from numpy.typing import NDArray

from attnmt.config import (
    ALIGNER,
    CONSTANT,
    DIAGONAL,
    DICTIONARY,
    DIRECTIONS,
    LinkStep,
    Params,
)
from attnmt.corpora.links import Links
from attnmt.decoding.link_step import Reading, load_reading
from attnmt.errors import InputError
from attnmt.files.text_file import sha256_of_lines, write_json
from attnmt.layout import Layout
from attnmt.scoring.alignment import diagonal_links, read_forced, score_links
from attnmt.scoring.constant_baseline import constant_scores
from attnmt.scoring.counts import counted, words_of, write_counts
from attnmt.scoring.lengths import length_groups
from attnmt.scoring.metrics import BY_LENGTH, METRICS
from attnmt.scoring.reference_links import (
    aligner_links,
    link_kind,
    reference_links,
    token_counts,
)
from attnmt.scoring.replacements import score_replacements
from attnmt.scoring.score_table import (
    AUTHORS,
    CHOSEN,
    DIGITS,
    SHA_DIGITS,
    WORDS,
    Replacement,
    ScoreRow,
    metrics,
    write_score_table,
)
from attnmt.scoring.system_outputs import Outputs
from attnmt.text.dictionary import Dictionary, read_aligner
from attnmt.text.encoded import EncodedSets
from attnmt.text.window import share_in_window
from attnmt.training.trained import read_metrics

REPLACEMENTS: tuple[Replacement, Replacement] = get_args(Replacement)
# What a line of scores.csv says of a number, and the counts of its sentences, where these are kept
Measured = tuple[dict[str, Any], NDArray[Any] | None]


class Evaluated(NamedTuple):
    """Numbers, and arrays with the counts of sentences behind them (:mod:`attnmt.scoring.counts`)."""

    lines: list[ScoreRow]
    arrays: dict[str, NDArray[Any]]

    @classmethod
    def of(cls, measured: Iterable[Measured]) -> "Evaluated":
        """Put numbers into lines, and their counts beside them."""
        lines, arrays = [], {}
        for fields, counts in measured:
            lines.append(ScoreRow.model_validate(fields))
            if counts is not None:
                arrays[counted(lines[-1])] = counts
        return cls(lines, arrays)

    def write(self, params: Params, name: str) -> None:
        """Write the scores of a system, the few that DVC shows, and the counts behind them."""
        layout = Layout(params.experiment)
        write_counts(layout.counts(name), self.arrays)
        if name not in NO_MODEL:
            write_json(layout.metrics(name), metrics(self.lines))
        write_score_table(layout.scores(name), self.lines)


def evaluate(params: Params, name: str) -> Evaluated:
    """Return all numbers of a model, an ensemble, or what is no model.

    All files are read before the first translation is scored.

    Raises:
        InputError: if a file is missing or damaged, or does not fit the others.
    """
    if name in NO_MODEL:
        return Evaluated.of(NO_MODEL[name](params))
    system, single = params.translators(name), name in params.trainings
    first = params.training(system.members[0])
    data = EncodedSets(Layout(params.experiment).encoded(system.family))
    perplexity = read_perplexity(params, name, data) if single else {}
    outputs = {test: Outputs.read(params, name, test) for test in params.sets.tests}
    reading = load_reading(params, name) if params.attends(name) else None
    words = {test: score_replacements(params, name, test, outputs[test]) for test in outputs}
    links = list(_links(params, name, reading)) if reading else []
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
    measured: list[Measured] = []
    arrays = {}
    for test, texts in outputs.items():
        on_set = {"set": test, "lines": len(texts.reference.sentences), "reference": _digest(texts)}
        if test in perplexity:
            ppl = {"metric": "ppl", "value": round(perplexity[test], DIGITS)}
            measured.append((on_set | ppl, None))
        if single and params.own_text and (D := params.half_width(name)):
            lengths = [len(words) for words in data.units(test, params.sides(name)[0])]
            share = {
                "metric": "in_window",
                "value": round(100 * share_in_window(D, lengths), DIGITS),
            }
            measured.append((on_set | share, None))
        on_set |= {"search": params.decoding.named}
        measured += ((on_set | one, counts) for one, counts in _scores(params, texts, reading))
        measured += ((on_set | {"metric": m, "value": n}, None) for m, n in words[test].items())
        arrays[words_of(test)] = texts.reference_lengths
    tested = params.sets.tests[0]
    measured += ((one | {"set": tested}, None) for one in _groups(params, outputs[tested]))
    evaluated = Evaluated.of((common | one, counts) for one, counts in [*measured, *links])
    return evaluated._replace(arrays=evaluated.arrays | arrays)


def _digest(outputs: Outputs) -> str:
    lines = (" ".join(words) for text in outputs.all_references for words in text.sentences)
    return sha256_of_lines(lines)[:SHA_DIGITS]


def _scores(params: Params, outputs: Outputs, reading: Reading | None) -> Iterator[Measured]:
    """Yield the scores of one test set by every metric, before and after words are replaced."""
    unchanged = outputs.before.sentences == outputs.after.sentences
    scores = {}
    for replacement in REPLACEMENTS:
        after = replacement == "after"
        for name, metric in METRICS.items():
            if not (after and unchanged):
                translations = outputs.translations(metric.form, after)
                references = outputs.references(metric.form)
                samples = params.evaluation.bootstrap_samples
                scores[name] = metric.score(translations, references, samples)
            score, counts = scores[name]
            told = reading if after and name == "tokenized" else None
            why = f"unknown words are looked up at {told.why}" if told else None
            fields = {"metric": metric.metric, "script": metric.script, "replacement": replacement}
            yield fields | score._asdict() | {"note": why}, counts


def _groups(params: Params, outputs: Outputs) -> Iterator[dict[str, Any]]:
    """Yield the scores of groups of sentences of similar length, the shortest first: Figure 6."""
    lengths = outputs.reference_lengths
    groups = length_groups(lengths, params.evaluation.length_group)
    for metric in (METRICS[name] for name in BY_LENGTH):
        for replacement in REPLACEMENTS:
            translations = outputs.translations(metric.form, replacement == "after")
            counts = metric.counts(translations, outputs.references(metric.form))
            for group in groups:
                yield {
                    "metric": metric.metric,
                    "script": metric.script,
                    "replacement": replacement,
                    "value": metric.value(counts[group]),
                    "lines": len(group),
                    "max_words": int(lengths[group[-1]]),
                }


def _links(params: Params, name: str, reading: Reading) -> Iterator[Measured]:
    """Yield the error rate at each step of each aligned set. The note says what chose a step."""
    steps: tuple[LinkStep, ...] = get_args(LinkStep)
    chosen = reading.of_links()
    by_reader = {AUTHORS: reading.authors, CHOSEN: chosen.chosen, WORDS: reading.chosen}
    samples = params.evaluation.bootstrap_samples
    for aligned in params.sets.aligned:
        links = read_forced(params, name, aligned, steps)
        reference = reference_links(params, aligned, params.translators(name).family)
        for step in steps:
            score, counts = score_links(links[step], reference, samples)
            readers = [reader for reader, read in by_reader.items() if read == step]
            notes = [
                score.note,
                f"read at {chosen.why}" if CHOSEN in readers else None,
                f"unknown words are looked up at {reading.why}" if WORDS in readers else None,
            ]
            note = "; ".join(filter(None, notes))
            fields = {
                "metric": "aer",
                "set": aligned,
                "script": step,
                "readers": " ".join(readers) or None,
                "lines": len(counts),
                "reference": reference.digest[:SHA_DIGITS],
            }
            yield fields | score._asdict() | {"note": note}, counts


def read_perplexity(params: Params, name: str, data: EncodedSets) -> dict[str, float]:
    """Return a model's perplexity on each test set.

    Raises:
        InputError: if the model was trained on other data, or its training did not measure a set.
    """
    folder = Layout(params.experiment).model(name)
    trained = read_metrics(folder)
    if trained.dataset_digest != data.digest or not {*params.sets.tests} <= {*trained.perplexity}:
        raise InputError(
            f"{folder / 'metrics.json'}: the data in {data.folder}, or the list of test sets, changed "
            f"after this training; train {name} again"
        )
    return dict(trained.perplexity)


def _aligner(params: Params) -> Iterator[Measured]:
    """Yield the error rates of the outside aligner, but none against silver links, which are its own."""
    how = read_aligner(params).system
    for aligned in params.sets.aligned:
        if link_kind(params, aligned) == "gold":
            links = [line.sure for line in aligner_links(params, aligned)]
            yield _rate(params, ALIGNER, aligned, links, how)


def _diagonal(params: Params) -> Iterator[Measured]:
    """Yield the error rates of links that need no model."""
    for aligned in params.sets.aligned:
        links = diagonal_links(token_counts(params, aligned))
        yield _rate(params, DIAGONAL, aligned, links, None)


def _constant(params: Params) -> Iterator[Measured]:
    """Yield BLEU of one sentence for all lines, in each direction."""
    for direction, test, lines, score in constant_scores(params):
        fields: dict[str, Any] = {"kind": "system", "system": CONSTANT, "direction": direction}
        fields |= {
            "set": test,
            "lines": lines,
            "metric": "bleu",
            "script": "tokenized",
            "replacement": "before",
        }
        yield fields | score._asdict(), None


def _rate(
    params: Params, name: str, aligned: str, links: Sequence[Links], how: str | None
) -> Measured:
    reference = reference_links(params, aligned)
    score, counts = score_links(links, reference, params.evaluation.bootstrap_samples)
    fields = {
        "kind": "system",
        "system": name,
        "set": aligned,
        "metric": "aer",
        "lines": len(links),
    }
    fields |= {"reference": reference.digest[:SHA_DIGITS]}
    return fields | score._asdict() | {"signature": how}, counts


def _dictionaries(params: Params) -> Iterator[Measured]:
    """Yield counts of both dictionaries, for each family that reads words.

    ``entries`` counts the source words, ``outside`` those that the family's vocabulary lacks, and
    ``translated_outside`` those whose best translation the vocabulary of the other language lacks.
    """
    layout, how = Layout(params.experiment), str(read_aligner(params))
    for direction, (name, family) in product(DIRECTIONS, params.families.items()):
        if family.encoding.pieces is not None:
            continue
        source, target = (side.code for side in params.languages.sides(direction))
        path = layout.dictionary_file(source, target)
        dictionary = Dictionary.load(path, lowercase=family.encoding.lowercase)
        data = EncodedSets(layout.encoded(name))
        sources, targets = data.vocabulary(source), data.vocabulary(target)
        common = {"kind": "system", "system": DICTIONARY, "family": name, "direction": direction}
        for metric, value in {
            "entries": len(dictionary),
            "outside": sum(word not in sources for word in dictionary),
            "translated_outside": sum(dictionary.best(word) not in targets for word in dictionary),
        }.items():
            yield common | {"metric": metric, "value": value, "signature": how}, None


NO_MODEL = {
    ALIGNER: _aligner,
    CONSTANT: _constant,
    DIAGONAL: _diagonal,
    DICTIONARY: _dictionaries,
}
