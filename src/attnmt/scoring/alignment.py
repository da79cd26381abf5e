"""Scores of an aligned set's links, for each step at which attention is read.

Links go from the experiment's source language to its target language here, as gold links do, whatever
the direction of the translation.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from attnmt.config import LinkStep, Params
from attnmt.corpora.links import GoldLinks, Links, flipped, read_links
from attnmt.layout import Layout
from attnmt.scoring.aer import aer
from attnmt.scoring.reference_links import ReferenceLinks
from attnmt.scoring.results import AttentionScores, LinkScores
from attnmt.scoring.significance import aer_interval
from attnmt.text.encoded import EncodedSets


def read_forced(
    params: Params, name: str, aligned: str, steps: Sequence[LinkStep], root: Path = Path()
) -> dict[LinkStep, list[Links]]:
    """Return the links of an aligned set's references, by the step at which attention is read.

    Raises:
        InputError: if a file is missing, or does not fit the set's sentences.
    """
    layout, system = Layout(params.experiment, root), params.translators(name)
    data = EncodedSets(layout.encoded(system.family))
    words = data.word_counts(aligned, *params.sides(name))
    backward = params.model(system.members[0]).direction == "backward"
    again = f"run the stage translate for {name} again"
    links_by_step: dict[LinkStep, list[Links]] = {}
    for step in steps:
        path = layout.translations(name) / f"{aligned}.forced.{step}.links"
        links = [line.sure for line in read_links(path, words, again)]
        links_by_step[step] = list(map(flipped, links)) if backward else links
    return links_by_step


def diagonal_links(words: Iterable[tuple[int, int]]) -> list[Links]:
    """Return links that need no model, for sentence pairs with these numbers of words.

    Each target word is linked to the source word at the same position, or to the last one if the
    source sentence is shorter.
    """
    return [
        [(min(j, source - 1), j) for j in range(target)] if source else []
        for source, target in words
    ]


def score_readings(
    name: str,
    links: Mapping[LinkStep, Sequence[Links]],
    authors: LinkStep,
    reference: ReferenceLinks,
    samples: int,
) -> AttentionScores:
    """Return the error rate at the step ``authors`` with its interval, and the rate at each step.

    Args:
        name: the name of the set.
        links: those of every sentence pair, by the step that is read.
        authors: the step that the authors' program reads.
        reference: what they are measured against.
        samples: how many the bootstrap draws.
    """
    scored = score_links(name, links[authors], reference, samples)
    rates = {step: _rate(lines, reference.links) for step, lines in links.items()}
    return AttentionScores(**dict(scored), link_step=authors, aer_by_link_step=rates)


def score_links(
    name: str, links: Sequence[Links], reference: ReferenceLinks, samples: int
) -> LinkScores:
    """Return the error rate of links with its interval; the arguments are :func:`score_readings`'."""
    low, high = aer_interval(links, reference.links, samples)
    return LinkScores(
        set=name,
        lines=len(links),
        kind=reference.kind,
        aer=_rate(links, reference.links),
        low=low,
        high=high,
        sure=sum(len(line.sure) for line in reference.links),
        possible=sum(len(line.possible) for line in reference.links),
    )


def _rate(links: Sequence[Links], gold: Sequence[GoldLinks]) -> float:
    return aer(links, [line.sure for line in gold], [line.possible for line in gold])
