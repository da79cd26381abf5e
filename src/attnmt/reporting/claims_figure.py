"""The claims as a picture: each claim with our interval, the paper's size and the verdict."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator

from attnmt.reporting.canvas import COLUMN, INK, LINE, save, style, svg_of
from attnmt.scoring.claim_lines import ClaimLine

NAME = "claims"
TITLE = "The claims, measured"
CAPTION = (
    "Filled points are ours with 95% intervals, and rings are the published sizes. A dotted line is the "
    "bound of a claim that has one in place of 0. Intervals are those of single claims; verdicts "
    "count all claims and are stricter."
)
GRAY = "#666666"
COLORS = {"confirmed": "#1D6B43", "refuted": "#9A4316"}  # the others are gray
AXIS = 0.45  # inches of the axis and the heading of a measure
WRAP = 58  # characters of a claim in a line


def write_claims_figure(claims: Sequence[ClaimLine], folder: Path) -> None:
    """Write ``claims.svg`` and ``claims.pdf``; nothing if no claim has a value."""
    if measured := _measured(claims):
        with style():
            save(draw_claims(measured), folder / NAME)


def claims_svg(claims: Sequence[ClaimLine]) -> str:
    """Return the picture as SVG; an empty text if no claim has a value."""
    measured = _measured(claims)
    with style():
        return svg_of(draw_claims(measured)) if measured else ""


def draw_claims(claims: Sequence[ClaimLine]) -> Canvas:
    """Draw axes for each measure, one below the other, because measures have different scales."""
    measures = dict.fromkeys(one.measured for one in claims)
    groups = {name: [one for one in claims if one.measured == name] for name in measures}
    heights = [AXIS + LINE * sum(map(_height, group)) for group in groups.values()]
    canvas = Canvas(figsize=(COLUMN, sum(heights)), layout="constrained")
    all_axes = canvas.subplots(len(groups), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, (measure, group) in zip(all_axes, groups.items(), strict=True):
        _draw_measure(axes, group)
        axes.set_title(measure)
    return canvas


def _measured(claims: Sequence[ClaimLine]) -> list[ClaimLine]:
    return [one for one in claims if one.ours is not None]


def _height(claim: ClaimLine) -> int:
    """Return the lines of text that a claim takes, with its interval below it and a gap."""
    return len(wrap(claim.claim, WRAP)) + 2


def _draw_measure(axes: Axes, claims: Sequence[ClaimLine]) -> None:
    """Draw claims from top to bottom, each above its interval. One unit of y is a line of text."""
    across = axes.get_yaxis_transform()  # x from 0 to 1 across the axes
    axes.axvline(0, color=INK, linewidth=0.8)
    top = 0
    for one in claims:
        text = axes.text(0, top, "\n".join(wrap(one.claim, WRAP)), va="top", transform=across)
        text.set_in_layout(False)  # it stands above the verdict, too
        text.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 0.5})  # over the grid
        top += _height(one)
        y, color = top - 1.3, COLORS.get(one.verdict, GRAY)
        if one.bound:
            axes.plot([one.bound] * 2, [y - 0.7, y + 0.7], ":", color=INK, linewidth=1)
        ours = [x for x in (one.low, one.ours, one.high) if x is not None]
        (line,) = axes.plot(ours, [y] * len(ours), "-o", color=color, markevery=[1], markersize=5)
        line.set(linewidth=2, solid_capstyle="butt", zorder=4)  # over the text's white
        if one.paper is not None:
            axes.plot([one.paper], [y], "o", mfc="none", mec=INK, markersize=6, zorder=4)
        axes.text(1.01, y, one.verdict, color=color, va="center", transform=across)
    axes.set_ylim(top, 0)
    axes.set_yticks([])
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)
