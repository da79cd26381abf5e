"""Word links in Pharaoh's format: ``i-j`` is a sure link, and ``i?j`` is a possible one.

In a file, line k holds the links of sentence pair k. i counts its source words from 0, and j its target
words.
RWTH's format is similar and can be read, too.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from attnmt.errors import InputError
from attnmt.files.text_file import read_lines

Links = list[tuple[int, int]]

_LINK = re.compile(r"([0-9]+)([-?])([0-9]+)")
_TALP_LINK = re.compile(r"([1-9][0-9]*)([-p])([1-9][0-9]*)")


class GoldLinks(NamedTuple):
    """The links of one sentence pair. As in Och and Ney (2003), every sure link is possible too."""

    sure: Links
    possible: Links


def parse_links(text: str, place: str = "links") -> GoldLinks:
    """Read one line into links in ascending order; ``place`` names the line in an error.

    Raises:
        InputError: if an item is neither ``i-j`` nor ``i?j``.
    """
    return _parse(text, place, _LINK, "0-0 (sure) or 0?0 (possible)")


def parse_talp(text: str, place: str = "links") -> GoldLinks:
    """Read one line of RWTH's gold links as source-target links.

    In that format the target word comes first and words count from 1: ``j-i`` is a sure link, and
    ``jpi`` is a possible one.

    Raises:
        InputError: if an item has neither form.
    """
    gold = _parse(text, place, _TALP_LINK, "1-1 (sure) or 1p1 (possible)")
    return GoldLinks(*([(i - 1, j - 1) for i, j in flipped(links)] for links in gold))


def _parse(text: str, place: str, link: re.Pattern[str], examples: str) -> GoldLinks:
    sure, possible = set(), set()
    for item in text.split():
        match = link.fullmatch(item)
        if match is None:
            raise InputError(f"{place}: {item!r} is not a link; write {examples}")
        ends = int(match[1]), int(match[3])
        possible.add(ends)
        if match[2] == "-":
            sure.add(ends)
    return GoldLinks(sorted(sure), sorted(possible))


def format_links(sure: Iterable[tuple[int, int]], possible: Iterable[tuple[int, int]] = ()) -> str:
    """Return one line of links in ascending order. A sure link is not repeated as a possible one."""
    certain = set(sure)
    links = sorted(certain.union(possible))
    return " ".join(f"{i}-{j}" if (i, j) in certain else f"{i}?{j}" for i, j in links)


def flipped(links: Iterable[tuple[int, int]]) -> Links:
    """Return source-target links as target-source ones, in ascending order."""
    return sorted((j, i) for i, j in links)


def check_inside(links: Links, words: tuple[int, int], place: str, cure: str) -> None:
    """Refuse links of words that the sentence pair does not have.

    Args:
        links: source-target links.
        words: the numbers of source words and of target words.
        place: names the line in an error.
        cure: what a person is to do.

    Raises:
        InputError: if a link lies outside the pair.
    """
    for i, j in links:
        if i >= words[0] or j >= words[1]:
            raise InputError(
                f"{place}: link {i}-{j} lies outside the pair's {words[0]} and {words[1]} tokens; "
                f"{cure}"
            )


def read_links(
    path: Path, words: Sequence[tuple[int, int]] | None = None, cure: str = "make it again"
) -> list[GoldLinks]:
    """Read a file of links.

    Args:
        words: the numbers of source and target words of each sentence pair, where they are known.
        cure: what a person is to do if the links do not belong to these sentences.

    Raises:
        InputError: if it is missing or empty, or does not have one line for each pair; if a line holds
            an item that is not a link, or a link outside its pair.
    """
    links = [parse_links(line, f"{path}:{n}") for n, line in enumerate(read_lines(path), start=1)]
    if words is not None and len(links) != len(words):
        raise InputError(f"{path}: {len(links):,} lines where the text has {len(words):,}; {cure}")
    for number, (line, pair) in enumerate(zip(links, words or (), strict=False), start=1):
        check_inside(line.possible, pair, f"{path}:{number}", cure)
    return links
