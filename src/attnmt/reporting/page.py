"""The report's page: one HTML file that shows every table and figure of an experiment.

The style, the scripts, the curves and the matrices are inside the file. A policy forbids the browser to
fetch anything or to run any other script. ``page_parts/`` holds the template, the style and the scripts.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from attnmt.config import DEMO, Params
from attnmt.layout import Layout
from attnmt.reporting.attention import FORCED, OWN, AttentionData, MatrixFigure, label
from attnmt.reporting.claims_figure import claims_svgs
from attnmt.reporting.claims_table import NAME as CLAIMS
from attnmt.reporting.curves import Figure, Panel
from attnmt.reporting.draw import panel_svg, stroke
from attnmt.reporting.own_text import example_of, own_name, uses
from attnmt.reporting.report import Report
from attnmt.reporting.samples import Sample, samples_table
from attnmt.reporting.summary import GAIN
from attnmt.reporting.table import Table, hours_of
from attnmt.reporting.templates import render
from attnmt.scoring.claim_lines import by_claim
from attnmt.scoring.numbers import Numbers
from attnmt.scoring.published import paper_set
from attnmt.scoring.verdicts import DEPENDS, ClaimVerdict
from attnmt.text.encoded import EncodedSets

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
OWN_FIRST = ("comparisons", "table_systems", "figure5")
OWN_GROUPS = {
    "A closer look": ("table5", "attention", "figure6", "table_unknown"),
    "The paper's claims on this text": (CLAIMS,),
}
OWN_OTHERS = "More numbers"
# The CSS class of each verdict.
FOUND: dict[ClaimVerdict, tuple[str, str]] = {  # verdicts, of one claim and of several
    "confirmed": ("is confirmed", "are confirmed"),
    "refuted": ("is refuted", "are refuted"),
    DEPENDS: ("depends on the recipe", "depend on the recipe"),
    "undecided": ("is undecided", "are undecided"),
}
TONES = {
    **dict.fromkeys(("same order", "agrees", "confirmed"), "good"),
    **dict.fromkeys(("other order", "refuted"), "bad"),
    **dict.fromkeys(("within noise", "undecided", "depends on the recipe", "described"), "even"),
}


@dataclass(frozen=True)
class Section:
    """One section."""

    id: str  # of its element
    kind: str  # the template's macro that draws the body
    title: str  # in the contents, too
    about: str  # beside the title
    subject: str  # the same without the languages; empty if the title says it
    caption: str
    links: dict[str, str]  # files beside the page with the same content, by the text of the link
    body: Any


def make_page(params: Params, report: Report) -> str:
    """Return the page of a report. The same files give the same text.

    Raises:
        InputError: if a file of a training or of the data is missing or damaged.
    """
    own, languages = params.own_text, params.languages
    by_id = {section.id: section for section in _sections(params, report)}
    first = [by_id.pop(id) for id in (OWN_FIRST if own else FIRST) if id in by_id]
    groups = {
        name: [by_id.pop(id) for id in ids if id in by_id]
        for name, ids in (OWN_GROUPS if own else GROUPS).items()
    }
    groups[OWN_OTHERS if own else OTHERS] = list(by_id.values())
    pictures = {} if own else claims_svgs(report.claims, "claims-figure")
    return render(
        "index.html.jinja",
        styles=["style.css"],
        scripts=["common.js", "matrix.js", "attention.js", "script.js"],
        title=_finding(params, report),
        own=own,
        several=any(len(params.seeds_of(name)) > 1 for name in params.models),
        address=ADDRESS,
        experiment=params.experiment,
        languages=languages,
        run=_run(params, report.numbers),
        # written by ElementTree, so they are escaped
        claims={width: Markup(picture) for width, picture in pictures.items()},
        starred=any(one.amended and one.ours is not None for one in report.claims),
        report=report,
        same_text=params.sets.tests[0] == paper_set("table1"),
        first=first,
        groups={name: sections for name, sections in groups.items() if sections},
        tones=TONES,
        stroke=stroke,
        points=_points,
        svg=lambda panel, prefix: Markup(panel_svg(panel, prefix)),  # escaped, too
        uses=_uses(params, report) if own else [],
        commands=_commands(params),
    )


def _finding(params: Params, report: Report) -> str:
    """Return what the report finds, in a sentence; the question if it finds nothing."""
    if report.headline:
        return report.headline
    claims = [] if params.own_text else by_claim(report.claims)
    # A claim that an amendment reads in a second way has its verdict from the first.
    counts = Counter(lines[0].verdict for lines in claims if not lines[0].amended)
    found = {word: counts[word] for word in FOUND if counts[word]}
    if (tested := sum(found.values())) == 1:
        return f"The one claim that is tested here {FOUND[next(iter(found))][0]}."
    if tested:
        *most, last = (f"{count} {FOUND[word][count != 1]}" for word, count in found.items())
        words = f"{', '.join(most)} and {last}" if most else last
        return f"Of {tested} claims tested here, {words}."
    for headline in report.summary:
        if headline.label == GAIN:
            bounds = f" ({headline.note})" if headline.note else ""
            of = f"{headline.system}, the best systems with it and without it"
            return f"Attention gains {headline.number} BLEU{bounds}: {of}."
    systems = {params.system_of(name) for name in params.models}
    plain = not all(map(params.attends, params.models))
    question = "Does attention help" if plain else "Which attention is better"
    if len(systems) == 1:
        question = f"How well does {label(params, *systems)} translate"
    source, target = params.languages.sides(params.main_direction)
    return f"{question} from {source.name} to {target.name}?"


def _sections(params: Params, report: Report) -> list[Section]:
    def section(kind: str, one: Table | Figure, ends: Sequence[str], body: Any) -> Section:
        folder = "figures" if kind == "figure" else "tables"
        links = {end: f"{folder}/{one.name}.{end}" for end in ends}
        about = "" if isinstance(one, Table) else one.about
        return Section(one.name, kind, one.title, about, about, one.caption, links, body)

    printed = ("csv", "md", "tex")
    sections = [section("table", one, printed, one) for one in report.tables]
    sections += [section("figure", one, ("csv", "svg", "pdf"), one) for one in report.figures]
    if table5 := samples_table(params, report.samples):
        body: dict[str, list[Sample]] = {}
        for sample in report.samples:
            body.setdefault(sample.direction, []).append(sample)
        sections.append(section("samples", table5, printed, body))
    if report.attention:
        sections.append(attention_section(params, report.attention, report.matrices))
    return sections


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
    names = own_name(params, "Figure 7", "attention of every system")
    return Section("attention", "attention", *names, names[1], caption, links, data)


def _points(panel: Panel) -> list[tuple[str, list[str]]]:
    """Return the y of every curve at each x, as texts."""
    curves = [{x: f"{y:.4g}" for x, y in zip(s.x, s.y, strict=True)} for s in panel.series]
    xs = sorted({x for curve in curves for x in curve})
    return [(f"{x:,g}", [curve.get(x, "") for curve in curves]) for x in xs]


def _run(params: Params, numbers: Numbers) -> list[str]:
    """Return the parts of the line about the run: text, models, time, machine, commit."""
    texts = [EncodedSets(Layout(params.experiment).encoded(family)) for family in params.families]
    pairs = {text.lines(params.sets.train) for text in texts}
    minutes = [line for line in numbers.lines if line.metric == "minutes" and line.model]
    spent = hours_of(sum(line.value or 0.0 for line in minutes))
    machines = (line.signature.split(",")[0] for line in minutes if line.signature)
    commits = (commit for line in minutes for commit in (line.commit or "").split(", "))
    return [
        f"{' or '.join(f'{count:,}' for count in sorted(pairs))} sentence pairs",
        _counted(len(params.models), "model"),
        *([_counted(len(params.ensembles), "ensemble")] if params.ensembles else []),
        f"{spent} of training on {_listed(machines)}",
        f"commit {_listed(commits)}",
    ]


def _listed(values: Iterable[str]) -> str:
    """Return each different value once, with commas between them."""
    return ", ".join(dict.fromkeys(values))


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _uses(params: Params, report: Report) -> list[str]:
    """Return the commands that use the best model, for a sentence of the test set."""
    way = params.main_direction
    sources = [s.texts["source"] for s in report.samples if s.direction == way]
    return uses(params.experiment, example_of(sources or ["A sentence."]))


def _commands(params: Params) -> list[str]:
    if params.experiment == DEMO:
        return ["make demo    # sets up, then makes this report", "make test"]
    return [f"snakemake -j2 --config experiment={params.experiment}"]
