"""How every figure looks, and how a drawing becomes files or a part of a page.

The same drawing gives the same bytes.
"""

import io
import re
import warnings
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib.style
from matplotlib.figure import Figure as Canvas

from attnmt.files.atomic import atomic_path
from attnmt.files.text_file import write_text
from attnmt.reporting.fonts import FONT, set_fonts

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
    "font.family": ["sans-serif"],
    "font.sans-serif": [FONT],
    "legend.frameon": False,
    "svg.fonttype": "none",  # text stays text
    "pdf.fonttype": 42,
    "text.parse_math": False,  # a word may hold a $
}
COLUMN = 3.3  # inches; drawings in files are as wide as a column of a paper
SIZE = 7  # points; size of the type in files
LINE = 0.125  # inches; height of a line of that type
NO_DATE = {
    "svg": dict.fromkeys(["Date", "Creator", "Format", "Type"]),
    "pdf": dict.fromkeys(["CreationDate", "Creator", "Producer"]),
}
DRAWN_ID = re.compile(r'(?<= id=")[a-zA-Z]+[0-9a-f]{10}(?=")')  # drawn at random for each file
USED_ID = re.compile(r'(?<=["#])[a-zA-Z]+[0-9a-f]{10}(?=[")])')
SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
IN_A_PAGE = {
    INK: "currentColor",
    GRID: "var(--grid)",
    "#ffffff": "var(--paper)",
    f"'{FONT}', sans-serif": "inherit",
}


def style(size: int = SIZE) -> AbstractContextManager[None]:
    """Return a context in which this module's style holds and a person's own settings do not."""
    sizes = {"font.size": size, "lines.linewidth": size / 6.5}
    return matplotlib.style.context(STYLE | sizes, after_reset=True)


def save(canvas: Canvas, stem: Path) -> set[str]:
    """Write a drawing as SVG and PDF.

    Returns:
        The letters that no installed font has; the PDF shows boxes in their place.
    """
    missing = set_fonts(canvas)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .*missing from font")  # in `missing`
        save_svg(canvas, stem.with_suffix(".svg"))
        with atomic_path(stem.with_suffix(".pdf")) as partial:
            canvas.savefig(partial, format="pdf", metadata=NO_DATE["pdf"])
    return missing


def save_svg(canvas: Canvas, path: Path) -> None:
    """Write a drawing as SVG."""
    write_text(path, _svg(canvas))


def inline_svg(canvas: Canvas, prefix: str, keys: Mapping[str, str], label: str) -> str:
    """Return a drawing as an SVG element that shares a page with others.

    It has a viewBox and no size. Its ink is ``currentColor``, its grid ``var(--grid)``, and what is
    white is ``var(--paper)``.

    Args:
        prefix: put before every id, so that no two drawings of a page share one.
        keys: the ``data-series`` of elements, by their ids; a script finds the elements by it.
        label: what the drawing shows, for people who listen to the page.

    Raises:
        KeyError: if the drawing lacks an id of ``keys``.
    """
    root = ElementTree.fromstring(_svg(canvas, transparent=True))
    for parent in list(root.iter()):  # the style sheets' * would match the whole page
        for child in list(parent):
            if child.tag in (f"{{{SVG}}}style", f"{{{SVG}}}metadata"):
                parent.remove(child)
    by_id = {element.get("id"): element for element in root.iter() if element.get("id")}
    for id_, key in keys.items():
        by_id[id_].set("data-series", key)
    for element in root.iter():
        for key, value in element.items():
            element.set(key, _for_page(key, value, prefix))
    for key in ("width", "height", "version"):
        root.attrib.pop(key, None)
    root.attrib |= {"role": "img", "aria-label": label}
    # As in the file's style sheet
    root.attrib["style"] = "stroke-linejoin: round; stroke-linecap: butt"
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK)
    return ElementTree.tostring(root, encoding="unicode")


def _svg(canvas: Canvas, transparent: bool = False) -> str:
    """Return the SVG, with numbers in the ids that matplotlib draws."""
    stream = io.StringIO()
    canvas.savefig(stream, format="svg", metadata=NO_DATE["svg"], transparent=transparent)
    svg = stream.getvalue()
    drawn = {name: f"d{number}" for number, name in enumerate(DRAWN_ID.findall(svg), 1)}
    return USED_ID.sub(lambda match: drawn.get(match[0], match[0]), svg)


def _for_page(key: str, value: str, prefix: str) -> str:
    """Return what an attribute must hold in the page."""
    if key == "id":
        return f"{prefix}-{value}"
    if key == f"{{{XLINK}}}href":
        return value.replace("#", f"#{prefix}-")
    if key == "style":
        for old, new in IN_A_PAGE.items():
            value = value.replace(old, new)
        return value
    return value.replace("url(#", f"url(#{prefix}-")
