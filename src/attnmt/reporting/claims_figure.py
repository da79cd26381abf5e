"""The claims as a picture: one line a claim, with our interval, the paper's size and the verdict."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill, wrap

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator

from attnmt.reporting.canvas import INK, inline_svg, save, style
from attnmt.scoring.claim_lines import ClaimLine, by_claim
from attnmt.scoring.verdicts import NOT_TESTED

GRAY = "#888888"
COLORS = {
    "confirmed": "#0072B2",
    "refuted": "#D55E00",
    "undecided": GRAY,
    "described": GRAY,
    "depends on the recipe": "#AA3377",
}
WIDTH = 13.3  # inches: as wide as a slide
LINE, AXIS = 0.15, 0.45  # inches of a line of text, and of the axis and heading of a measure
WRAP = 46  # characters of a claim in a line
NAME = "claims"


def write_claims_figure(claims: Sequence[ClaimLine], folder: Path) -> None:
    """Write ``claims.svg`` and ``claims.pdf``; nothing if no claim was tested."""
    if _tested(claims):
        with style():
            save(_canvas(claims), folder / NAME)


def claims_svg(claims: Sequence[ClaimLine], prefix: str) -> str | None:
    """Return the picture as an element to put into a page; None if no claim was tested."""
    if not _tested(claims):
        return None
    label = "Each claim with our value, its interval, the paper's size and the verdict"
    with style():
        return inline_svg(_canvas(claims), prefix, {}, label)


def _tested(claims: Sequence[ClaimLine]) -> list[ClaimLine]:
    return [one for one in claims if one.verdict != NOT_TESTED and one.ours is not None]


def _canvas(claims: Sequence[ClaimLine]) -> Canvas:
    """Draw one pair of axes for each measure, because measures have different scales, in two columns."""
    groups: dict[str, list[list[ClaimLine]]] = {}
    for lines in by_claim(_tested(claims)):
        groups.setdefault(lines[0].measure, []).append(lines)
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


def _lines(recipes: Sequence[ClaimLine]) -> int:
    """Return the lines of text that a claim takes, and one more between it and the next."""
    return 1 + max(len(wrap(recipes[0].claim, WRAP)), len(recipes))


def _draw(axes: Axes, measure: str, group: Sequence[Sequence[ClaimLine]]) -> None:
    """Draw the claims of one measure, from top to bottom, each recipe of a claim on its own line."""
    at, places = 0.0, []
    for recipes in group:
        places.append(at + _lines(recipes) / 2)
        at += _lines(recipes)
    right = axes.get_yaxis_transform()  # x from 0 to 1 across the axes, y in lines of text
    axes.axvline(0, color=INK, linewidth=0.8)
    for recipes, y in zip(group, places, strict=True):
        first, color = recipes[0], COLORS[recipes[0].verdict]
        for number, one in enumerate(recipes):
            line = y + number - (len(recipes) - 1) / 2
            if one.low is not None and one.high is not None:
                ends = [one.low, one.high]
                axes.plot(ends, [line, line], color=color, linewidth=2, solid_capstyle="butt")
            if one.ours is not None:
                axes.plot([one.ours], [line], marker="s" if number else "o", color=color, ms=5)
        if first.paper is not None:
            axes.plot([first.paper], [y], "o", mfc="none", mec=INK, markersize=6)
        axes.text(1.01, y, first.verdict, color=color, va="center", transform=right)
    axes.set_yticks(places, [fill(recipes[0].claim, WRAP) for recipes in group])
    axes.set_ylim(at, 0)
    axes.set_title(measure)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)
