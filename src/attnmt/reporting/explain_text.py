"""An explanation as text for a terminal: facts, candidates, and the matrix in aligned columns."""

from collections.abc import Iterator

from rich.cells import cell_len, set_cell_size

from attnmt.decoding.explanation import Explained, Explanation
from attnmt.errors import CONTROL
from attnmt.reporting.explain_facts import (
    Shown,
    columns_of,
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
Column = list[str]  # a heading and the cells below it, all of one width


def explain_text(shown: Shown, width: int) -> str:
    """Return an explanation as lines of at most ``width`` columns. A word that is longer stays whole."""
    explanation = shown.explanation
    best, *_ = explanation.candidates
    name, label = shown.about.name, shown.about.label
    title = name if name == label else f"{name}: {label}"
    units = [text_of(one) if one.known else f"[{text_of(one)}]" for one in explanation.source]
    about = what_is_read(explanation)
    if not all(unit.known for unit in explanation.source):
        about.append("[..] is not in the vocabulary.")
    lines = [title, "=" * min(cell_len(title), width)]
    lines += _wrapped("Reads        ", " ".join(units), width)
    lines += _wrapped("", " ".join(about), width)
    lines += ["", *_wrapped("Translation  ", best.text, width)]
    for sentence in what_replaced(explanation, best):
        lines += _wrapped("", sentence, width)
    lines += ["", *_candidates(shown, width), ""]
    for sentence in how_it_attends(explanation):
        lines += _wrapped("", sentence, width)
    for heading, one in {"Candidate 1": best, "Reference": explanation.reference}.items():
        if one is not None:
            lines += ["", *_wrapped("", f"{heading}: {_legend(one)}", width)]
            lines += _matrix(explanation, one, width)
    return "".join(f"{printable(line).rstrip()}\n" for line in lines)


def printable(line: str) -> str:
    """Return a line without the characters by which a text could control a terminal."""
    return CONTROL.sub("\ufffd", line)


def _candidates(shown: Shown, width: int) -> Iterator[str]:
    head = f"{'':9}  {'log p':>8}  {f'per {shown.about.unit}':>9}  "
    beside = width - len(head) >= ROOM  # otherwise a translation stands below its numbers
    yield head + "translation" if beside else head
    for rank, one in shown.rows.items():
        start = f"{rank:>9}  {number(one.score):>8}  {number(one.mean):>9}  "
        if not beside:
            yield start
        yield from _wrapped(start if beside else "  ", one.text, width)


def _legend(one: Explained) -> str:
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
    rows = [_cut(text_of(unit)) for unit in one.units]
    left = max(map(cell_len, rows))
    weights = []
    for s, unit in enumerate(explanation.source if one.weights else ()):
        head = _cut(text_of(unit))
        cells = [_weight(one, t, s) for t in range(len(rows))]
        weights.append(_column(head, cells, max(NARROWEST, cell_len(head) + 1)))
    ends = [
        _column(head, cells, max(map(len, [head, *cells])) + GAP)
        for head, cells in columns_of(one).items()
    ]
    for nth, part in enumerate(_parts(weights, ends, width - left)):
        if nth:
            yield ""
        for row, line in zip(["", *rows], zip(*part, strict=True), strict=True):
            yield set_cell_size(row, left) + "".join(line)


def _column(head: str, cells: list[str], width: int) -> Column:
    """Put the texts of a column at the right of ``width`` columns of a terminal."""
    return [" " * (width - cell_len(text)) + text for text in (head, *cells)]


def _parts(weights: list[Column], ends: list[Column], room: int) -> list[list[Column]]:
    """Put columns into parts that fit into ``room``; ``ends`` stand in the last one, with a weight."""

    def fits(columns: list[Column]) -> bool:
        return sum(cell_len(column[0]) for column in columns) <= room

    parts: list[list[Column]] = [[]]
    for column in weights:
        if parts[-1] and not fits([*parts[-1], column]):
            parts.append([])
        parts[-1].append(column)
    if len(parts[-1]) > 1 and not fits([*parts[-1], *ends]):
        parts.append([parts[-1].pop()])
    parts[-1] += ends
    return parts


def _weight(one: Explained, t: int, s: int) -> str:
    """Return a weight in percent, or a dot outside the window; a star marks a link that was read."""
    if one.spans and not one.spans[t].first <= s <= one.spans[t].last:
        return "."
    return f"{'*' if (t, s) in one.read else ''}{round(100 * one.weights[t][s])}"


def _cut(word: str) -> str:
    """Return a word of at most ``LONGEST`` columns."""
    return word if cell_len(word) <= LONGEST else set_cell_size(word, LONGEST - 1).rstrip() + "…"


def _wrapped(start: str, text: str, width: int) -> list[str]:
    """Wrap text; ``start`` begins its first line, and the others are indented by as much."""
    lines = [start]
    for word in text.split():
        if cell_len(lines[-1] + word) > width and lines[-1] != start:
            lines.append(" " * len(start))
        lines[-1] += f"{word} "
    return lines
