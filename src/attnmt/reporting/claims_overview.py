"""All claims on several texts in one picture, with one scale for all measures.

A value is drawn as its distance from the claim's bound, in half-widths of its 95% interval. To the right
of 0 it points as claimed, to the left against the claim, and the interval reaches one unit to either
side. The interval is of the value alone, so a mark has a color only if Holm's procedure over all claims
decides it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D

from attnmt.config.trainings import FAMILY
from attnmt.reporting.canvas import INK, save_svg, style
from attnmt.reporting.claims_figure import COLORS, GRAY
from attnmt.scoring.claim_lines import ClaimLine, by_claim
from attnmt.scoring.verdicts import ALPHA, NOT_TESTED

FARTHEST = 6  # half-widths; what lies beyond is drawn there, with an arrow
WIDTH, ROW, AXIS = 11.5, 0.34, 1.2  # inches: of the picture, of a claim, of title, axis and legend
WRAP = 58  # characters of a claim in a line
SHAPES = "os^Dv"  # of recipes, the paper's first
NAMES = {FAMILY: "at the paper's rate", "own": "at its own rate", "adam": "by Adam"}


def write_claims_overview(experiments: Mapping[str, Sequence[ClaimLine]], path: Path) -> None:
    """Write the claims that can be decided, a row each, beside each experiment's values, as an SVG.

    Args:
        experiments: the lines of ``claims.csv`` of each, by the name that stands above its values.
    """
    asked = {
        title: {lines[0].key: lines for lines in by_claim(claims)}
        for title, claims in experiments.items()
    }
    rows: dict[str, str] = {}
    shapes = {FAMILY: SHAPES[0]}
    for key, lines in (item for claims in asked.values() for item in claims.items()):
        first = lines[0]
        if first.compare != "rank":
            rows[key] = first.claim + (f" ({first.measure})" if first.amended else "")
            for one in lines:
                shapes.setdefault(one.recipe, SHAPES[len(shapes) % len(SHAPES)])
    with style(8):
        canvas = Canvas(figsize=(WIDTH, AXIS + ROW * len(rows)), layout="constrained")
        panels = canvas.subplots(1, len(asked), squeeze=False, sharey=True)[0]
        for axes, (title, claims) in zip(panels, asked.items(), strict=True):
            for place, key in enumerate(rows):
                _draw(axes, place, claims.get(key, []), shapes)
            axes.axvline(0, color=INK, linewidth=0.8)
            axes.set_title(title)
            axes.set_xlim(-FARTHEST - 1.2, FARTHEST + 1.2)
            axes.set_xlabel(
                "against the claim   |   as claimed\nin half-widths of the value's 95% interval"
            )
            axes.spines["left"].set_visible(False)
            axes.tick_params(axis="y", length=0)
        panels[0].set_ylim(len(rows) - 0.5, -0.5)
        panels[0].set_yticks(range(len(rows)), [fill(claim, WRAP) for claim in rows.values()])
        canvas.legend(handles=_legend(shapes), loc="outside lower center", ncols=6)
        save_svg(canvas, path)


def _draw(axes: Axes, place: int, lines: Sequence[ClaimLine], shapes: Mapping[str, str]) -> None:
    """Draw one claim's value under each recipe, and its verdict at the right."""
    verdict = lines[0].verdict if lines else NOT_TESTED
    for number, one in enumerate(lines):
        if one.ours is None or one.low is None or one.high is None or one.low == one.high:
            continue  # an interval without a width has no scale
        toward = -1 if one.sign == "less" else 1
        value = toward * (one.ours - one.bound) / ((one.high - one.low) / 2)
        decided = one.p_holm is not None and one.p_holm <= ALPHA
        color = COLORS["confirmed" if value > 0 else "refuted"] if decided else GRAY
        shown = max(-FARTHEST, min(FARTHEST, value))
        y = place + 0.26 * (number - (len(lines) - 1) / 2)
        if shown == value:
            axes.plot([value - 1, value + 1], [y, y], color=color, linewidth=2)
        else:
            arrow, beyond = (">", FARTHEST + 0.7) if value > 0 else ("<", -FARTHEST - 0.7)
            axes.plot([beyond], [y], arrow, color=color, markersize=3)
        axes.plot([shown], [y], shapes[one.recipe], color=color, markersize=5)
    color = COLORS.get(verdict, GRAY)
    axes.text(1.01, place, verdict, color=color, va="center", transform=axes.get_yaxis_transform())


def _legend(shapes: Mapping[str, str]) -> list[Line2D]:
    """Return what the shapes and the colors of marks mean."""
    recipes = [
        Line2D([], [], color=INK, marker=shape, linestyle="", label=NAMES.get(recipe, recipe))
        for recipe, shape in shapes.items()
    ]
    meanings = {
        "decided for the claim": COLORS["confirmed"],
        "decided against it": COLORS["refuted"],
        "not decided": GRAY,
    }
    return recipes + [
        Line2D([], [], color=color, linewidth=2, label=word) for word, color in meanings.items()
    ]
