"""Draw the claims and how well attention aligns, and take README's pictures of the demo's report.

Called by `make pictures`; the pictures are taken with Debian's chromium.
Writes docs/alignment.svg, docs/report.png and docs/attention.png.
"""

import shutil
import sys
from pathlib import Path
from statistics import mean

from matplotlib.figure import Figure as Canvas
from playwright.sync_api import sync_playwright

from attnmt.config import DIAGONAL
from attnmt.reporting.canvas import INK, save_svg, style
from attnmt.reporting.claims_figure import COLORS
from attnmt.scoring.numbers import read_numbers

ROOT = Path(__file__).parents[1]
REPORT = ROOT / "reports/demo/index.html"
CLAIMS = {"study": "study (a grammar's sentences)", "captions": "captions (real text)"}
OWN = {"captions"}  # whose families have each kind's own rate, the study's second recipe
# What may keep attention from aligning. A group changes one thing; (experiment, system) of each row.
ALIGNING = {
    "rate: local-p, 256 cells": {
        "1": ("multi30k", "local_p_general_feed"),
        "0.5": ("multi30k", "local_p_general_feed_own"),
    },
    "size: local-p, rate 0.5": {
        "256 cells": ("multi30k", "local_p_general_feed_own"),
        "128 cells": ("captions", "local_p_general_feed"),
    },
    "order of reading: local-p, 128 cells, rate 0.5": {
        "backwards": ("captions", "local_p_general_feed"),
        "forwards": ("multi30k-alignment", "local_p_general_feed_forward"),
        "from both ends": ("captions-both", "local_p_general_feed_both"),
    },
    "window: general score, 128 cells, rate 0.5": {
        "11 words around a predicted p_t (local-p)": ("captions", "local_p_general_feed"),
        "11 words around p_t = t (local-m)": ("captions", "local_m_general_feed"),
        "the whole sentence (global)": ("captions", "global_general_feed"),
    },
    "score: local-p, 128 cells, rate 0.5": {
        "general": ("captions", "local_p_general_feed"),
        "dot": ("captions", "local_p_dot_feed"),
        "concat": ("captions", "local_p_additive_feed"),
    },
    "score: global attention, 128 cells, rate 0.5": {
        "general": ("captions", "global_general_feed"),
        "dot": ("captions", "global_dot_feed"),
        "concat": ("captions", "global_additive_feed"),
        "location": ("captions", "global_location_feed"),
    },
}
LINKED = "test_2016_flickr"  # the set whose links are compared
SCREEN = {"width": 1280, "height": 800}


def draw_alignment(path: Path) -> None:
    """Draw the AER of every training of ``ALIGNING`` at the step that predicts the word."""
    rows = [row for group in ALIGNING.values() for row in group.values()]
    numbers = {name: read_numbers(name) for name in dict(rows)}
    with style(8):
        canvas = Canvas(
            figsize=(6.5, 0.5 + 0.21 * (len(rows) + len(ALIGNING))), layout="constrained"
        )
        axes = canvas.subplots()
        labels: list[str] = []
        for title, group in ALIGNING.items():
            axes.text(0.245, len(labels), title, va="center", weight="bold")
            labels.append("")
            for label, (experiment, system) in group.items():
                asked = ("training", system, "aer", "same", LINKED)
                aers = [
                    line.value
                    for line in numbers[experiment].lines
                    if (line.kind, line.system, line.metric, line.script, line.set) == asked
                ]
                axes.plot(
                    aers, [len(labels)] * len(aers), "o", color=COLORS["confirmed"], alpha=0.6
                )
                axes.plot([mean(aers)], [len(labels)], "|", color=INK, markersize=12)
                labels.append(label)
        diagonal = numbers["captions"].system(DIAGONAL, "aer", LINKED).value
        axes.axvline(diagonal, color=INK, linewidth=0.8, linestyle="--")
        axes.text(diagonal + 0.005, -0.9, "the diagonal", va="center")
        axes.set_xlabel(f"AER on {LINKED}, one point a training, | their mean; lower is better")
        axes.set_xlim(0.24, 0.85)
        axes.set_ylim(len(labels) - 0.4, -1.4)
        axes.set_yticks(range(len(labels)), labels)
        axes.grid(visible=False, axis="y")
        axes.tick_params(axis="y", length=0)
        save_svg(canvas, path)


def main() -> None:
    """Make the drawings; open the report from its file, as a reader does, and keep what is seen."""
    draw_alignment(ROOT / "docs/alignment.svg")
    chromium = shutil.which("chromium")
    if chromium is None or not REPORT.exists():
        sys.exit("needs Debian's chromium, and the demo's report (make demo)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport=SCREEN, color_scheme="light")
        page.goto(REPORT.as_uri())
        page.screenshot(path=ROOT / "docs/report.png")
        page.goto(
            f"{REPORT.as_uri()}#attention"
        )  # this opens the group in which the section stands
        attention = page.locator("#attention")
        attention.scroll_into_view_if_needed()
        attention.locator(".weights tbody th").nth(2).hover()
        attention.screenshot(path=ROOT / "docs/attention.png")
        browser.close()


if __name__ == "__main__":
    main()
