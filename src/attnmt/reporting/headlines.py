"""The few numbers at the head of the report, each the paper's beside ours, found in the tables."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from attnmt.config import ALIGNER, Params
from attnmt.reporting.paper import Row, table_rows

TablesByName = dict[str, dict[str, Any]]  # the tables of tables.json
COMMON = "Base + reverse + dropout + "  # what all attentional systems of Table 1 share
AGREES = ("agrees", "same order")


@dataclass(frozen=True)
class Headline:
    """One number of ours, the system that it is of, and what the paper has in its place."""

    label: str
    ours: str
    system: str
    paper: str


@dataclass(frozen=True)
class _Found:
    """A row of a table of ours beside the published row that it stands for."""

    published: Row
    ours: float | None
    paper: float | None


def make_headlines(params: Params, tables: TablesByName) -> list[Headline]:
    """Return the headlines that the experiment's tables have the numbers for."""
    bleu, aer = _rows(params, tables, "table1", "bleu"), _rows(params, tables, "table6", "aer")
    singles = [found for found in bleu if found.published.model in params.models]
    ensembles = [found for found in bleu if found.published.model in params.ensembles]
    linked = [found for found in aer if found.published.model not in (None, ALIGNER)]
    made = [
        _best("Best single model of Table 1, BLEU", singles, max, 1),
        _best("Ensemble, BLEU", ensembles, max, 1),
        _attention_gain(params, singles),
        _best("Lowest alignment error rate", linked, min, 2),
        _verdicts(params, tables),
    ]
    return [headline for headline in made if headline is not None]


def _rows(params: Params, tables: TablesByName, name: str, metric: str) -> list[_Found]:
    if name not in tables:
        return []
    rows = {row["cells"]["system"]: row["sort"] for row in tables[name]["rows"]}
    return [
        _Found(row, rows[row.system].get(metric), row.number(metric))
        for row in table_rows(params, name)
        if row.system in rows
    ]


def _best(
    label: str, rows: Sequence[_Found], choose: Callable[..., _Found], digits: int
) -> Headline | None:
    measured = [found for found in rows if found.ours is not None]
    if not measured:
        return None
    ours = choose(measured, key=lambda found: found.ours)
    published = [found for found in rows if found.paper is not None]
    paper = choose(published, key=lambda found: found.paper) if published else None
    said = f"{paper.paper:.{digits}f}" if paper else "none"
    if paper and paper.published.system != ours.published.system:
        said += f", {short_system(paper.published.system)}"
    return Headline(label, f"{ours.ours:.{digits}f}", short_system(ours.published.system), said)


def _attention_gain(params: Params, singles: Sequence[_Found]) -> Headline | None:
    """Return by how much the best attention beats the best model without, unknown words as they are."""
    plain = [found for found in singles if not found.published.replaced]
    sides: dict[bool, list[_Found]] = {True: [], False: []}
    for found in plain:
        if found.ours is not None and found.paper is not None:
            sides[params.models[found.published.model or ""].attention != "none"].append(found)
    if not all(sides.values()):
        return None
    ours, paper = (
        max(getattr(f, side) for f in sides[True]) - max(getattr(f, side) for f in sides[False])
        for side in ("ours", "paper")
    )
    what = "best attention over best without, before unk replacement"
    return Headline("Gain by attention, BLEU", f"{ours:+.1f}", what, f"{paper:+.1f}")


def _verdicts(params: Params, tables: TablesByName) -> Headline | None:
    """Count the verdicts of the paper's own tables."""
    own = {row.system for name in tables for row in table_rows(params, name) if not row.source}
    words = Counter(
        row["cells"].get("verdict", "")
        for table in tables.values()
        if any(column["key"].startswith("paper_") for column in table["columns"])
        for row in table["rows"]
        if row["facts"].get("stage") != "lexicon"  # the aligner is no system of ours
        and row["cells"]["system"] not in own
    )
    words.pop("", None)
    if not words:
        return None
    agree = sum(words[word] for word in AGREES)
    others = [f"{count} {word}" for word, count in sorted(words.items()) if word not in AGREES]
    found = f"{agree} of {words.total()}"
    return Headline("Verdicts that agree", found, ", ".join(others) or "all", "")


def short_system(system: str) -> str:
    """Return a system's name without what all attentional ones of Table 1 share."""
    return system.removeprefix(COMMON)
