"""Figures of curves and of attention as SVG, PDF and CSV."""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from attnmt.files.text_file import write_text
from attnmt.reporting.attention import Matrix
from attnmt.reporting.canvas import COLUMN, GRID, LINE, save, style
from attnmt.reporting.curves import Figure, Panel, Series
from attnmt.text.tokenizer import JOIN

PANEL = 2.1  # height of a panel, in inches
LABEL = 52  # characters of a label in a line
CELL = 0.12  # inches; a word needs as much beside it
LETTER = 0.1  # inches; width of a wide letter beside a matrix
GOLD_COLOR = "#D55E00"


class Stroke(NamedTuple):
    """How a curve is drawn."""

    color: str
    dashes: tuple[float, ...] = ()  # line, gap, ... in widths of the line; empty if solid


# One stroke for each system of Figures 5 and 6, in their order. The colors are those of Okabe and Ito,
# which color-blind people can tell apart. Systems that the paper starts from or compares with are gray.
# The dashes are for print.
STROKES = (
    Stroke("#888888", (1, 1.2)),
    Stroke("#56B4E9", (4, 1.5)),
    Stroke("#0072B2", (5, 1.5, 1, 1.5)),
    Stroke("#E69F00", (2.5, 1)),
    Stroke("#009E73", (7, 1.5)),
    Stroke("#D55E00"),
    Stroke("#888888"),
    Stroke("#888888", (4, 1.5)),
    Stroke("#CC79A7", (7, 1.5)),
)


def stroke(series: Series) -> Stroke:
    """Return how a system's curves are drawn in every panel and figure."""
    return STROKES[series.number % len(STROKES)]  # one's own text may have more systems


def write_figure(figure: Figure, folder: Path) -> None:
    """Write the panels above a legend as ``<name>.svg`` and ``<name>.pdf``, and their points as CSV.

    The panels are one below the other, as wide as a column of a paper.
    """
    with style():
        labels = {key: fill(series.label, LABEL) for key, series in figure.systems.items()}
        legend = LINE * (1 + sum(len(label.split("\n")) for label in labels.values()))
        size = (COLUMN, PANEL * len(figure.panels) + legend)
        canvas = Canvas(figsize=size, layout="constrained")
        all_axes = canvas.subplots(len(figure.panels), 1, squeeze=False)[:, 0]
        for axes, panel in zip(all_axes, figure.panels, strict=True):
            draw_panel(axes, panel)
        lines = {line.get_gid(): line for axes in all_axes for line in axes.get_lines()}
        handles = [lines[key] for key in labels]
        canvas.legend(handles, [*labels.values()], loc="outside lower left", handlelength=3)
        save(canvas, folder / figure.name)
    rows = (
        (panel.title, series.label, series.model, _short(x), _short(y))
        for panel in figure.panels
        for series in panel.series
        for x, y in zip(series.x, series.y, strict=True)
    )
    _write_csv(folder / f"{figure.name}.csv", ["panel", "series", "model", "x", "y"], rows)


def draw_panel(axes: Axes, panel: Panel) -> None:
    """Draw the curves of a panel."""
    for series in panel.series:
        color, dashes = stroke(series)
        (line,) = axes.plot(series.x, series.y, "o-", color=color, markersize=2, gid=series.key)
        if dashes:
            line.set_dashes(dashes)
    axes.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def write_matrices(matrices: Mapping[str, Matrix], stem: Path) -> None:
    """Write attention matrices by their labels as ``.svg``, ``.pdf`` and ``.csv``.

    Two stand in a row where they fit into a column of a paper.
    """
    with style():
        width = max(len(m.source) * CELL + _margin(m.target) for m in matrices.values())
        height = max(len(m.target) * CELL + _margin(m.source) for m in matrices.values())
        columns = 2 if len(matrices) > 1 and 2 * width <= COLUMN else 1
        rows = ceil(len(matrices) / columns)
        canvas = Canvas(figsize=(columns * width, rows * height), layout="constrained")
        for place, (label, matrix) in enumerate(matrices.items(), 1):
            draw_matrix(canvas.add_subplot(rows, columns, place), matrix, label)
        save(canvas, stem)
    cells = (
        (label, j, i, target, source, m.weights[j][i], _linked(m, i, j))
        for label, m in matrices.items()
        for j, target in enumerate(m.target)
        for i, source in enumerate(m.source)
    )
    heads = ["panel", "row", "column", "target", "source", "weight", "gold"]
    _write_csv(stem.with_suffix(".csv"), heads, cells)


def draw_matrix(axes: Axes, matrix: Matrix, label: str) -> None:
    """Draw the weights as shades from white (0) to dark (1), with a square around each gold link."""
    axes.pcolormesh(matrix.weights, cmap="Blues", vmin=0, vmax=1, edgecolors=GRID, linewidth=0.4)
    for i, j in matrix.gold or ():
        axes.add_patch(Rectangle((i, j), 1, 1, fill=False, edgecolor=GOLD_COLOR, linewidth=1.2))
    axes.set(aspect="equal", title=label)
    axes.invert_yaxis()
    axes.grid(False)
    axes.spines[:].set_visible(False)
    source, target = (  # DejaVu Sans has no glyph of the joiner
        [word.replace(JOIN, "▪") for word in side] for side in (matrix.source, matrix.target)
    )
    axes.set_xticks([i + 0.5 for i in range(len(source))], source, rotation=90)
    axes.set_yticks([j + 0.5 for j in range(len(target))], target)
    axes.tick_params(length=0, top=False, labeltop=True, labelbottom=False)


def _margin(words: Sequence[str]) -> float:
    """Return the inches that the longest word takes beside a matrix, with room for the title."""
    return 0.35 + LETTER * max(map(len, words))


def _linked(matrix: Matrix, i: int, j: int) -> str | None:
    if matrix.gold is None:
        return None
    return "yes" if (i, j) in matrix.gold else "no"


def _short(number: float) -> float:
    """Return a whole number as an integer, and any other number with four decimals."""
    return int(number) if number == int(number) else round(number, 4)


def _write_csv(path: Path, columns: list[str], rows: Iterable[tuple[object, ...]]) -> None:
    frame = pd.DataFrame(list(rows), columns=columns, dtype=object)
    write_text(path, frame.to_csv(index=False, lineterminator="\n"))
