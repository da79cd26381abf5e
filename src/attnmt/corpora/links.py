"""Word links in Pharaoh's format, in which ``i-j`` is a sure link and ``i?j`` a possible one.

In a file, line k holds the links of sentence pair k. i counts its source words from 0, and j its target
words. ``ipj`` is read as a possible link, too.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from attnmt.errors import InputError
from attnmt.files.text_file import iter_lines

Links = list[tuple[int, int]]
Words = Sequence[tuple[int, int]]  # the numbers of source and target words of each pair

_LINK = re.compile(r"([0-9]+)([-?p])([0-9]+)")


class GoldLinks(NamedTuple):
    """The links of one sentence pair. As in Och and Ney (2003), every sure link is possible too."""

    sure: Links
    possible: Links


def parse_links(text: str, place: str = "links", first: int = 0) -> GoldLinks:
    """Read one line into links from 0, in ascending order.

    Args:
        place: names the line in an error.
        first: the number of a first word in ``text``.

    Raises:
        InputError: if an item is neither ``i-j`` nor ``i?j``, or counts from less than ``first``.
    """
    sure, possible = set(), set()
    for item in text.split():
        match = _LINK.fullmatch(item)
        ends = (int(match[1]) - first, int(match[3]) - first) if match else (-1, -1)
        if match is None or min(ends) < 0:
            raise InputError(
                f"{place}: {item!r} is not a link; write {first}-{first} (sure) or {first}?{first} "
                f"(possible)"
            )
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
    path: Path,
    words: Words | None = None,
    cure: str = "make it again",
    *,
    first: int = 0,
    exchanged: bool = False,
) -> list[GoldLinks]:
    """Read a file of links, by default in Pharaoh's format.

    Args:
        words: the numbers of source and target words of each sentence pair, where they are known.
        cure: what a person is to do if the links do not belong to these sentences.
        first: the number of a first word in the file.
        exchanged: whether the file's links are target-source links.

    Raises:
        InputError: if it is missing or empty, or does not have one line for each pair; if a line holds
            an item that is not a link, or a link outside its pair.
    """
    lines = enumerate(iter_lines(path), start=1)
    links = [parse_links(line, f"{path}:{number}", first) for number, line in lines]
    if exchanged:
        links = [GoldLinks(*map(flipped, line)) for line in links]
    if words is not None and len(links) != len(words):
        raise InputError(f"{path}: {len(links):,} lines where the text has {len(words):,}; {cure}")
    for number, (line, pair) in enumerate(zip(links, words or (), strict=False), start=1):
        check_inside(line.possible, pair, f"{path}:{number}", cure)
    return links
