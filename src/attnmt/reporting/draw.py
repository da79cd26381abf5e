"""Figures of curves and of attention as SVG, PDF and CSV, and panels of curves for a page."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from math import ceil
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from attnmt.files.text_file import write_text
from attnmt.reporting.attention import Matrix, MatrixFigure
from attnmt.reporting.canvas import COLUMN, GRID, LINE, inline_svg, save, style
from attnmt.reporting.curves import Figure, Panel, Series

PANEL = 2.1  # height of a panel in a file, in inches
PAGE_SIZE = 13  # type of a panel for a page, in points; a phone shows it at four fifths of its size
PAGE_PANEL = (420 / 72, 300 / 72)  # inches
LABEL = 52  # characters of a label in a line
CELL, LARGE_CELL = 0.11, 0.16  # inches; a word beside a cell needs the first
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


def write_figure(figure: Figure, folder: Path) -> set[str]:
    """Write the panels above a legend as ``<name>.svg`` and ``<name>.pdf``, and their points as CSV.

    The panels are one below the other, as wide as a column of a paper.

    Returns:
        The letters that no installed font has.
    """
    with style():
        labels = [fill(series.label, LABEL) for series in figure.systems.values()]
        legend = LINE * (1 + sum(len(label.split("\n")) for label in labels))
        size = (COLUMN, PANEL * len(figure.panels) + legend)
        canvas = Canvas(figsize=size, layout="constrained")
        axes = canvas.subplots(len(figure.panels), 1, squeeze=False)[:, 0]
        for panel_axes, panel in zip(axes, figure.panels, strict=True):
            draw_panel(panel_axes, panel)
            panel_axes.set_title(panel.title)
        handles = [Line2D([], [], **_line(series)) for series in figure.systems.values()]
        canvas.legend(handles, labels, loc="outside lower left", handlelength=3)
        missing = save(canvas, folder / figure.name)
    rows = (
        (panel.title, series.label, series.model, _yes(series.paper), _short(x), _short(y))
        for panel in figure.panels
        for series in panel.series
        for x, y in zip(series.x, series.y, strict=True)
    )
    columns = ["panel", "series", "model", "paper", "x", "y"]
    _write_csv(folder / f"{figure.name}.csv", columns, rows)
    return missing


def panel_svg(panel: Panel, prefix: str) -> str:
    """Return one panel, without title and legend, as an SVG element to put into a page.

    The group of series k has the id ``<prefix>-s<k>`` and its system's key as ``data-series``. All ids
    begin with ``prefix``, which must be unique in the page.
    """
    keys = {f"s{k}": series.key for k, series in enumerate(panel.series)}
    label = f"{panel.title}: {panel.y_label} against {panel.x_label.lower()}"
    with style(PAGE_SIZE):
        canvas = Canvas(figsize=PAGE_PANEL, layout="constrained")
        draw_panel(canvas.subplots(), panel)
        return inline_svg(canvas, prefix, keys, label)


def draw_panel(axes: Axes, panel: Panel) -> None:
    """Draw the curves of a panel; the published ones are points if ours stand in the same panel."""
    both = {series.paper for series in panel.series} == {True, False}
    for k, series in enumerate(panel.series):
        look = _points(series) if both and series.paper else _line(series)
        axes.plot(series.x, series.y, gid=f"s{k}", label=series.label, **look)
    axes.set(xlabel=panel.x_label, ylabel=panel.y_label)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def write_matrices(figure: MatrixFigure, folder: Path) -> set[str]:
    """Write attention matrices as ``<name>.svg``, ``<name>.pdf`` and ``<name>.csv``.

    They are as wide as a column of a paper, two in a row where they fit, and wider where one does not.

    Returns:
        The letters that no installed font has.
    """
    with style():
        least = max(len(m.source) * CELL + _margin(m.target) for m in figure.matrices)
        columns = 2 if len(figure.matrices) > 1 and 2 * least <= COLUMN else 1
        rows, width = ceil(len(figure.matrices) / columns), max(least, COLUMN / columns)
        sides = ((width - _margin(m.target)) / len(m.source) for m in figure.matrices)
        cell = min(LARGE_CELL, *sides)
        height = max(len(m.target) * cell + _margin(m.source) for m in figure.matrices)
        canvas = Canvas(figsize=(columns * width, rows * height), layout="constrained")
        all_axes = canvas.subplots(rows, columns, squeeze=False).flat
        for matrix, axes in zip_longest(figure.matrices, all_axes):
            if matrix:
                draw_matrix(axes, matrix)
            else:
                axes.remove()
        missing = save(canvas, folder / figure.name)
    cells = (
        (m.label, j, i, target, source, m.weights[j][i], _linked(m, i, j))
        for m in figure.matrices
        for j, target in enumerate(m.target)
        for i, source in enumerate(m.source)
    )
    heads = ["panel", "row", "column", "target", "source", "weight", "gold"]
    _write_csv(folder / f"{figure.name}.csv", heads, cells)
    return missing


def draw_matrix(axes: Axes, matrix: Matrix) -> None:
    """Draw the weights as shades from white (0) to dark (1), with a square around each gold link."""
    axes.pcolormesh(matrix.weights, cmap="Blues", vmin=0, vmax=1, edgecolors=GRID, linewidth=0.4)
    for i, j in matrix.gold or ():
        axes.add_patch(Rectangle((i, j), 1, 1, fill=False, edgecolor=GOLD_COLOR, linewidth=1.2))
    axes.set(aspect="equal", title=matrix.label)
    axes.invert_yaxis()
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.set_xticks([i + 0.5 for i in range(len(matrix.source))], matrix.source, rotation=90)
    axes.set_yticks([j + 0.5 for j in range(len(matrix.target))], matrix.target)
    axes.tick_params(length=0, top=False, labeltop=True, labelbottom=False)


def _margin(words: Sequence[str]) -> float:
    """Return the inches that the longest word takes beside a matrix, with room for the title."""
    return 0.35 + LETTER * max(map(len, words))


def _line(series: Series) -> dict[str, Any]:
    color, dashes = stroke(series)
    shape = (0, dashes) if dashes else "-"
    return {"color": color, "linestyle": shape, "marker": "o", "markersize": 2}


def _points(series: Series) -> dict[str, Any]:
    hollow = {"marker": "o", "markersize": 4, "markerfacecolor": "none", "markeredgewidth": 0.8}
    return hollow | {"color": stroke(series).color, "linestyle": ""}


def _linked(matrix: Matrix, i: int, j: int) -> str | None:
    return None if matrix.gold is None else _yes((i, j) in matrix.gold)


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _short(number: float) -> float:
    """Return a whole number as an integer, and any other number with four decimals."""
    return int(number) if number == int(number) else round(number, 4)


def _write_csv(path: Path, columns: list[str], rows: Iterable[tuple[object, ...]]) -> None:
    frame = pd.DataFrame(list(rows), columns=columns, dtype=object)
    write_text(path, frame.to_csv(index=False, lineterminator="\n"))
