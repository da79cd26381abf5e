"""All numbers of a model, an ensemble, or a baseline, with what they were measured on.

The baselines are the outside aligner's links, diagonal links, and one sentence for all lines.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, get_args

from numpy.typing import NDArray

from attnmt.config import ALIGNER, CONSTANT, DIAGONAL, Params
from attnmt.corpora.links import Links
from attnmt.decoding.attention_offset import load_offset
from attnmt.files.text_file import sha256_of_lines, write_json
from attnmt.layout import Layout
from attnmt.scoring.alignment import diagonal_links, read_forced, score_links
from attnmt.scoring.constant_baseline import constant_scores
from attnmt.scoring.counts import counted, words_of, write_counts
from attnmt.scoring.lengths import length_groups
from attnmt.scoring.metrics import BY_LENGTH, METRICS
from attnmt.scoring.replacements import count_replacements
from attnmt.scoring.score_table import (
    DIGITS,
    SHA_DIGITS,
    Replacement,
    ScoreRow,
    metrics,
    write_score_table,
)
from attnmt.scoring.significance import Counts
from attnmt.scoring.system_outputs import Outputs
from attnmt.text.dictionary import read_aligner
from attnmt.text.encoded import EncodedSets
from attnmt.text.reference_links import (
    ReferenceLinks,
    aligner_links,
    link_kind,
    reference_links,
    token_counts,
)
from attnmt.training.trained import read_metrics

REPLACEMENTS: tuple[Replacement, Replacement] = get_args(Replacement)
MakeRow = Callable[..., ScoreRow]  # makes a row with some of its fields
Scored = tuple[ScoreRow, Counts | None]  # a number, and the counts of its sentences if it has them


class Evaluated(NamedTuple):
    """Numbers, and arrays with the counts of sentences behind them (:mod:`attnmt.scoring.counts`)."""

    lines: list[ScoreRow]
    arrays: dict[str, NDArray[Any]]

    @classmethod
    def of(cls, scored: Iterable[Scored]) -> "Evaluated":
        """Put the counts under the names of their numbers."""
        lines, arrays = [], {}
        for line, counts in scored:
            lines.append(line)
            if counts is not None:
                arrays[counted(line)] = counts
        return cls(lines, arrays)

    def write(self, params: Params, name: str) -> None:
        """Write the scores of a system, the few that DVC shows, and the counts behind them."""
        layout = Layout(params.experiment)
        write_counts(layout.counts(name), self.arrays)
        if name not in BASELINE_SCORES:
            write_json(layout.metrics(name), metrics(self.lines))
        write_score_table(layout.scores(name), self.lines)


def evaluate(params: Params, name: str) -> Evaluated:
    """Return all numbers of a model, an ensemble, or a baseline.

    All files are read before the first translation is scored.

    Raises:
        InputError: if a file is missing or damaged, or does not fit the others.
    """
    if name in BASELINE_SCORES:
        return Evaluated.of(BASELINE_SCORES[name](params))
    system, single = params.translators(name), name in params.trainings
    data = EncodedSets(Layout(params.experiment).encoded(system.family))
    perplexity = read_metrics(Layout(params.experiment).model(name)).perplexity if single else {}
    outputs = {test: Outputs.read(params, name, test) for test in params.sets.tests}
    known = data.vocabulary(params.sides(name)[1]) if params.replaces_words(name) else None
    make_row = partial(
        ScoreRow,
        kind="training",
        system=params.runs_of(name)[0],
        model=name,
        seed=params.trainings[name].seed if single else None,
        trainings=1,
        family=system.family,
        direction=params.direction(name),
        data=data.digest[:SHA_DIGITS],
    )
    links = list(_links(make_row, params, name)) if params.attends(name) else []
    scored: list[Scored] = []
    groups: list[Scored] = []
    words = {}
    for test, texts in outputs.items():
        lines = len(texts.reference.sentences)
        on_set = partial(make_row, set=test, lines=lines, reference=_digest(texts))
        if test in perplexity:
            scored.append((on_set(metric="ppl", value=round(perplexity[test], DIGITS)), None))
        on_set = partial(on_set, search=params.decoding.named)
        translations = list(_translations(on_set, params, texts))
        scored += translations
        if known:
            sides = texts.before.sentences, texts.after.sentences, texts.source
            counts = count_replacements(*sides, texts.reference.sentences, known)
            scored += ((on_set(metric=key, value=count), None) for key, count in counts.items())
        words[words_of(test)] = texts.reference_lengths
        if test == params.sets.tests[0]:
            groups += _groups(partial(make_row, set=test), params, texts, translations)
    evaluated = Evaluated.of([*scored, *groups, *links])
    return evaluated._replace(arrays=evaluated.arrays | words)


def _digest(outputs: Outputs) -> str:
    lines = (" ".join(words) for words in outputs.reference.sentences)
    return sha256_of_lines(lines)[:SHA_DIGITS]


def _translations(make_row: MakeRow, params: Params, outputs: Outputs) -> Iterator[Scored]:
    """Yield the scores of one test set by every metric, before and after words are replaced."""
    scores = {}
    for replacement in REPLACEMENTS:
        after = replacement == "after"
        for name, metric in METRICS.items():
            if not (after and outputs.before is outputs.after):
                translations = outputs.translations(metric.form, after)
                references = outputs.references(metric.form)
                samples = params.evaluation.bootstrap_samples
                scores[name] = metric.score(translations, references, samples)
            score, counts = scores[name]
            own = {"metric": metric.metric, "script": metric.script, "replacement": replacement}
            yield make_row(**own, **score._asdict()), counts


def _groups(
    make_row: MakeRow, params: Params, outputs: Outputs, scored: Iterable[Scored]
) -> Iterator[Scored]:
    """Yield scores of groups of sentences of similar length, the shortest first: Figure 6."""
    lengths, metric = outputs.reference_lengths, METRICS[BY_LENGTH]
    groups = length_groups(lengths, params.evaluation.length_group)
    for row, counts in scored:
        if (row.metric, row.script) != metric.key or counts is None:
            continue
        for group in groups:
            own = {"metric": row.metric, "script": row.script, "replacement": row.replacement}
            words = int(lengths[group[-1]])
            value = metric.value(counts[group])
            yield make_row(**own, value=value, lines=len(group), max_words=words), None


def _links(make_row: MakeRow, params: Params, name: str) -> Iterator[Scored]:
    how = f"attention_offset:{load_offset(params, name)}"
    for aligned in params.sets.aligned:
        links = read_forced(params, name, aligned)
        reference = reference_links(params, aligned, params.translators(name).family)
        yield _rate(make_row, params, links, reference, set=aligned, signature=how)


def _rate(
    make_row: MakeRow,
    params: Params,
    links: Sequence[Links],
    reference: ReferenceLinks,
    **fields: str | None,
) -> Scored:
    score, counts = score_links(links, reference, params.evaluation.bootstrap_samples)
    digest = reference.digest[:SHA_DIGITS]
    row = make_row(metric="aer", lines=len(links), reference=digest, **score._asdict() | fields)
    return row, counts


def _aligner(params: Params) -> Iterator[Scored]:
    """Yield the error rates of the outside aligner, but none against silver links, which are its own."""
    make_row = partial(ScoreRow, kind="system", system=ALIGNER)
    how = read_aligner(params).system
    for aligned in params.sets.aligned:
        if link_kind(params, aligned) == "gold":
            links = [line.sure for line in aligner_links(params, aligned)]
            reference = reference_links(params, aligned)
            yield _rate(make_row, params, links, reference, set=aligned, signature=how)


def _diagonal(params: Params) -> Iterator[Scored]:
    """Yield the error rates of links that need no model."""
    make_row = partial(ScoreRow, kind="system", system=DIAGONAL)
    for aligned in params.sets.aligned:
        links = diagonal_links(token_counts(params, aligned))
        yield _rate(make_row, params, links, reference_links(params, aligned), set=aligned)


def _constant(params: Params) -> Iterator[Scored]:
    """Yield BLEU of one sentence for all lines, in each direction."""
    make_row = partial(ScoreRow, kind="system", system=CONSTANT, metric="bleu", script="tokenized")
    for direction, test, lines, score in constant_scores(params):
        on_set = partial(make_row, direction=direction, set=test, lines=lines)
        yield on_set(replacement="before", **score._asdict()), None


BASELINE_SCORES = {
    ALIGNER: _aligner,
    CONSTANT: _constant,
    DIAGONAL: _diagonal,
}
