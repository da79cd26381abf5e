"""All claims on several texts in one picture, with one scale for all measures.

A claim's value is drawn as its distance from the claim's bound, in half-widths of its 95% interval. To
the right of 0 it points as claimed, to the left against the claim, and the interval reaches one unit
to either side. So an interval that meets 0 decides nothing.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from attnmt.reporting.canvas import INK, save_svg, style
from attnmt.reporting.claims_figure import COLORS, GRAY
from attnmt.scoring.claim_lines import ClaimLine, by_claim
from attnmt.scoring.verdicts import NOT_TESTED

FARTHEST = 6  # half-widths; what lies beyond is drawn there, as an arrow
WIDTH, ROW, AXIS = 11, 0.34, 0.8  # inches: of the picture, of a claim, of title and axis
WRAP = 58  # characters of a claim in a line


def write_claims_overview(experiments: Mapping[str, Sequence[ClaimLine]], path: Path) -> None:
    """Write the claims that can be decided, a row each, beside each experiment's values, as an SVG.

    Args:
        experiments: the lines of ``claims.csv`` of each, by the name that stands above its values.
    """
    asked = {
        title: {lines[0].key: lines for lines in by_claim(claims)}
        for title, claims in experiments.items()
    }
    rows = {
        key: lines[0].claim + "*" * bool(lines[0].amended)
        for claims in asked.values()
        for key, lines in claims.items()
        if lines[0].compare != "rank"
    }
    with style(8):
        size = WIDTH, AXIS + ROW * len(rows)
        canvas = Canvas(figsize=size, layout="constrained")
        panels = canvas.subplots(1, len(asked), squeeze=False, sharey=True)[0]
        for axes, (title, claims) in zip(panels, asked.items(), strict=True):
            for place, key in enumerate(rows):
                _draw(axes, place, claims.get(key, []))
            axes.axvline(0, color=INK, linewidth=0.8)
            axes.set_title(title)
            axes.set_xlim(-FARTHEST - 0.4, FARTHEST + 0.4)
            axes.set_xlabel("against the claim   |   as claimed")
            axes.spines["left"].set_visible(False)
            axes.tick_params(axis="y", length=0)
        panels[0].set_ylim(len(rows) - 0.5, -0.5)
        panels[0].set_yticks(range(len(rows)), [fill(claim, WRAP) for claim in rows.values()])
        save_svg(canvas, path)


def _draw(axes: Axes, place: int, lines: Sequence[ClaimLine]) -> None:
    """Draw one claim's value under each recipe, and its verdict at the right."""
    verdict = lines[0].verdict if lines else NOT_TESTED
    color = COLORS.get(verdict, GRAY)
    for number, one in enumerate(lines):
        if one.ours is None or one.low is None or one.high is None:
            continue
        toward = -1 if one.sign == "less" else 1
        value = toward * (one.ours - one.bound) / ((one.high - one.low) / 2)
        shown = max(-FARTHEST, min(FARTHEST, value))
        y = place + 0.26 * (number - (len(lines) - 1) / 2)
        if shown == value:
            axes.plot([value - 1, value + 1], [y, y], color=color, linewidth=2)
            marker = "s" if number else "o"
        else:
            marker = ">" if value > 0 else "<"
        axes.plot([shown], [y], marker=marker, color=color, markersize=5)
    axes.text(1.01, place, verdict, color=color, va="center", transform=axes.get_yaxis_transform())
