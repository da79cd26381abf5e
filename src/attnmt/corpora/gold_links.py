"""Links made by people, in the formats in which they are published, as source-target links from 0.

Pharaoh  a line for each pair: ``0-0 1?2``, sure and possible, from 0; ``1p2`` is possible, too
RWTH     (``.talp``) a line for each pair: ``1-1 1p2``, from 1; in a pair with German, German comes first
NAACL    a line for each link: sentence, position, position, and S (sure, also if it is left out) or P.
         The format counts from 1, and a position 0 stands for no word; but some files count from 0
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from attnmt.corpora.language_codes import language_code
from attnmt.corpora.links import GoldLinks, Links, flipped, parse_links
from attnmt.errors import InputError
from attnmt.files.text_file import command_for, iter_lines

Words = Sequence[tuple[int, int]]  # the numbers of source and target words of each pair
FEW = 0.05  # of the lines that do not fit; what leaves no more of them explains why
Link = tuple[int, int]
_NAACL = re.compile(r"([0-9]+)\s+([0-9]+)\s+([0-9]+)(?:\s+([SP])(?:\s+[0-9.]+)?)?\s*")
_RWTH_LINK = re.compile(r"[1-9][0-9]*[-p][1-9][0-9]*")
_ZERO = re.compile(r"(?<![0-9])0[-?p]|[-?p]0(?![0-9])")
_NUMBERED = re.compile(r"[0-9]+\t")
_LESS_ONE = r"perl -pe 's/(\d+)([-?p])(\d+)/($1-1).$2.($3-1)/ge'"


class Gold(NamedTuple):
    """Links of a set's pairs, source-target from 0, and how they were read.

    Attributes:
        as_written: whether the file holds them just so.
    """

    links: list[GoldLinks]
    notes: list[str]
    as_written: bool


class _File(NamedTuple):
    """A file's links from 0, in its own order of the sides.

    Attributes:
        note: how they were read; empty if they are Pharaoh's.
        target_first: whether the format has the target's words first.
        places: the lines of links; where one is missing, line k has the links of pair k.
    """

    links: list[GoldLinks]
    note: str
    target_first: bool = False
    places: dict[tuple[int, Link], int] = {}  # noqa: RUF012  never changed


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
    if all(_NAACL.fullmatch(line) for line in lines if line.strip()):
        in_order = [pair[::-1] for pair in words] if flip and words is not None else words
        file = _read_naacl(path, lines, pairs, in_order)
    else:
        file = _read_lines(path, lines, pairs, codes)
    links, exchanged = file.links, file.target_first != flip
    if exchanged:
        links = [GoldLinks(*map(flipped, line)) for line in links]
    outside = [
        (at, link)
        for at, (line, pair) in enumerate(zip(links, words or (), strict=False))
        if (link := next((link for link in line.possible if not _fits([link], pair)), None))
    ]
    if words is not None and outside:
        at, (i, j) = outside[0]
        line = file.places.get((at, (j, i) if exchanged else (i, j)), at + 1)
        raise InputError(
            f"{path}:{line}: link {i}-{j} lies outside the pair's {words[at][0]} and {words[at][1]} "
            f"tokens; {_cause(path, links, words, len(outside), flip)}"
        )
    notes = [f"{path}: {file.note}"] if file.note else []
    return Gold(links, notes, as_written=not (file.note or flip))


def _read_lines(path: Path, lines: Sequence[str], pairs: int, codes: tuple[str, str]) -> _File:
    """Read Pharaoh's or RWTH's links, of which a line has those of a pair."""
    rwth = _is_rwth(path, lines)
    if not rwth and all(_NUMBERED.match(line) for line in lines):
        cure = command_for("cut -f2-", path)
        raise InputError(f"{path}:1: each line begins with its number; take it out: {cure}")
    parse = parse_rwth if rwth else parse_links
    links = [parse(line, f"{path}:{number}") for number, line in enumerate(lines, start=1)]
    if len(links) != pairs:
        raise InputError(
            f"{path}: {len(links):,} lines where the text has {pairs:,}; get the links of this text"
        )
    if not rwth:
        return _File(links, "")
    german_first = language_code(codes[1]) == "de"
    order = "target-source, as German comes first" if german_first else "source-target"
    return _File(links, f"read as RWTH's format: from 1, {order}", german_first)


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


def _read_naacl(path: Path, lines: Sequence[str], pairs: int, words: Words | None) -> _File:
    """Read NAACL's links, one a line. ``words`` are in the order of the file."""
    rows = [
        (number, int(match[1]), (int(match[2]), int(match[3])), match[4] != "P")
        for number, line in enumerate(lines, start=1)
        if (match := _NAACL.fullmatch(line))
    ]
    first_sentence = 0 if any(sentence == 0 for _, sentence, *_ in rows) else 1
    for number, sentence, *_ in rows:
        if sentence - first_sentence >= pairs:
            raise InputError(
                f"{path}:{number}: sentence {sentence}, but the text has {pairs:,} lines; get the links "
                f"of this text"
            )
    ends = [(sentence - first_sentence, link) for _, sentence, link, _ in rows]
    start = _naacl_start(path, ends, words)
    sure: list[set[Link]] = [set() for _ in range(pairs)]
    possible: list[set[Link]] = [set() for _ in range(pairs)]
    places: dict[tuple[int, Link], int] = {}
    null = 0
    for number, sentence, (i, j), certain in rows:
        if min(i, j) < start:
            null += 1
            continue
        at, link = sentence - first_sentence, (i - start, j - start)
        places[at, link] = number
        possible[at].add(link)
        if certain:
            sure[at].add(link)
    links = [GoldLinks(sorted(a), sorted(b)) for a, b in zip(sure, possible, strict=True)]
    bare = sum(not line.possible for line in links)
    note = f"read as NAACL's format, from {start}"
    note += f"; {null:,} links to no word are left out" if null else ""
    note += f"; {bare:,} of {pairs:,} pairs have no links" if bare else ""
    return _File(links, note, places=places)


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


def _cause(path: Path, links: Sequence[GoldLinks], words: Words, outside: int, flip: bool) -> str:
    """Say why so many lines do not fit, and what to do."""

    def less_one(line: Links) -> Links:
        return [(i - 1, j - 1) for i, j in line]

    lines = len(links)
    exchange = "leave --flip out" if flip else "add --flip"
    move = f"write it from 0: {command_for(_LESS_ONE, path)}"
    # What may be wrong: how it would be put right, whether it needs links from 1, and what to do.
    guesses: list[tuple[Callable[[Links], Links], bool, str]] = [
        (flipped, False, f"source and target are exchanged, so {exchange}"),
        (less_one, True, f"words count from 1, so {move}"),
        (
            lambda line: less_one(flipped(line)),
            True,
            f"words count from 1 and the sides are exchanged, so {exchange} and {move}",
        ),
    ]
    from_1 = all(min(link) > 0 for line in links for link in line.possible)
    for change, needs_from_1, cause in guesses:
        pairs = zip(links, words, strict=True)
        misfits = sum(not _fits(change(line.possible), pair) for line, pair in pairs)
        if misfits <= FEW * outside and (from_1 or not needs_from_1):
            first = "no link has a 0, and " if needs_from_1 else ""
            return f"{first}{lines - misfits:,} of {lines:,} lines fit if {cause}"
    if outside <= max(1, FEW * lines):
        return (
            f"{lines - outside:,} of {lines:,} lines fit, so correct this one, or take its pair out of "
            f"all files"
        )
    return (
        f"so do links of {outside:,} of {lines:,} lines. Are these the links of this text? They count "
        f"its tokens"
    )


def _fits(links: Sequence[Link], pair: tuple[int, int]) -> bool:
    return all(0 <= i < pair[0] and 0 <= j < pair[1] for i, j in links)
