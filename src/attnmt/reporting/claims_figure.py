"""The claims as a picture: one line a claim, with our interval, the paper's size and the verdict."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill, wrap

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator

from attnmt.reporting.claims import NOT_TESTED, ClaimLine
from attnmt.reporting.draw import GRID, INK, SIZE, save, style, svg
from attnmt.reporting.inline_svg import inline_svg

GRAY = "#888888"
COLORS = {"confirmed": "#0072B2", "refuted": "#D55E00", "undecided": GRAY, "described": GRAY}
WIDTH = 13.3  # inches: as wide as a slide
LINE, AXIS = 0.15, 0.45  # inches of a line of text, and of the axis and heading of a measure
WRAP = 46  # characters of a claim in a line
NAME = "claims"


def write_claims_figure(claims: Sequence[ClaimLine], folder: Path) -> None:
    """Write ``claims.svg`` and ``claims.pdf``; nothing if no claim was tested."""
    if _tested(claims):
        with style(SIZE):
            save(_canvas(claims), folder / NAME)


def claims_svg(claims: Sequence[ClaimLine], prefix: str) -> str | None:
    """Return the picture as an element to put into a page; None if no claim was tested."""
    if not _tested(claims):
        return None
    with style(SIZE):
        text = svg(_canvas(claims), prefix, transparent=True)
    label = "Each claim with our value, its interval, the paper's size and the verdict"
    return inline_svg(text, prefix, {}, {INK: "currentColor", GRID: "var(--grid)"}, label)


def _tested(claims: Sequence[ClaimLine]) -> list[ClaimLine]:
    return [one for one in claims if one.verdict != NOT_TESTED and one.ours is not None]


def _canvas(claims: Sequence[ClaimLine]) -> Canvas:
    """Draw one pair of axes for each measure, because measures have different scales, in two columns."""
    groups: dict[str, list[ClaimLine]] = {}
    for one in _tested(claims):
        groups.setdefault(one.measure, []).append(one)
    heights = {key: AXIS + LINE * sum(map(_lines, group)) for key, group in groups.items()}
    columns: list[list[str]] = [[], []]
    for key in groups:  # the first column takes measures until it has half of the height
        filled = sum(heights[k] for k in columns[0]) + heights[key] / 2 > sum(heights.values()) / 2
        columns[bool(columns[1]) or (bool(columns[0]) and filled)].append(key)
    columns = [column for column in columns if column]
    height = max(sum(heights[key] for key in column) for column in columns)
    canvas = Canvas(figsize=(WIDTH * len(columns) / 2, height), layout="constrained")
    parts = canvas.subfigures(1, len(columns), squeeze=False)[0]
    for part, column in zip(parts, columns, strict=True):
        ratios = [heights[key] for key in column]
        all_axes = part.subplots(len(column), 1, squeeze=False, height_ratios=ratios)[:, 0]
        for axes, key in zip(all_axes, column, strict=True):
            _draw(axes, key, groups[key])
    return canvas


def _lines(one: ClaimLine) -> int:
    """Return the lines of text that a claim takes, and one more between it and the next."""
    return 1 + len(wrap(one.claim, WRAP))


def _draw(axes: Axes, measure: str, group: Sequence[ClaimLine]) -> None:
    """Draw the claims of one measure, from top to bottom."""
    at, places = 0.0, []
    for one in group:
        places.append(at + _lines(one) / 2)
        at += _lines(one)
    right = axes.get_yaxis_transform()  # x from 0 to 1 across the axes, y in lines of text
    axes.axvline(0, color=INK, linewidth=0.8)
    for one, y in zip(group, places, strict=True):
        color = COLORS[one.verdict]
        if one.low is not None and one.high is not None:
            axes.plot([one.low, one.high], [y, y], color=color, linewidth=2, solid_capstyle="butt")
        if one.ours is not None:
            axes.plot([one.ours], [y], marker="o", color=color, markersize=5)
        if one.paper is not None:
            axes.plot([one.paper], [y], "o", mfc="none", mec=INK, markersize=6)
        axes.text(1.01, y, one.verdict, color=color, va="center", transform=right)
    axes.set_yticks(places, [fill(one.claim, WRAP) for one in group])
    axes.set_ylim(at, 0)
    axes.set_title(measure)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)
