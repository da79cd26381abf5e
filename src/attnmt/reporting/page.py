"""The report's page: one HTML file that shows every table and figure of an experiment.

The style, the scripts, the curves and the matrices are inside the file. A policy forbids the browser to
fetch anything or to run any other script. ``page_parts/`` holds the template, the style and the scripts.
"""

from dataclasses import dataclass

from attnmt.config import DEMO, Params
from attnmt.layout import Layout
from attnmt.reporting.claims_table import ELSEWHERE
from attnmt.reporting.claims_table import NAME as CLAIMS
from attnmt.reporting.provenance import short_commits
from attnmt.reporting.report import Report, is_papers_text, listed
from attnmt.reporting.sections import (
    Section,
    attention_section,
    figure_section,
    sample_section,
    table_section,
)
from attnmt.reporting.templates import render
from attnmt.text.encoded import EncodedSets
from attnmt.training.trained import read_provenance

TITLE = "Effective Approaches to Attention-based Neural Machine Translation"
ADDRESS = "https://aclanthology.org/D15-1166/"
# Where each section stands. A section that is not named here stands below OTHERS.
GROUPS = {
    "Claims": [CLAIMS],
    "The paper": [
        *("table1", "table2", "table3", "table4", "figure5", "figure6"),
        *("table5", "table6", "attention"),
    ],
    "Course report": ["table_gru"],
}
OTHERS = "Beyond the paper"


@dataclass(frozen=True)
class Group:
    """The sections below one heading of the contents."""

    name: str
    sections: list[Section]


def make_page(params: Params, report: Report) -> str:
    """Return the page of a report. The same files give the same text.

    Raises:
        InputError: if a file of a training or of the data is missing or damaged.
    """
    return render(
        "index.html.jinja",
        styles=["style.css"],
        scripts=["common.js", "matrix.js", "attention.js", "script.js"],
        title=TITLE,
        address=ADDRESS,
        experiment=params.experiment,
        run=_run(params),
        headlines=report.headlines,
        same_text=is_papers_text(params),
        no_claims="" if _has_claims(report) else ELSEWHERE,
        groups=_grouped(_sections(params, report)),
        commands=_commands(params),
    )


def _has_claims(report: Report) -> bool:
    return any(table.name == CLAIMS for tables in report.tables.values() for table in tables)


def _sections(params: Params, report: Report) -> list[Section]:
    sections = [
        table_section(table, folder) for folder, tables in report.tables.items() for table in tables
    ]
    sections += map(figure_section, report.figures)
    if report.samples:
        sections.append(sample_section(params, report.samples))
    if report.attention:
        sections.append(attention_section(report.attention, report.matrices))
    return sections


def _grouped(sections: list[Section]) -> list[Group]:
    """Return the sections in their groups, in the order of GROUPS, without empty groups."""
    by_id = {section.id: section for section in sections}
    groups = [
        Group(name, [by_id.pop(id) for id in ids if id in by_id]) for name, ids in GROUPS.items()
    ]
    groups.append(Group(OTHERS, list(by_id.values())))
    return [group for group in groups if group.sections]


def _run(params: Params) -> list[str]:
    """Return the parts of the line about the run: text, models, time, machine, commit."""
    layout = Layout(params.experiment)
    trainings = [read_provenance(layout.model(name)) for name in params.models]
    texts = [EncodedSets(layout.encoded(family)) for family in params.families]
    pairs = {text.lines(params.sets.train) for text in texts}
    hours = sum(training.seconds for training in trainings) / 3600
    return [
        f"{' or '.join(f'{count:,}' for count in sorted(pairs))} sentence pairs",
        _counted(len(params.models), "model"),
        *([_counted(len(params.ensembles), "ensemble")] if params.ensembles else []),
        f"{hours:.1f} hours of training on {listed(training.device for training in trainings)}",
        f"trained at commit {listed(short_commits(training.commits) for training in trainings)}",
    ]


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _commands(params: Params) -> list[str]:
    if params.experiment == DEMO:
        return ["make demo    # sets up, then makes this report", "make test"]
    return [
        f"snakemake -j2 --config experiment={params.experiment}",
        f"dvc repro experiments/{params.experiment}/dvc.yaml    # the same, one stage after the other",
    ]
