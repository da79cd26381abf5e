"""The claims as a picture: one line a claim, with our interval, the paper's size and the verdict.

On a page the claims stand beside their intervals, in two columns. In files they stand above them, so
that the picture is as wide as a column of a paper.
"""

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill, wrap

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator

from attnmt.reporting.canvas import COLUMN, INK, LINE, inline_svg, save, style
from attnmt.scoring.claim_lines import ClaimLine
from attnmt.scoring.verdicts import NOT_TESTED

GRAY = "#888888"
COLORS = {
    "confirmed": "#0072B2",
    "refuted": "#D55E00",
    "undecided": GRAY,
}
PAGE_WIDTH, PAGE_SIZE = 13.3, 9  # inches; points of the type
PAGE_LINE, AXIS = 0.15, 0.45  # inches of a line of text, and of the axis and heading of a measure
WRAP, COLUMN_WRAP = 46, 62  # characters of a claim in a line, beside its interval and above it
VERDICT = 13  # characters of a verdict in a line, in a column
NAME = "claims"


def write_claims_figure(claims: Sequence[ClaimLine], folder: Path) -> set[str]:
    """Write ``claims.svg`` and ``claims.pdf``; nothing if no claim was tested.

    Returns:
        The letters that no installed font has.
    """
    if not _tested(claims):
        return set()
    with style():
        return save(_column(claims), folder / NAME)


def claims_svgs(claims: Sequence[ClaimLine], prefix: str) -> dict[str, str]:
    """Return the picture as elements to put into a page, for a ``wide`` and for a ``narrow`` window.

    There is none if no claim was tested.
    """
    if not _tested(claims):
        return {}
    label = "Each claim with our value, its interval, the paper's size and the verdict"
    with style(PAGE_SIZE):
        wide = inline_svg(_canvas(claims), prefix, {}, label)
    with style():
        narrow = inline_svg(_column(claims), f"{prefix}-narrow", {}, label)
    return {"wide": wide, "narrow": narrow}


def _tested(claims: Sequence[ClaimLine]) -> list[ClaimLine]:
    return [one for one in claims if one.verdict != NOT_TESTED and one.ours is not None]


def _groups(claims: Sequence[ClaimLine]) -> dict[str, list[list[ClaimLine]]]:
    """Return the claims by measure, because measures have different scales."""
    groups: dict[str, list[list[ClaimLine]]] = {}
    for one in _tested(claims):
        groups.setdefault(one.measure, []).append([one])
    return groups


def _column(claims: Sequence[ClaimLine]) -> Canvas:
    """Draw one pair of axes for each measure, one below the other, each claim above its interval."""
    groups = _groups(claims)
    heights = [AXIS + LINE * sum(map(_column_lines, group)) for group in groups.values()]
    canvas = Canvas(figsize=(COLUMN, sum(heights)), layout="constrained")
    all_axes = canvas.subplots(len(groups), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, (measure, group) in zip(all_axes, groups.items(), strict=True):
        at, places = 0.0, []
        for recipes in group:
            text, size = fill(recipes[0].claim, COLUMN_WRAP), _column_lines(recipes)
            above = axes.text(0, at, text, va="top", transform=axes.get_yaxis_transform())
            above.set_in_layout(False)  # it stands above the verdict, too
            above.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 0.5})  # over the grid
            places.append(at + size - 0.5 - len(recipes) / 2)
            at += size
        _draw(axes, measure, group, places, at, VERDICT)
        axes.set_yticks([])
    return canvas


def _column_lines(recipes: Sequence[ClaimLine]) -> int:
    """Return the lines of text that a claim takes with its intervals below it, and one more."""
    verdict = len(wrap(recipes[0].verdict, VERDICT))
    return 1 + len(wrap(recipes[0].claim, COLUMN_WRAP)) + max(len(recipes), verdict)


def _canvas(claims: Sequence[ClaimLine]) -> Canvas:
    """Draw one pair of axes for each measure in two columns, for a page."""
    groups = _groups(claims)
    heights = {key: AXIS + PAGE_LINE * sum(map(_lines, group)) for key, group in groups.items()}
    columns: list[list[str]] = [[], []]
    for key in groups:  # the first column takes measures until it has half of the height
        filled = sum(heights[k] for k in columns[0]) + heights[key] / 2 > sum(heights.values()) / 2
        columns[bool(columns[1]) or (bool(columns[0]) and filled)].append(key)
    columns = [column for column in columns if column]
    height = max(sum(heights[key] for key in column) for column in columns)
    canvas = Canvas(figsize=(PAGE_WIDTH * len(columns) / 2, height), layout="constrained")
    parts = canvas.subfigures(1, len(columns), squeeze=False)[0]
    for part, column in zip(parts, columns, strict=True):
        ratios = [heights[key] for key in column]
        all_axes = part.subplots(len(column), 1, squeeze=False, height_ratios=ratios)[:, 0]
        for axes, key in zip(all_axes, column, strict=True):
            group, at, places = groups[key], 0.0, []
            for recipes in group:
                places.append(at + _lines(recipes) / 2)
                at += _lines(recipes)
            _draw(axes, key, group, places, at, WRAP)
            axes.set_yticks(places, [fill(recipes[0].claim, WRAP) for recipes in group])
    return canvas


def _lines(recipes: Sequence[ClaimLine]) -> int:
    """Return the lines of text that a claim takes, and one more between it and the next."""
    return 1 + max(len(wrap(recipes[0].claim, WRAP)), len(recipes))


def _draw(
    axes: Axes,
    measure: str,
    group: Sequence[Sequence[ClaimLine]],
    places: Sequence[float],
    height: float,
    verdict: int,
) -> None:
    """Draw the intervals of one measure, from top to bottom, each recipe of a claim on its own line.

    Args:
        places: the middle of each claim's intervals, in lines of text from the top.
        height: of the axes, in lines of text.
        verdict: the characters of a verdict in a line.
    """
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
        word = fill(first.verdict, verdict)
        axes.text(1.01, y, word, color=color, va="center", transform=right)
    axes.set_ylim(height, 0)
    axes.set_title(measure)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)
