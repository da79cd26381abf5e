"""The sections of the report's page, each as the data that its part of the template draws."""

import re
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from attnmt.config import Params
from attnmt.reporting.caption import LANGUAGES
from attnmt.reporting.curves import Figure, Panel
from attnmt.reporting.draw import panel_svg, stroke, system_key
from attnmt.reporting.headlines import short_system
from attnmt.reporting.samples import Sample, caption

LEAD = 2  # sentences of a caption that stand open; the rest is folded
# How a verdict is coloured where the paper has one too; a word of ours alone stays plain.
TONES = {
    "same order": "good",
    "agrees": "good",
    "other order": "bad",
    "higher": "bad",
    "lower": "bad",
    "within noise": "even",
}


@dataclass(frozen=True)
class Section:
    """One section.

    Attributes:
        id: of its element.
        kind: of the template's macro that draws ``content``.
        short: its name in the contents.
        title: what it is of.
        lead: the part of the caption that stands open.
        rest: the part that is folded.
        links: files beside the page with the same content, by the words of the link.
        content: what the macro draws.
    """

    id: str
    kind: str
    short: str
    title: str
    lead: str
    rest: str
    links: dict[str, str]
    content: Any


def table_section(experiment: str, table: dict[str, Any]) -> Section:
    """Return the section of a table of ``tables.json``, which lies in its ``folder``."""
    name = table["name"]
    papers = any(_is_papers(column["key"]) for column in table["columns"])
    columns = [column | {"kind": _column_kind(column)} for column in table["columns"]]
    rows = [
        {
            "id": f"{name}-{at}",
            "system": next(iter(row["cells"].values())),
            "tone": TONES.get(row["cells"].get("verdict", ""), "") if papers else "",
            "measured": not papers or "stage" in row["facts"],
            **row,
        }
        for at, row in enumerate(table["rows"])
    ]
    links = _files(table["folder"], name, "csv", "md", "tex")
    content = {"columns": columns, "rows": rows}
    return _section(experiment, name, "table", table["title"], table["caption"], links, content)


def figure_section(experiment: str, figure: Figure) -> Section:
    """Return the section of a figure of curves."""
    systems = {system_key(s): s for panel in figure.panels for s in panel.series}
    legend = [
        {"key": key, "label": short_system(s.label), "stroke": stroke(s)}
        for key, s in systems.items()
    ]
    panels = [_panel(f"{figure.name}-{k}", panel) for k, panel in enumerate(figure.panels)]
    links = _files("figures", figure.name, "csv", "svg", "pdf")
    content = {"legend": legend, "panels": panels}
    return _section(experiment, figure.name, "figure", figure.title, figure.caption, links, content)


def sample_section(params: Params, samples: list[Sample]) -> Section:
    """Return the section of Table 5."""
    content = [
        {
            "key": direction,
            "label": LANGUAGES[direction],
            "languages": direction.split("-"),
            "samples": [sample for sample in samples if sample.direction == direction],
        }
        for direction in dict.fromkeys(sample.direction for sample in samples)
    ]
    links = _files("tables", "table5", "csv", "md", "tex")
    title = "Table 5, sample translations"
    return _section(params.experiment, "table5", "samples", title, caption(samples), links, content)


def _section(
    experiment: str,
    name: str,
    kind: str,
    title: str,
    words: str,
    links: dict[str, str],
    content: Any,
) -> Section:
    short, _, rest = title.removesuffix(f", experiment {experiment}").partition(", ")
    sentences = re.split(r"(?<=\.) (?=[A-Za-z])", words)
    lead, folded = " ".join(sentences[:LEAD]), " ".join(sentences[LEAD:])
    return Section(name, kind, short, rest, lead, folded, links, content)


def _files(folder: str, name: str, *endings: str) -> dict[str, str]:
    return {ending: f"{folder}/{name}.{ending}" for ending in endings}


def _is_papers(key: str) -> bool:
    return key.startswith("paper_")


def _column_kind(column: dict[str, Any]) -> str:
    alignment = "number" if column["numeric"] else "text"
    return f"{alignment} paper" if _is_papers(column["key"]) else f"{alignment} ours"


def _panel(prefix: str, panel: Panel) -> dict[str, Any]:
    """Return a panel as drawing and as rows of numbers, one for each x."""
    curves = [[(x, f"{y:.4g}") for x, y in zip(s.x, s.y, strict=True)] for s in panel.series]
    points = [
        (f"{x:,g}", ["; ".join(y for at, y in curve if at == x) for curve in curves])
        for x in sorted({x for curve in curves for x, _ in curve})
    ]
    return {
        "title": panel.title,
        "x_label": panel.x_label,
        "names": [short_system(series.label) for series in panel.series],
        "points": points,
        "svg": Markup(panel_svg(panel, prefix)),  # an element tree's own text, so escaped
    }
