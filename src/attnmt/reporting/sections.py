"""The sections of the report's page, each as the data that its part of the template draws."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from attnmt.config import Params
from attnmt.reporting.attention import MatrixFigure
from attnmt.reporting.attention_data import FORCED, OWN, AttentionData
from attnmt.reporting.columns import short_system
from attnmt.reporting.curves import Figure, Panel
from attnmt.reporting.draw import Stroke, panel_svg, stroke, system_key
from attnmt.reporting.samples import caption
from attnmt.reporting.tables import Caption
from attnmt.reporting.tables_file import Sample, ShownColumn, ShownTable

# The CSS class of each verdict in a table of the paper. In our own tables a verdict has no color.
TONES = {
    "same order": "good",
    "agrees": "good",
    "other order": "bad",
    "higher": "bad",
    "lower": "bad",
    "within noise": "even",
    "confirmed": "good",
    "refuted": "bad",
    "undecided": "even",
}


@dataclass(frozen=True)
class PageColumn:
    """A column of a table. ``kind`` holds the CSS classes of its cells."""

    key: str
    heading: str
    kind: str


@dataclass(frozen=True)
class PageRow:
    """A row of a table.

    Attributes:
        id: the id of its card.
        system: the name of its system.
        tone: the CSS class of its verdict.
        measured: False if the table is the paper's and the row has no number of ours.
        cells: the text of each column.
        sort: the number that sorts the row by each column.
        facts: where its numbers come from.
    """

    id: str
    system: str
    tone: str
    measured: bool
    cells: Mapping[str, str]
    sort: Mapping[str, float | None]
    facts: Mapping[str, str]


@dataclass(frozen=True)
class TableBody:
    """What the template draws of a table."""

    columns: list[PageColumn]
    rows: list[PageRow]


@dataclass(frozen=True)
class LegendEntry:
    """The switch of a curve."""

    key: str
    label: str
    stroke: Stroke


@dataclass(frozen=True)
class PagePanel:
    """A panel as a drawing and as ``points``, which have the y of every curve at each x."""

    title: str
    x_label: str
    names: list[str]
    points: list[tuple[str, list[str]]]
    svg: Markup


@dataclass(frozen=True)
class FigureBody:
    """What the template draws of a figure of curves."""

    legend: list[LegendEntry]
    panels: list[PagePanel]


@dataclass(frozen=True)
class SampleGroup:
    """The samples of one direction."""

    key: str
    label: str
    languages: list[str]
    samples: list[Sample]


@dataclass(frozen=True)
class Section:
    """One section.

    Attributes:
        id: the id of its element.
        kind: which of the template's macros draws ``body``.
        short: its name in the contents.
        about: more about its subject, beside the name.
        links: files beside the page with the same content, by the text of the link.
        body: what the macro draws.
    """

    id: str
    kind: str
    short: str
    about: str
    caption: Caption
    links: dict[str, str]
    body: TableBody | FigureBody | list[SampleGroup] | AttentionData


def table_section(table: ShownTable, folder: str) -> Section:
    """Return the section of a table, whose files lie in a ``folder`` beside the page."""
    # The paper's columns stand last, so that a narrow screen shows ours without scrolling.
    columns = sorted(table.columns, key=lambda column: column.role == "paper")
    rows = [
        PageRow(
            id=f"{table.name}-{at}",
            system=row.cells[columns[0].key],
            tone=TONES.get(row.cells.get("verdict", ""), "") if table.papers else "",
            measured=not table.papers or "stage" in row.facts,
            cells=row.cells,
            sort=row.sort,
            facts=row.facts,
        )
        for at, row in enumerate(table.rows)
    ]
    links = _files(folder, table.name, "csv", "md", "tex")
    caption = Caption(table.lead, table.rest)
    body = TableBody([PageColumn(c.key, c.heading, _kind(c)) for c in columns], rows)
    return Section(table.name, "table", table.short, table.about, caption, links, body)


def figure_section(figure: Figure) -> Section:
    """Return the section of a figure of curves."""
    systems = {system_key(s): s for panel in figure.panels for s in panel.series}
    legend = [LegendEntry(key, short_system(s.label), stroke(s)) for key, s in systems.items()]
    panels = [_panel(f"{figure.name}-{k}", panel) for k, panel in enumerate(figure.panels)]
    links = _files("figures", figure.name, "csv", "svg", "pdf")
    title, body = figure.title, FigureBody(legend, panels)
    return Section(figure.name, "figure", title.short, title.about, figure.caption, links, body)


def sample_section(params: Params, samples: Sequence[Sample]) -> Section:
    """Return the section of Table 5."""
    body = [
        SampleGroup(
            direction,
            params.languages.title(direction),
            [side.code for side in params.languages.sides(direction)],
            [sample for sample in samples if sample.direction == direction],
        )
        for direction in dict.fromkeys(sample.direction for sample in samples)
    ]
    links = _files("tables", "table5", "csv", "md", "tex")
    about = "sample translations"
    return Section("table5", "samples", "Table 5", about, caption(params, samples), links, body)


def attention_section(data: AttentionData, drawn: Sequence[MatrixFigure]) -> Section:
    """Return the section of every system's attention. ``drawn`` are the figures that are files, too."""
    lead = (
        "The matrices show which source words each step of the decoder reads. The weights of a row sum "
        "to 1 over the source. The sum is smaller under local-p's Gaussian, and where location's slots "
        "reach past the sentence."
    )
    rest = (
        f"The references are evenly spread lines of {data.kinds[FORCED].set}, and the systems' own "
        f"translations are of evenly spread lines of {data.kinds[OWN].set}. An ensemble's weights are "
        "the mean of its members' weights. The weights of a system with several seeds are those of its "
        "first seed. Weights are in whole percent. A row is the step that predicts its word."
    )
    links = {f"{f.title.short} {e}": f"figures/{f.name}.{e}" for f in drawn for e in ("svg", "csv")}
    about, caption = "attention of every system", Caption(lead, rest)
    return Section("attention", "attention", "Figure 7", about, caption, links, data)


def _files(folder: str, name: str, *endings: str) -> dict[str, str]:
    return {ending: f"{folder}/{name}.{ending}" for ending in endings}


def _kind(column: ShownColumn) -> str:
    alignment = "number" if column.numeric else "text"
    return f"{alignment} {'paper' if column.role == 'paper' else 'ours'}"


def _panel(prefix: str, panel: Panel) -> PagePanel:
    curves = [[(x, f"{y:.4g}") for x, y in zip(s.x, s.y, strict=True)] for s in panel.series]
    points = [
        (f"{x:,g}", ["; ".join(y for at, y in curve if at == x) for curve in curves])
        for x in sorted({x for curve in curves for x, _ in curve})
    ]
    return PagePanel(
        title=panel.title,
        x_label=panel.x_label,
        names=[short_system(series.label) for series in panel.series],
        points=points,
        svg=Markup(panel_svg(panel, prefix)),  # written by ElementTree, so it is escaped
    )
