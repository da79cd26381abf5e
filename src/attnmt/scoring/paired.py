"""Paired tests of whether a gain is more than chance, on the outputs behind two numbers."""

from pathlib import Path

from attnmt.config import Params
from attnmt.corpora.links import GoldLinks, Links, read_links
from attnmt.corpora.parallel import count_words
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.scoring.alignment import diagonal_links, read_forced, score_links
from attnmt.scoring.outputs import Outputs
from attnmt.scoring.results import LinkScores, Script, SystemScores
from attnmt.scoring.significance import aer_interval, paired_aer_p, paired_p
from attnmt.text.encoded import EncodedSets


def translation_p(
    params: Params, script: Script, test: str, ours: tuple[str, bool], other: tuple[str, bool]
) -> float:
    """Return p of the difference between two systems' scores.

    Args:
        ours: the name of a model or ensemble, and whether its unknown words are replaced.
        other: likewise.
    """
    (name, replaced), (other_name, other_replaced) = ours, other
    one = Outputs.read(params, name, test)
    two = one if other_name == name else Outputs.read(params, other_name, test)
    return paired_p(
        script,
        one.translations(script, replaced),
        two.translations(script, other_replaced),
        one.references(script),
        params.evaluation.bootstrap_samples,
    )


def alignment_p(params: Params, ours: SystemScores | None, other: SystemScores | None) -> float:
    """Return p of the difference between two alignment error rates; None means the outside aligner."""
    links, other_links = (system_links(params, scores) for scores in (ours, other))
    gold, samples = gold_links(params, ours, other), params.evaluation.bootstrap_samples
    return paired_aer_p(links, other_links, gold, samples)


def aligner_interval(params: Params) -> tuple[float, float]:
    """Return the 95% interval of the outside aligner's error rate, computed like a model's."""
    links, gold = system_links(params, None), gold_links(params)
    return aer_interval(links, gold, params.evaluation.bootstrap_samples)


def diagonal_score(params: Params) -> LinkScores:
    """Return the error rate of links that need no model, computed like a model's."""
    aligned, samples = params.sets.aligned, params.evaluation.bootstrap_samples
    path = Layout(params.experiment).tokens / f"{aligned}.links"
    gold = _of_tokens(params, path, "run the tokens stage again") if path.exists() else None
    return score_links(aligned, diagonal_links(params), gold, samples)


def system_links(params: Params, scores: SystemScores | None, chosen: bool = False) -> list[Links]:
    """Return the links of the aligned set by a model, an ensemble or the aligner, English-German.

    Attention is read at the step that the authors' program reads, or with ``chosen`` at the step that
    the development set chooses (:mod:`attnmt.decoding.reading`).
    """
    if scores is None:
        path = Layout(params.experiment).dictionary / f"{params.sets.aligned}.links"
        return [line.sure for line in _of_tokens(params, path, "run the dictionary stage again")]
    if scores.alignment is None:
        raise ValueError(f"{scores.name} does not attend, so it has no links")
    reading = scores.reading if chosen else None
    step = reading.chosen if reading else scores.alignment.link_step
    return read_forced(params, scores.name, [step])[step]


def gold_links(params: Params, *systems: SystemScores | None) -> list[GoldLinks]:
    """Return the gold links of the words that the systems read; the aligner reads tokens.

    Raises:
        InputError: if no gold links are known.
    """
    layout, aligned = Layout(params.experiment), params.sets.aligned
    family = next((scores.family for scores in systems if scores), None)
    if family is None:
        path = layout.tokens / f"{aligned}.links"
        return _of_tokens(params, path, "run the tokens stage again")
    data = EncodedSets(layout.encoded(family))
    gold = data.gold(aligned)
    if gold is None:
        raise InputError(
            f"{data.folder}: no gold links of {aligned!r}; run encode of {family} again"
        )
    return gold


def _of_tokens(params: Params, path: Path, cure: str) -> list[GoldLinks]:
    """Return links of the aligned set's tokens."""
    tokens, aligned = Layout(params.experiment).tokens, params.sets.aligned
    return read_links(path, count_words(tokens / f"{aligned}.en", tokens / f"{aligned}.de"), cure)
