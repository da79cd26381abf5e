"""An explanation as text for a terminal: facts, candidates, and the matrix in aligned columns."""

import re
import textwrap
from collections.abc import Iterator

from rich.cells import cell_len, set_cell_size

from attnmt.decoding.explanation import Explained, Explanation
from attnmt.reporting.explain_facts import (
    Shown,
    how_it_attends,
    number,
    text_of,
    what_is_read,
    what_replaced,
)

LONGEST = 14  # the most columns of a word in a matrix; a longer word is cut
NARROWEST = 5  # the fewest columns of a weight, with the space before it
ROOM = 24  # columns that a translation needs beside its numbers
GAP = 2  # spaces between other columns
# The codes of ASCII and of Latin-1 but for the tab, and marks that turn the direction of writing.
CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def explain_text(shown: Shown, width: int) -> str:
    """Return an explanation as lines of at most ``width`` columns. A word that is longer stays whole."""
    explanation = shown.explanation
    best, *_ = explanation.candidates
    title = shown.name if shown.name == shown.label else f"{shown.name}: {shown.label}"
    rows = [(str(rank), one) for rank, one in enumerate(explanation.candidates, start=1)]
    if explanation.reference:
        rows.append(("reference", explanation.reference))
    lines = [title, "=" * min(cell_len(title), width)]
    units = [
        f"[{text_of(unit)}]" if not unit.known else text_of(unit) for unit in explanation.source
    ]
    marked = (
        ["[..] is not in the vocabulary."] if not all(u.known for u in explanation.source) else []
    )
    lines += _wrapped("Reads        ", " ".join(units), width)
    lines += _wrapped("", " ".join([*what_is_read(explanation), *marked]), width)
    lines += ["", *_wrapped("Translation  ", best.text, width)]
    for sentence in what_replaced(explanation, best):
        lines += _wrapped("", sentence, width)
    lines += ["", *_candidates(explanation, rows, width), ""]
    for sentence in how_it_attends(explanation):
        lines += _wrapped("", sentence, width)
    for rank, one in rows[:1] + rows[len(explanation.candidates) :]:
        heading = "Reference" if rank == "reference" else "Candidate 1"
        lines += ["", *_wrapped("", f"{heading}: {_columns_of(explanation, one)}", width)]
        lines += _matrix(explanation, one, width)
    return "".join(f"{printable(line).rstrip()}\n" for line in lines)


def printable(line: str) -> str:
    """Return a line without the characters by which a text could control a terminal."""
    return CONTROL.sub("\ufffd", line)


def _candidates(
    explanation: Explanation, rows: list[tuple[str, Explained]], width: int
) -> Iterator[str]:
    unit = "piece" if explanation.pieces else "word"
    head = f"{'':9}  {'log p':>8}  {f'per {unit}':>9}  "
    beside = width - len(head) >= ROOM  # otherwise a translation stands below its numbers
    yield head + "translation" if beside else head
    for rank, one in rows:
        start = f"{rank:>9}  {number(one.score):>8}  {number(one.mean):>9}  "
        if not beside:
            yield start
        yield from _wrapped(start if beside else "  ", one.text, width)


def _columns_of(explanation: Explanation, one: Explained) -> str:
    """Say what the columns of a matrix are."""
    if not one.weights:
        return "log p of each step"
    parts = "weights in percent, log p of each step"
    if one.spans:
        parts += ", p_t; a dot is a word outside the window"
    if one.read:
        parts += "; * is the link of an unknown word"
    return parts


def _matrix(explanation: Explanation, one: Explained, width: int) -> Iterator[str]:
    """Yield the matrix; if it is too wide, in parts below each other, each with all rows."""
    targets = [_cut(text_of(unit)) for unit in one.units]
    left = max(map(cell_len, targets))
    more = {"log p": [number(value) for value in one.log_p]}
    if one.spans:
        more["p_t"] = [f"{span.p:.1f}" for span in one.spans]
    ends = {head: max(map(len, [head, *cells])) + GAP for head, cells in more.items()}
    heads = [_cut(text_of(unit)) for unit in explanation.source] if one.weights else []
    widths = [max(NARROWEST, cell_len(head) + 1) for head in heads]
    for part in _parts(widths, width - left, sum(ends.values())):
        last = part.stop == len(heads)
        shown_more = more if last else {}
        yield (
            " " * left
            + "".join(_right(heads[s], widths[s]) for s in part)
            + "".join(f"{head:>{ends[head]}}" for head in shown_more)
        )
        for t, target in enumerate(targets):
            yield (
                set_cell_size(target, left)
                + "".join(_right(_weight(one, t, s), widths[s]) for s in part)
                + "".join(f"{cells[t]:>{ends[head]}}" for head, cells in shown_more.items())
            )
        if not last:
            yield ""


def _parts(widths: list[int], room: int, end: int) -> Iterator[range]:
    """Yield ranges of columns that fit into ``room``; the last one leaves room for ``end`` more."""
    start = 0
    while start < len(widths):
        stop = start + 1
        while stop < len(widths) and sum(widths[start : stop + 1]) <= room:
            stop += 1
        if stop == len(widths) and stop - start > 1 and sum(widths[start:stop]) + end > room:
            stop -= 1
        yield range(start, stop)
        start = stop
    if not widths:
        yield range(0)


def _weight(one: Explained, t: int, s: int) -> str:
    """Return a weight in percent, or a dot outside the window; a star marks a link that was read."""
    if one.spans and not one.spans[t].first <= s <= one.spans[t].last:
        return "."
    return f"{'*' if (t, s) in one.read else ''}{round(100 * one.weights[t][s])}"


def _right(text: str, width: int) -> str:
    """Put text at the right of ``width`` columns of a terminal."""
    return " " * (width - cell_len(text)) + text


def _cut(word: str) -> str:
    """Return a word of at most ``LONGEST`` columns."""
    return word if cell_len(word) <= LONGEST else set_cell_size(word, LONGEST - 1).rstrip() + "…"


def _wrapped(start: str, text: str, width: int) -> list[str]:
    """Wrap text; ``start`` begins its first line, and the others are indented by as much."""
    return textwrap.wrap(
        text,
        width,
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_long_words=False,
        break_on_hyphens=False,
    )
