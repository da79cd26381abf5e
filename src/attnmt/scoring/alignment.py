"""Scores of an aligned set's links.

Links go from the experiment's source language to its target language here, as gold links do, whatever
the direction of the translation.
"""

from collections.abc import Iterable, Sequence

from attnmt.config import Params
from attnmt.corpora.links import Links, flipped, read_links
from attnmt.layout import Layout
from attnmt.scoring.metric import Score
from attnmt.scoring.significance import Counts, interval
from attnmt.text.aer import aer, link_counts, rates
from attnmt.text.encoded import EncodedSets
from attnmt.text.reference_links import ReferenceLinks

DIGITS = 6  # decimals of a rate that are kept


def read_forced(params: Params, name: str, aligned: str) -> list[Links]:
    """Return the links that attention gives to an aligned set's references."""
    layout, family = Layout(params.experiment), params.translators(name).family
    data = EncodedSets(layout.encoded(family))
    sides = (data.units(aligned, language) for language in params.sides(name))
    words = [(len(data.words(a)), len(data.words(b))) for a, b in zip(*sides, strict=True)]
    path = layout.translations(name) / f"{aligned}.forced.links"
    lines = read_links(path, words, f"run the stage translate for {name} again")
    backward = params.direction(name) == "backward"
    return [flipped(line.sure) if backward else line.sure for line in lines]


def diagonal_links(words: Iterable[tuple[int, int]]) -> list[Links]:
    """Return links that need no model, for sentence pairs with these numbers of words.

    Each target word is linked to the source word at the same position, or to the last one if the
    source sentence is shorter.
    """
    return [
        [(min(j, source - 1), j) for j in range(target)] if source else []
        for source, target in words
    ]


def score_links(
    links: Sequence[Links], reference: ReferenceLinks, samples: int
) -> tuple[Score, Counts]:
    """Return the error rate of links in [0, 1], and the counts of each sentence pair."""
    sure, possible = zip(*reference.links, strict=True)
    counts = link_counts(links, sure, possible)
    low, high = interval(counts, rates, samples)
    number, others = sum(map(len, sure)), sum(map(len, possible))
    note = f"{number:,} sure and {others:,} possible {reference.kind} links"
    return Score(round(aer(links, sure, possible), DIGITS), low, high, note), counts
