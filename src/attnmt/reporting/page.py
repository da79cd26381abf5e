"""The report's page: one HTML file that shows every table and figure of an experiment.

The style, the scripts, the curves and the matrices are inside the file. A policy forbids the browser to
fetch anything or to run any other script. ``page_parts/`` holds the template, the style and the scripts.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from attnmt.config import DEMO, Params
from attnmt.layout import Layout
from attnmt.reporting.attention_table import NAME as ATTENTION
from attnmt.reporting.claims import NAME as CLAIMS
from attnmt.reporting.claims_figure import claims_svg
from attnmt.reporting.own_text import on_own_text, uses
from attnmt.reporting.published import paper_set
from attnmt.reporting.report import Report
from attnmt.reporting.sections import (
    Section,
    attention_section,
    figure_section,
    sample_section,
    table_section,
)
from attnmt.reporting.table import hours_of
from attnmt.reporting.templates import render
from attnmt.scoring.numbers import Line, Numbers
from attnmt.text.encoded import EncodedSets

TITLE = "Effective Approaches to Attention-based Neural Machine Translation"
ADDRESS = "https://aclanthology.org/D15-1166/"
# The sections that the page opens with, then those of each group, which opens with a click. A section
# that is not named here stands in the last group.
FIRST = ("table1", "figure5")
GROUPS = {
    "The claims": (CLAIMS,),
    "The paper's other tables and figures": (
        *("table2", "table3", "table4", "figure6", "table5", "table6", "attention"),
    ),
    "Course report": ("table_gru",),
}
OTHERS = "Beyond the paper"
# The same on one's own text
OWN_FIRST = (ATTENTION, "figure5")
OWN_GROUPS = {
    "A closer look": ("table5", "attention", "figure6", "table_unknown"),
    "The paper's claims on this text": (CLAIMS,),
}
OWN_OTHERS = "More numbers"
# The CSS class of each verdict.
TONES = {
    "same order": "good",
    "agrees": "good",
    "other order": "bad",
    "within noise": "even",
    "confirmed": "good",
    "refuted": "bad",
    "undecided": "even",
    "depends on the recipe": "even",
    "described": "even",
}


@dataclass(frozen=True)
class Group:
    """The sections below one heading."""

    name: str
    sections: list[Section]


def make_page(params: Params, report: Report) -> str:
    """Return the page of a report. The same files give the same text.

    Raises:
        InputError: if a file of a training or of the data is missing or damaged.
    """
    own = on_own_text(params)
    by_id = {section.id: section for section in _sections(params, report)}
    first = [by_id.pop(id) for id in (OWN_FIRST if own else FIRST) if id in by_id]
    picture = None if own else claims_svg(report.claims, "claims-figure")
    return render(
        "index.html.jinja",
        styles=["style.css"],
        scripts=["common.js", "matrix.js", "attention.js", "script.js"],
        title=_title(params),
        own=own,
        several=any(len(params.seeds_of(name)) > 1 for name in params.models),
        address=ADDRESS,
        experiment=params.experiment,
        run=_run(params, report.numbers),
        claims=Markup(picture) if picture else None,  # written by ElementTree, so it is escaped
        amendments=report.amendments,
        summary=report.summary,
        answer=report.answer,
        same_text=params.sets.tests[0] == paper_set("table1"),
        first=first,
        groups=_grouped(by_id, own),
        tones=TONES,
        uses=_uses(params, report) if own else [],
        commands=_commands(params),
    )


def _title(params: Params) -> str:
    """Return the title of the page: the paper's, or on one's own text the question."""
    source, target = params.languages.source.name, params.languages.target.name
    question = f"Does attention help from {source} to {target}?"
    return question if on_own_text(params) else TITLE


def _uses(params: Params, report: Report) -> list[str]:
    """Return the commands that use the best model, for a sentence of the test set."""
    forward = (sample.texts["source"] for sample in report.samples if sample.direction == "forward")
    return uses(params.experiment, next(forward, "A sentence."))


def _sections(params: Params, report: Report) -> list[Section]:
    sections = [*map(table_section, report.tables), *map(figure_section, report.figures)]
    if report.samples:
        sections.append(sample_section(params, report.samples))
    if report.attention:
        sections.append(attention_section(params, report.attention, report.matrices))
    return sections


def _grouped(by_id: dict[str, Section], own: bool) -> list[Group]:
    """Return the sections in their groups, in the order of the page's groups, without empty groups."""
    named = OWN_GROUPS if own else GROUPS
    groups = [
        Group(name, [by_id.pop(id) for id in ids if id in by_id]) for name, ids in named.items()
    ]
    groups.append(Group(OWN_OTHERS if own else OTHERS, list(by_id.values())))
    return [group for group in groups if group.sections]


def _run(params: Params, numbers: Numbers) -> list[str]:
    """Return the parts of the line about the run: text, models, time, machine, commit."""
    texts = [EncodedSets(Layout(params.experiment).encoded(family)) for family in params.families]
    pairs = {text.lines(params.sets.train) for text in texts}
    minutes = [
        line for line in numbers.lines if line.metric == "minutes" and line.kind == "training"
    ]
    spent = hours_of(sum(line.value or 0.0 for line in minutes))
    machines = (line.signature.split(",")[0] for line in minutes if line.signature)
    return [
        f"{' or '.join(f'{count:,}' for count in sorted(pairs))} sentence pairs",
        _counted(len(params.models), "model"),
        *([_counted(len(params.ensembles), "ensemble")] if params.ensembles else []),
        f"{spent} of training on {_listed(machines)}",
        f"commit {_listed(_commits(minutes))}",
    ]


def _commits(lines: Iterable[Line]) -> list[str]:
    return [commit for line in lines for commit in (line.commit or "").split(", ")]


def _listed(values: Iterable[str]) -> str:
    """Return each different value once, with commas between them."""
    return ", ".join(dict.fromkeys(values))


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _commands(params: Params) -> list[str]:
    if params.experiment == DEMO:
        return ["make demo    # sets up, then makes this report", "make test"]
    return [f"snakemake -j2 --config experiment={params.experiment}"]
