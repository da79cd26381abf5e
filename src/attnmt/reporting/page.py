"""The report's page: one HTML file that shows every table and figure of an experiment.

The style, the scripts, the curves and the matrices are inside the file. A policy forbids the browser to
fetch anything or to run any other script. ``page_parts/`` holds the template, the style and the scripts.
"""

import base64
from dataclasses import dataclass
from typing import Any

from attnmt.config import DEMO, Params
from attnmt.layout import Layout
from attnmt.reporting import claims_figure
from attnmt.reporting.chart import chart
from attnmt.reporting.draw import stroke
from attnmt.reporting.own_text import text_example, uses
from attnmt.reporting.report import Report
from attnmt.reporting.templates import render
from attnmt.text.encoded import EncodedSets

ADDRESS = "https://aclanthology.org/D15-1166/"
PAPER = "Effective Approaches to Attention-based Neural Machine Translation"
# The sections of a page: those that it opens with, then groups, which open with a click. A section that
# is not named here stands in the last group.
GROUPS = {
    "Report": ("claims_figure", "table1", "table_today", "figure5"),
    "Verdicts": ("claims",),
    "The paper's other tables and figures": (
        *("table2", "table3", "table4", "figure6", "table5", "table6", "attention"),
    ),
    "Course report": ("table_gru",),
    "Beyond the paper": (),
}
OWN_GROUPS = {
    "Report": ("comparisons", "table_systems", "figure5"),
    "A closer look": ("table5", "attention", "figure6", "table_unknown"),
    "The paper's claims on this text": ("claims_figure", "claims"),
    "More numbers": (),
}
MATRICES = (
    "Which source words each step of the decoder reads, in whole percent, for references and for the "
    "systems' own translations. A row is the step that predicts its word. With several seeds, the first "
    "is shown."
)
JOINS = " ￭, or ▪ in the figure's files, says where a token joins its neighbor."


@dataclass(frozen=True)
class Section:
    """One section."""

    id: str  # of its element
    kind: str  # the template's macro that draws the body
    title: str
    caption: str
    links: dict[str, str]  # files beside the page with the same content, by the text of the link
    body: Any


def make_page(params: Params, report: Report) -> str:
    """Return the page of a report. The same files give the same text."""
    own = params.own_text
    return render(
        "index.html.jinja",
        styles=["style.css"],
        scripts=["common.js", "matrix.js", "attention.js", "script.js"],
        title=report.headline or f"{PAPER}, reproduced",
        own=own,
        several=any(len(params.runs_of(name)) > 1 for name in params.trainings),
        address=ADDRESS,
        paper=PAPER,
        experiment=params.experiment,
        run=_run(params),
        report=report,
        groups=_grouped(sections(params, report), OWN_GROUPS if own else GROUPS),
        stroke=stroke,
        chart=chart,
        uses=_uses(params) if own else [],
        commands=_commands(params),
    )


def sections(params: Params, report: Report) -> list[Section]:
    """Return all sections of a page."""
    found = []
    for table in report.tables:
        links = _files("tables", table.name, "csv md tex")
        found.append(Section(table.name, "table", table.title, table.caption, links, table))
    for figure in report.figures:
        links = _files("figures", figure.name, "csv svg pdf")
        found.append(Section(figure.name, "curves", figure.title, figure.caption, links, figure))
    if picture := claims_figure.claims_svg(report.claims):
        links = {"csv": "claims.csv"} | _files("figures", claims_figure.NAME, "svg pdf")
        heads = "claims_figure", "picture", claims_figure.TITLE, claims_figure.CAPTION
        address = f"data:image/svg+xml;base64,{base64.b64encode(picture.encode()).decode()}"
        found.append(Section(*heads, links, address))
    if report.attention:
        links = _files("figures", "figure7", "csv svg pdf") if report.figure7 else {}
        title = (
            "Attention of every system"
            if params.own_text
            else "Figure 7, attention of every system"
        )
        rules = [side.tokenize for side in params.languages.sides("forward")]
        caption = MATRICES + JOINS * ("words" in rules)
        found.append(Section("attention", "attention", title, caption, links, report.attention))
    return found


def _files(folder: str, name: str, ends: str) -> dict[str, str]:
    return {end: f"{folder}/{name}.{end}" for end in ends.split()}


def _grouped(
    sections: list[Section], groups: dict[str, tuple[str, ...]]
) -> dict[str, list[Section]]:
    """Return the sections of each group that has any."""
    by_id = {section.id: section for section in sections}
    grouped = {name: [by_id.pop(id) for id in ids if id in by_id] for name, ids in groups.items()}
    grouped[[*groups][-1]] += by_id.values()
    return {name: some for name, some in grouped.items() if some}


def _run(params: Params) -> list[str]:
    """Return what the experiment is: its languages, the size of its text, and its trainings."""
    texts = [EncodedSets(Layout(params.experiment).encoded(family)) for family in params.families]
    pairs = sorted({text.counts(params.sets.train).lines for text in texts})
    return [
        params.languages.title(params.main_direction),
        f"{' or '.join(f'{count:,}' for count in pairs)} sentence pairs",
        f"trainings: {len(params.trainings)}",
    ]


def _uses(params: Params) -> list[str]:
    """Return the commands that use the best model, for a sentence of the test set."""
    source, _ = params.languages.sides(params.main_direction)
    return uses(params.experiment, text_example(params, source.code))


def _commands(params: Params) -> list[str]:
    if params.experiment == DEMO:
        return ["make demo    # sets up, then makes this report", "make test"]
    return [f"snakemake -j2 --config experiment={params.experiment}"]
