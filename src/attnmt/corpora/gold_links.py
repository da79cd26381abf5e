"""Links made by people, in the formats in which they are published, as source-target links from 0.

Pharaoh  a line for each pair: ``0-0 1?2``, sure and possible, from 0; ``1p2`` is possible, too
RWTH     (``.talp``) a line for each pair: ``1-1 1p2``, from 1; in a pair with German, German comes first
NAACL    a line for each link: sentence, position, position, and S (sure, also if it is left out) or P.
         The format counts from 1, and a position 0 stands for no word; but some files count from 0
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from attnmt.corpora.language_codes import language_code
from attnmt.corpora.links import GoldLinks, flipped, parse_links
from attnmt.errors import InputError
from attnmt.files.file_kind import command_for
from attnmt.files.text_file import iter_lines

Words = Sequence[tuple[int, int]]  # the numbers of source and target words of each pair
Link = tuple[int, int]
_NAACL = re.compile(  # sentence, source, target; S or P and a confidence may follow
    r"\s*([0-9]+)\s+([0-9]+)\s+([0-9]+)(?:\s+([SP]))?(?:\s+[0-9.]+(?:e-?[0-9]+)?)?\s*"
)
_LINK = re.compile(r"[0-9]+[-?p][0-9]+")
_RWTH_LINK = re.compile(r"[1-9][0-9]*[-p][1-9][0-9]*")
_ZERO = re.compile(r"(?<![0-9])0[-?p]|[-?p]0(?![0-9])")


class Gold(NamedTuple):
    """Links of a set's pairs, source-target from 0, and how they were read.

    Attributes:
        as_written: whether the file holds them just so.
    """

    links: list[GoldLinks]
    notes: list[str]
    as_written: bool


def read_gold(
    path: Path, codes: tuple[str, str], pairs: int, words: Words | None = None, flip: bool = False
) -> Gold:
    """Read a file of gold links in any of the formats.

    Args:
        codes: the codes of source and target.
        pairs: how many pairs the text has.
        words: if known, they are what links are checked against.
        flip: whether the file's sides are exchanged.

    Raises:
        InputError: if the file cannot be read, does not have the links of so many pairs, or has links
            of words that a pair does not have. The message names a line and the likely cause.
    """
    lines = list(iter_lines(path))
    naacl = all(_NAACL.fullmatch(line) for line in lines if line.strip())
    rwth = not naacl and _is_rwth(path, lines)
    exchanged, note = flip, ""
    if naacl:
        in_order = [pair[::-1] for pair in words] if flip and words is not None else words
        links, note = _read_naacl(path, lines, pairs, in_order)
    else:
        parse = parse_rwth if rwth else parse_links
        links = [parse(line, f"{path}:{number}") for number, line in enumerate(lines, start=1)]
    if rwth:
        german_first = language_code(codes[1]) == "de"
        order = "target-source, as German comes first" if german_first else "source-target"
        exchanged, note = german_first != flip, f"read as RWTH's format: from 1, {order}"
    if len(links) != pairs:
        raise InputError(
            f"{path}: {len(links):,} lines where the text has {pairs:,}; get the links of this text"
        )
    if exchanged:
        links = [GoldLinks(*map(flipped, line)) for line in links]
    outside = [
        (at, link)
        for at, (line, pair) in enumerate(zip(links, words or (), strict=False))
        if (link := next((link for link in line.possible if not _fits(link, pair)), None))
    ]
    if words is not None and outside:
        at, (i, j) = outside[0]
        how = f" ({note})" if note else ""
        raise InputError(
            f"{path}{': pair ' if naacl else ':'}{at + 1}: link {i}-{j} lies outside the pair's "
            f"{words[at][0]} and {words[at][1]} tokens, and {len(outside) - 1:,} of the other "
            f"{pairs - 1:,} lines do not fit{how}. Do the links count this text's tokens, from 0? If "
            f"source and target are exchanged, {'leave --flip out' if flip else 'add --flip'}"
        )
    return Gold(links, [f"{path}: {note}"] if note else [], as_written=not (note or flip))


def refuse_columns(path: Path) -> None:
    """Refuse links that other columns follow, as the tokens do that attnmt align writes for plain text.

    Raises:
        InputError: naming the line, and the command that keeps the links.
    """
    for number, line in enumerate(iter_lines(path), start=1):
        first, *others = line.split("\t")
        if others and first.strip() and _are_links(first) and not _are_links(" ".join(others)):
            raise InputError(
                f"{path}:{number}: columns follow the links, such as the tokens that attnmt align "
                f"writes; keep the first one: {command_for('cut -f1', path)}"
            )


def _are_links(text: str) -> bool:
    return all(map(_LINK.fullmatch, text.split()))


def parse_rwth(text: str, place: str = "links") -> GoldLinks:
    """Read one line of RWTH's links as links from 0, in the order of the file.

    Raises:
        InputError: if an item has another form.
    """
    for item in text.split():
        if not _RWTH_LINK.fullmatch(item):
            raise InputError(
                f"{place}: {item!r} is not a link; write 1-1 (sure) or 1p1 (possible), from 1"
            )
    gold = parse_links(text, place)
    return GoldLinks(*([(i - 1, j - 1) for i, j in links] for links in gold))


def _is_rwth(path: Path, lines: Sequence[str]) -> bool:
    """Return whether links are RWTH's, by the file's name, or by possible links and no link from 0."""
    if path.name.removesuffix(".gz").endswith(".talp"):
        return True
    return any("p" in line for line in lines) and not any(map(_ZERO.search, lines))


def _read_naacl(
    path: Path, lines: Sequence[str], pairs: int, words: Words | None
) -> tuple[list[GoldLinks], str]:
    """Read NAACL's links, one a line, and say how. ``words`` are in the order of the file."""
    rows = [
        (int(match[1]), (int(match[2]), int(match[3])), match[4] != "P")
        for line in lines
        if (match := _NAACL.fullmatch(line))
    ]
    first = 0 if any(sentence == 0 for sentence, *_ in rows) else 1
    last = max(sentence for sentence, *_ in rows)
    if last - first >= pairs:
        raise InputError(
            f"{path}: sentence {last}, but the text has {pairs:,} lines; get the links of this text"
        )
    start = _naacl_start(path, [(sentence - first, link) for sentence, link, _ in rows], words)
    sure: list[set[Link]] = [set() for _ in range(pairs)]
    possible: list[set[Link]] = [set() for _ in range(pairs)]
    null = 0
    for sentence, (i, j), certain in rows:
        if min(i, j) < start:
            null += 1
            continue
        link = i - start, j - start
        possible[sentence - first].add(link)
        if certain:
            sure[sentence - first].add(link)
    links = [GoldLinks(sorted(a), sorted(b)) for a, b in zip(sure, possible, strict=True)]
    bare = sum(not line.possible for line in links)
    note = f"read as NAACL's format, from {start}"
    note += f"; {null:,} links to no word are left out" if null else ""
    note += f"; {bare:,} of {pairs:,} pairs have no links" if bare else ""
    return links, note


def _naacl_start(path: Path, links: Sequence[tuple[int, Link]], words: Words | None) -> int:
    """Return whether positions count from 0 or from 1."""
    if any(link == (0, 0) for _, link in links):
        return 0
    if words is None:
        return 1
    at_end = any(i >= words[at][0] or j >= words[at][1] for at, (i, j) in links)
    if not at_end and any(0 in link for _, link in links):
        raise InputError(
            f"{path}: it may count words from 0, or from 1 with 0 for no word: no link has two zeros, "
            f"and none the last word's number from 1. Write it in Pharaoh's format: 0-0 1?2, from 0"
        )
    return 1


def _fits(link: Link, pair: tuple[int, int]) -> bool:
    return 0 <= link[0] < pair[0] and 0 <= link[1] < pair[1]
