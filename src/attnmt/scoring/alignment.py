"""Scores of the aligned set's links against gold links, for each step at which attention is read.

Links are English-German here, as the gold links are, whatever the direction of the translation.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from attnmt.config import LinkStep, Params
from attnmt.corpora.links import GoldLinks, Links, flipped, read_links
from attnmt.files.text_file import iter_lines
from attnmt.layout import Layout
from attnmt.scoring.aer import aer
from attnmt.scoring.results import AttentionScores, LinkScores
from attnmt.scoring.significance import aer_interval
from attnmt.text.encoded import EncodedSets


def read_forced(
    params: Params, name: str, steps: Sequence[LinkStep], root: Path = Path()
) -> dict[LinkStep, list[Links]]:
    """Return the links of the aligned set's references, by the step at which attention is read.

    Raises:
        InputError: if a file is missing, or does not fit the set's sentences.
    """
    layout, system = Layout(params.experiment, root), params.translators(name)
    model, aligned = params.model(system.members[0]), params.sets.aligned
    data = EncodedSets(layout.encoded(system.family))
    words = data.word_counts(aligned, model.source, model.target)
    again = f"run the stage translate for {name} again"
    links_by_step: dict[LinkStep, list[Links]] = {}
    for step in steps:
        path = layout.translations(name) / f"{aligned}.forced.{step}.links"
        links = [line.sure for line in read_links(path, words, again)]
        links_by_step[step] = list(map(flipped, links)) if model.direction == "de-en" else links
    return links_by_step


def diagonal_links(params: Params, root: Path = Path()) -> list[Links]:
    """Return links of the aligned set that need no model.

    Each German word is linked to the English word at the same position, or to the last one if the
    English sentence is shorter.
    """
    tokens, aligned = Layout(params.experiment, root).tokens, params.sets.aligned
    sides = [
        [len(line.split()) for line in iter_lines(tokens / f"{aligned}.{language}")]
        for language in ("en", "de")
    ]
    return [
        [(min(j, english - 1), j) for j in range(german)] if english else []
        for english, german in zip(*sides, strict=True)
    ]


def score_readings(
    name: str,
    links: Mapping[LinkStep, Sequence[Links]],
    authors: LinkStep,
    gold: Sequence[GoldLinks] | None,
    samples: int,
) -> AttentionScores:
    """Return the error rate of the ``authors`` reading with its interval, and both readings' rates.

    Args:
        name: the name of the set.
        links: those of every sentence pair, by the step that is read.
        authors: the step that the authors' program reads.
        gold: the gold links of every sentence pair. If it is None, the rates are None too.
        samples: how many the bootstrap draws.
    """
    scored = score_links(name, links[authors], gold, samples)
    rates = {step: _rate(lines, gold) for step, lines in links.items()}
    return AttentionScores(**dict(scored), link_step=authors, aer_by_link_step=rates)


def score_links(
    name: str, links: Sequence[Links], gold: Sequence[GoldLinks] | None, samples: int
) -> LinkScores:
    """Return the error rate of links with its interval; the arguments are :func:`score_readings`'."""
    low, high = aer_interval(links, gold, samples) if gold else (None, None)
    return LinkScores(
        set=name,
        lines=len(links),
        aer=_rate(links, gold),
        low=low,
        high=high,
        sure=sum(len(line.sure) for line in gold or []),
        possible=sum(len(line.possible) for line in gold or []),
    )


def _rate(links: Sequence[Links], gold: Sequence[GoldLinks] | None) -> float | None:
    if gold is None:
        return None
    return aer(links, [line.sure for line in gold], [line.possible for line in gold])
