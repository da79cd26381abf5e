"""How every figure looks, and how a drawing becomes files. The same drawing gives the same bytes."""

import io
import re
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import matplotlib.style
from matplotlib.figure import Figure as Canvas

from attnmt.files.atomic import atomic_path
from attnmt.files.text_file import write_text

INK, GRID = "#222222", "#dddddd"
INKS = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
STYLE: dict[str, Any] = dict.fromkeys(INKS, INK) | {
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": "medium",
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.1,
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib, so a layout is the same everywhere
    "font.size": 7,
    "legend.frameon": False,
    "svg.fonttype": "none",  # text stays text
    "pdf.fonttype": 42,
    "text.parse_math": False,  # a word may hold a $
}
COLUMN = 3.3  # inches; drawings are as wide as a column of a paper
LINE = 0.125  # inches; height of a line of type
SVG_DATA = dict.fromkeys(["Date", "Creator", "Format", "Type"])
PDF_DATA = dict.fromkeys(["CreationDate", "Creator", "Producer"])
# matplotlib makes these ids from numbers that are rounded when they are written.
DRAWN_ID = re.compile(r'(?<= id=")[a-zA-Z]+[0-9a-f]{10}(?=")')
USED_ID = re.compile(r'(?<=["#])[a-zA-Z]+[0-9a-f]{10}(?=[")])')


def style() -> AbstractContextManager[None]:
    """Return a context in which this module's style holds and a person's own settings do not."""
    return matplotlib.style.context(STYLE, after_reset=True)


def save(canvas: Canvas, stem: Path) -> None:
    """Write a drawing as SVG and PDF."""
    write_text(stem.with_suffix(".svg"), svg_of(canvas))
    with atomic_path(stem.with_suffix(".pdf")) as partial:
        canvas.savefig(partial, format="pdf", metadata=PDF_DATA)


def svg_of(canvas: Canvas) -> str:
    """Return a drawing as SVG, with numbers in the ids that matplotlib makes."""
    stream = io.StringIO()
    canvas.savefig(stream, format="svg", metadata=SVG_DATA)
    svg = stream.getvalue()
    drawn = {name: f"d{number}" for number, name in enumerate(DRAWN_ID.findall(svg), 1)}
    return USED_ID.sub(lambda match: drawn.get(match[0], match[0]), svg)
