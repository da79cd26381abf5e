"""Paired comparisons of two numbers over sentences, on the outputs behind them."""

from attnmt.config import ALIGNER, Params
from attnmt.corpora.links import GoldLinks, Links
from attnmt.decoding.link_step import load_reading
from attnmt.scoring.alignment import diagonal_links, read_forced, score_links
from attnmt.scoring.reference_links import (
    aligner_links,
    link_kind,
    reference_links,
    token_counts,
)
from attnmt.scoring.results import LinkScore, Script
from attnmt.scoring.significance import Comparison, compare, compare_links
from attnmt.scoring.system_outputs import Outputs


def translation_comparison(
    params: Params, script: Script, test: str, ours: tuple[str, bool], other: tuple[str, bool]
) -> Comparison:
    """Compare two systems' scores of translations.

    Args:
        ours: the name of a model or ensemble, and whether its unknown words are replaced.
        other: likewise.
    """
    (name, replaced), (other_name, other_replaced) = ours, other
    one = Outputs.read(params, name, test)
    two = one if other_name == name else Outputs.read(params, other_name, test)
    return compare(
        script,
        one.translations(script, replaced),
        two.translations(script, other_replaced),
        one.references(script),
        params.evaluation.bootstrap_samples,
    )


def alignment_comparison(params: Params, aligned: str, ours: str, other: str) -> Comparison:
    """Compare the alignment error rates of two systems, of which one may be the outside aligner."""
    links, other_links = (system_links(params, aligned, name) for name in (ours, other))
    gold, samples = gold_links(params, aligned, ours, other), params.evaluation.bootstrap_samples
    return compare_links(links, other_links, gold, samples)


def aligner_score(params: Params, aligned: str) -> LinkScore | None:
    """Return the outside aligner's error rate; None against silver links, which are its own."""
    if link_kind(params, aligned) == "silver":
        return None
    links, reference = system_links(params, aligned, ALIGNER), reference_links(params, aligned)
    return score_links(links, reference, params.evaluation.bootstrap_samples)


def diagonal_score(params: Params, aligned: str) -> LinkScore:
    """Return the error rate of links that need no model, computed like a model's."""
    links = diagonal_links(token_counts(params, aligned))
    reference = reference_links(params, aligned)
    return score_links(links, reference, params.evaluation.bootstrap_samples)


def system_links(params: Params, aligned: str, name: str, chosen: bool = False) -> list[Links]:
    """Return the links of an aligned set by a model, an ensemble or the outside aligner.

    Attention is read at the step that the authors' program reads, or with ``chosen`` at the step that
    the development set chooses (:mod:`attnmt.decoding.link_step`).
    """
    if name == ALIGNER:
        return [line.sure for line in aligner_links(params, aligned)]
    reading = load_reading(params, name)
    step = reading.chosen if chosen else reading.authors
    return read_forced(params, name, aligned, [step])[step]


def gold_links(params: Params, aligned: str, *systems: str) -> list[GoldLinks]:
    """Return what the links of systems are measured against; the aligner reads tokens."""
    families = (params.translators(name).family for name in systems if name != ALIGNER)
    return reference_links(params, aligned, next(families, None)).links
