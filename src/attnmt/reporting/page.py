"""The report: one HTML file with every table and figure of an experiment, which needs nothing beside it.

Style, script, curves and matrices stand inside the file, and a policy forbids the browser to fetch
anything or to run any script but that one. ``page/`` holds the template, the style and the scripts.
"""

import base64
import hashlib
from dataclasses import asdict, dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from attnmt.config import DEMO, Params
from attnmt.layout import Layout
from attnmt.model.trained import read_provenance
from attnmt.reporting.provenance import short_commits
from attnmt.reporting.report import Report, is_papers_text, listed
from attnmt.reporting.sections import (
    Section,
    attention_section,
    figure_section,
    sample_section,
    table_section,
)
from attnmt.text.encoded import EncodedSets

PAGE = Path(__file__).with_name("page_parts")
TITLE = "Effective Approaches to Attention-based Neural Machine Translation"
ADDRESS = "https://aclanthology.org/D15-1166/"
# Where each section stands; a table that is not named here stands with those the paper never asked for.
GROUPS = {
    "The paper": [
        *("table1", "table2", "table3", "table4", "figure5", "figure6"),
        *("table5", "table6", "attention"),
    ],
    "Course report": ["table_gru"],
}
OTHERS = "Beyond the paper"


@dataclass(frozen=True)
class Group:
    """Sections that stand below one name in the contents."""

    name: str
    sections: list[Section]


def make_page(params: Params, report: Report) -> str:
    """Return the page of a report; the same files give the same text.

    Raises:
        InputError: if a file of a training or of the data is missing or damaged.
    """
    script = _own("script.js", "attention.js")
    return (
        _environment()
        .get_template("index.html.jinja")
        .render(
            title=TITLE,
            address=ADDRESS,
            experiment=params.experiment,
            policy=_policy(script),
            style=_own("style.css"),
            script=script,
            run=_run(params),
            headlines=report.headlines,
            same_text=is_papers_text(params),
            groups=_grouped(_sections(report)),
            commands=_commands(params),
        )
    )


def _own(*names: str) -> Markup:
    """Return files of ``page/``, one after the other, to stand in the page as they are."""
    return Markup("\n".join((PAGE / name).read_text(encoding="utf-8") for name in names))


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(PAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["breakable"] = _breakable
    environment.policies["json.dumps_kwargs"] = {
        "ensure_ascii": False,
        "separators": (",", ":"),
        "default": asdict,
    }
    return environment


def _breakable(text: str) -> Markup:
    """Return text that a narrow column may break after an underscore."""
    return escape(text).replace("_", Markup("_<wbr>"))


def _policy(script: str) -> str:
    """Return the page's security policy: nothing from anywhere, and no script but this one."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _sections(report: Report) -> list[Section]:
    made = [
        table_section(table, folder) for folder, inside in report.tables.items() for table in inside
    ]
    made += map(figure_section, report.figures)
    if report.samples:
        made.append(sample_section(report.samples))
    if report.attention:
        made.append(attention_section(report.attention, report.matrices))
    return made


def _grouped(sections: list[Section]) -> list[Group]:
    """Return the sections in their groups, in the order of GROUPS; empty groups are left out."""
    by_id = {section.id: section for section in sections}
    groups = [
        Group(name, [by_id.pop(id) for id in ids if id in by_id]) for name, ids in GROUPS.items()
    ]
    groups.append(Group(OTHERS, list(by_id.values())))
    return [group for group in groups if group.sections]


def _run(params: Params) -> list[str]:
    """Say in a line what the run is: text, models, machine, time, commit."""
    layout = Layout(params.experiment)
    trained = [read_provenance(layout.model(name)) for name in params.models]
    texts = [EncodedSets(layout.encoded(family)) for family in params.families]
    pairs = {text.lines(params.sets.train) for text in texts}
    hours = sum(one.seconds for one in trained) / 3600
    return [
        f"{' or '.join(f'{count:,}' for count in sorted(pairs))} sentence pairs",
        _counted(len(params.models), "model"),
        *([_counted(len(params.ensembles), "ensemble")] if params.ensembles else []),
        f"{hours:.1f} hours of training on {listed(one.device for one in trained)}",
        f"trained at commit {listed(short_commits(one.commits) for one in trained)}",
    ]


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _commands(params: Params) -> list[str]:
    if params.experiment == DEMO:
        return ["make demo    # sets up, then makes everything here", "make test"]
    return [
        f"snakemake -j2 --config experiment={params.experiment}",
        f"dvc repro experiments/{params.experiment}/dvc.yaml    # the same, one stage after the other",
    ]
