"""The sections of the report's page, each as what its part of the template draws."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from attnmt.config import Params
from attnmt.reporting.attention import MatrixFigure
from attnmt.reporting.attention_data import FORCED, OWN, AttentionData
from attnmt.reporting.curves import Figure, Panel
from attnmt.reporting.draw import panel_svg, stroke, system_key
from attnmt.reporting.own_text import own_name
from attnmt.reporting.samples import ABOUT, NAME, TITLE, Sample, samples_caption
from attnmt.reporting.table import Table


@dataclass(frozen=True)
class Section:
    """One section.

    Attributes:
        id: the id of its element.
        kind: which of the template's macros draws ``body``.
        title: its name in the contents.
        about: more about its subject, beside the name.
        links: files beside the page with the same content, by the text of the link.
        body: what the macro draws.
    """

    id: str
    kind: str
    title: str
    about: str
    caption: str
    links: dict[str, str]
    body: Table | AttentionData | dict[str, Any] | list[dict[str, Any]]


def table_section(table: Table) -> Section:
    """Return the section of a table."""
    links = _files("tables", table.name, "csv", "md", "tex")
    return Section(table.name, "table", table.title, table.about, table.caption, links, table)


def figure_section(figure: Figure) -> Section:
    """Return the section of a figure of curves: a switch for each system, and the panels."""
    systems = {system_key(s): s for panel in figure.panels for s in panel.series}
    body = {
        "legend": [
            {"key": key, "label": s.label, "stroke": stroke(s)} for key, s in systems.items()
        ],
        "panels": [
            # The SVG is written by ElementTree, so it is escaped.
            {
                "panel": one,
                "points": _points(one),
                "svg": Markup(panel_svg(one, f"{figure.name}-{k}")),
            }
            for k, one in enumerate(figure.panels)
        ],
    }
    links = _files("figures", figure.name, "csv", "svg", "pdf")
    return Section(figure.name, "figure", figure.title, figure.about, figure.caption, links, body)


def sample_section(params: Params, samples: Sequence[Sample]) -> Section:
    """Return the section of Table 5, with the samples of each direction together."""
    body = [
        {
            "key": direction,
            "label": params.languages.title(direction),
            "languages": [side.code for side in params.languages.sides(direction)],
            "samples": [sample for sample in samples if sample.direction == direction],
        }
        for direction in dict.fromkeys(sample.direction for sample in samples)
    ]
    links = _files("tables", NAME, "csv", "md", "tex")
    named = own_name(params, TITLE, ABOUT)
    return Section(NAME, "samples", *named, samples_caption(samples), links, body)


def attention_section(
    params: Params, data: AttentionData, drawn: Sequence[MatrixFigure]
) -> Section:
    """Return the section of every system's attention. ``drawn`` are the figures that are files, too."""
    caption = (
        "Which source words each step of the decoder reads, in whole percent: for the references of "
        f"{data.kinds[FORCED].set}, and for the systems' own translations of {data.kinds[OWN].set}. A "
        "row is the step that predicts its word."
    )
    links = {f"{f.title} {e}": f"figures/{f.name}.{e}" for f in drawn for e in ("svg", "csv")}
    named = own_name(params, "Figure 7", "attention of every system")
    return Section("attention", "attention", *named, caption, links, data)


def _files(folder: str, name: str, *endings: str) -> dict[str, str]:
    return {ending: f"{folder}/{name}.{ending}" for ending in endings}


def _points(panel: Panel) -> list[tuple[str, list[str]]]:
    """Return the y of every curve at each x, as texts."""
    curves = [[(x, f"{y:.4g}") for x, y in zip(s.x, s.y, strict=True)] for s in panel.series]
    return [
        (f"{x:,g}", ["; ".join(y for at, y in curve if at == x) for curve in curves])
        for x in sorted({x for curve in curves for x, _ in curve})
    ]
