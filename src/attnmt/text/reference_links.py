"""The links that alignment error rates are measured against: gold links where the text has them.

Where it has none, the outside aligner's links stand in for them. They are silver links: a program's, not
a person's. An error rate against them says how far attention is from that program.

Every function that reads a file raises an InputError if it is missing, or does not fit the set's
sentences.
"""

from typing import Literal, NamedTuple

from attnmt.config import LINKS, Params
from attnmt.corpora.links import GoldLinks, Links, read_links
from attnmt.corpora.parallel import count_parallel_lines, every_nth_pair
from attnmt.files.text_file import read_lines, sha256_of_lines
from attnmt.layout import Layout

LinkKind = Literal["gold", "silver"]  # made by people, or by the outside aligner


class ReferenceLinks(NamedTuple):
    """The links of a set's sentence pairs, from the source language to the target language."""

    kind: LinkKind
    links: list[GoldLinks]

    @property
    def digest(self) -> str:
        """The SHA-256 of all links."""
        return sha256_of_lines(f"{sorted(one.sure)} {sorted(one.possible)}" for one in self.links)


def link_kind(params: Params, aligned: str) -> LinkKind:
    """Return whether the links of an aligned set are gold or silver."""
    gold = Layout(params.experiment).tokens / f"{aligned}.{LINKS}"
    return "gold" if gold.exists() else "silver"


def reference_links(params: Params, aligned: str, family: str | None = None) -> ReferenceLinks:
    """Return the links of the words that a family reads, or with None those of the tokens."""
    kind = link_kind(params, aligned)
    if kind == "silver":
        return ReferenceLinks(kind, aligner_links(params, aligned, family))
    path = Layout(params.experiment).tokens / f"{aligned}.{LINKS}"
    words = token_counts(params, aligned)
    links = read_links(path, words, "run the tokens stage again")
    return ReferenceLinks(kind, _as_read(params, family, links, words))


def aligner_links(params: Params, name: str, family: str | None = None) -> list[GoldLinks]:
    """Return the outside aligner's links of the words of a set, as in :func:`reference_links`."""
    path = Layout(params.experiment).dictionary / f"{name}.{LINKS}"
    words = token_counts(params, name)
    if read_lines(path, may_be_blank=True) == [""] * len(words):  # the aligner linked nothing
        return [GoldLinks([], []) for _ in words]
    return _as_read(
        params, family, read_links(path, words, "run the dictionary stage again"), words
    )


def _as_read(
    params: Params, family: str | None, links: list[GoldLinks], words: list[tuple[int, int]]
) -> list[GoldLinks]:
    """Return the links between the words that a family reads; None reads all."""
    length = params.families[family].encoding.length if family else None
    if length is None:
        return links
    return [cut_links(line, pair, length) for line, pair in zip(links, words, strict=True)]


def token_counts(params: Params, aligned: str) -> list[tuple[int, int]]:
    """Return how many tokens each sentence pair of a set has, source and target."""
    tokens = Layout(params.experiment).tokens
    source, target = (tokens / f"{aligned}.{code}" for code in params.languages.codes)
    count_parallel_lines((source, target))
    return [(len(words), len(others)) for words, others in every_nth_pair(source, target)]


def cut_links(links: GoldLinks, words: tuple[int, int], length: int) -> GoldLinks:
    """Return the links of the last ``length`` words of each side, counted from the first of these."""
    first = [max(0, count - length) for count in words]

    def moved(part: Links) -> Links:
        return [(i - first[0], j - first[1]) for i, j in part if i >= first[0] and j >= first[1]]

    return GoldLinks(moved(links.sure), moved(links.possible))
