"""The report: one HTML file with every table and figure of a profile, which needs nothing beside it.

Style, script, curves and matrices stand inside the file, and a policy forbids the browser to fetch
anything or to run any script but that one. ``page/`` holds the template, the style and the scripts.
"""

import base64
import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from attnmt.config import DEMO, Params
from attnmt.data.encoded import EncodedSets
from attnmt.layout import Layout
from attnmt.model.trained import Provenance, read_provenance
from attnmt.reporting.attention import figure7, figure_gru
from attnmt.reporting.attention_data import attention_data
from attnmt.reporting.curves import figure5, figure6
from attnmt.reporting.headlines import make_headlines
from attnmt.reporting.paper import paper_rows
from attnmt.reporting.provenance import short_commits
from attnmt.reporting.samples import make_samples
from attnmt.reporting.sections import Section, figure_section, sample_section, table_section
from attnmt.reporting.tables_file import read_tables

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
DRAWN = {"figure7": "Figure 7", "figure_gru": "GRU"}  # the matrices that are drawn as files too


def make_page(params: Params) -> str:
    """Return the report of a profile; the same files give the same text.

    Raises:
        InputError: if a file is missing or damaged, or is of another profile.
    """
    tables = _tables(params)
    script = _own("script.js", "attention.js")
    return (
        _environment()
        .get_template("index.html.jinja")
        .render(
            title=TITLE,
            address=ADDRESS,
            profile=params.profile,
            policy=_policy(script),
            style=_own("style.css"),
            script=script,
            run=_run(params),
            headlines=make_headlines(params, tables),
            same_text=params.sets.tests[0] == paper_rows("Table 1")[0].set,
            groups=_grouped(_sections(params, tables)),
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
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
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


def _tables(params: Params) -> dict[str, Any]:
    """Return the tables of the stage tables and that of the costs, each with the folder it lies in."""
    found: dict[str, Any] = {}
    for folder in ("tables", "cost"):
        path = Layout(params.profile).reports / folder / "tables.json"
        made = read_tables(path, params.profile)
        found |= {table["name"]: table | {"folder": folder} for table in made}
    for row in (row for table in found.values() for row in table["rows"]):
        if trained := _trained(params, row["facts"].get("model", "")):
            row["facts"]["trained at commit"] = _listed(
                short_commits(one.commits) for one in trained
            )
            row["facts"]["code of the training"] = _listed(one.code for one in trained)
    return found


def _trained(params: Params, names: str) -> list[Provenance]:
    """Return where the models behind a row come from."""
    own = [name for name in names.split() if name in params.models or name in params.ensembles]
    members = [member for name in own for member in params.translators(name).members]
    return [read_provenance(Layout(params.profile).model(member)) for member in members]


def _sections(params: Params, tables: dict[str, Any]) -> list[Section]:
    made = [table_section(params.profile, table) for table in tables.values()]
    figures = (figure5(params), figure6(params))
    made += [figure_section(params.profile, figure) for figure in figures if figure is not None]
    if samples := make_samples(params):
        made.append(sample_section(params, samples))
    if data := attention_data(params):
        made.append(_attention_section(params, data))
    return made


def _attention_section(params: Params, data: dict[str, Any]) -> Section:
    lead = (
        "Which source words each step of the decoder reads. The weights of a row sum to 1 over the "
        "source; to less under local-p's Gaussian and where location's slots reach past the sentence."
    )
    rest = (
        f"References are those of {data['kinds']['forced']['set']}, own translations those of "
        f"{data['kinds']['own']['set']}, of evenly spread lines; an ensemble's weights are the mean "
        "of its members'. Weights are in whole percent. A row is the step that predicts its word."
    )
    drawn = [figure for figure in (figure7(params), figure_gru(params)) if figure is not None]
    links = {f"{DRAWN[f.name]} {e}": f"figures/{f.name}.{e}" for f in drawn for e in ("svg", "csv")}
    return Section(
        "attention", "attention", "Figure 7", "attention of every system", lead, rest, links, data
    )


def _grouped(sections: list[Section]) -> list[dict[str, Any]]:
    """Return the sections in their groups, in the order of GROUPS; empty groups are left out."""
    by_id = {section.id: section for section in sections}
    groups = [
        {"name": name, "sections": [by_id.pop(id) for id in ids if id in by_id]}
        for name, ids in GROUPS.items()
    ]
    groups.append({"name": OTHERS, "sections": list(by_id.values())})
    return [group for group in groups if group["sections"]]


def _run(params: Params) -> list[str]:
    """Say in a line what the run is: text, models, machine, time, commit."""
    layout = Layout(params.profile)
    trained = [read_provenance(layout.model(name)) for name in params.models]
    texts = [EncodedSets(layout.encoded(family)) for family in params.families]
    pairs = {text.lines(params.sets.train) for text in texts}
    hours = sum(one.seconds for one in trained) / 3600
    return [
        f"{' or '.join(f'{count:,}' for count in sorted(pairs))} sentence pairs",
        _counted(len(params.models), "model"),
        *([_counted(len(params.ensembles), "ensemble")] if params.ensembles else []),
        f"{hours:.1f} hours of training on {_listed(one.device for one in trained)}",
        f"trained at commit {_listed(short_commits(one.commits) for one in trained)}",
    ]


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _listed(values: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(values))


def _commands(params: Params) -> list[str]:
    if params.profile == DEMO:
        return ["make demo    # sets up, then makes everything here", "make test"]
    return [
        f"snakemake -j2 --config profile={params.profile}",
        f"dvc repro profiles/{params.profile}/dvc.yaml    # the same, one stage after the other",
    ]
