"""The few numbers at the head of the report, taken from its tables.

The best model is the one that the development set chooses, as in MLflow and in the served model. The
paper's numbers stand beside ours only where both were measured on the paper's text.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from attnmt.config import Params
from attnmt.decoding.best import ranked_models
from attnmt.reporting.columns import short_system
from attnmt.reporting.paper import Row, table_rows
from attnmt.reporting.tables_file import ShownRow, ShownTable

TablesByName = Mapping[str, ShownTable]
AGREES = ("agrees", "same order")
CHOSEN = "best on the development set"


@dataclass(frozen=True)
class Headline:
    """One number of ours, or a word in its place, the system that it is of, and a note."""

    label: str
    ours: str
    system: str
    note: str


@dataclass(frozen=True)
class _Measured:
    """A published row of a table, and our number in its place."""

    published: Row
    ours: float


def make_headlines(params: Params, tables: TablesByName, papers_text: bool) -> list[Headline]:
    """Return the headlines that the experiment's tables have the numbers for.

    Args:
        params: of the experiment.
        tables: by name.
        papers_text: whether ours were measured on the paper's own text.

    Raises:
        InputError: if the metrics of a training are damaged.
    """
    ranked = ranked_models(params)
    attentional = [name for name in ranked if params.attends(name)]
    bleu, aer = (
        _measured(params, tables, "table1", "bleu"),
        _measured(params, tables, "table6", "aer"),
    )
    headlines = [
        _last("Best model, BLEU", _of(bleu, ranked[:1]), "bleu", papers_text, CHOSEN),
        _last("Ensemble, BLEU", _of(bleu, params.ensembles), "bleu", papers_text),
        _attention_gain(params, ranked, bleu),
        _last("Alignment error rate", _of(aer, attentional[:1]), "aer", papers_text, CHOSEN),
        _verdicts(params, tables),
    ]
    return [headline for headline in headlines if headline is not None]


def _measured(params: Params, tables: TablesByName, name: str, metric: str) -> list[_Measured]:
    """Return the rows of a published table in which we have a number."""
    if name not in tables:
        return []
    numbers = {row.cells["system"]: row.sort.get(metric) for row in tables[name].rows}
    return [
        _Measured(row, ours)
        for row in table_rows(params, name)
        if (ours := numbers.get(row.system)) is not None
    ]


def _of(rows: Iterable[_Measured], names: Iterable[str]) -> list[_Measured]:
    """Return the rows of the systems of these names."""
    wanted = set(names)
    return [row for row in rows if row.published.model in wanted]


def _last(
    label: str, rows: list[_Measured], metric: str, papers_text: bool, why: str = ""
) -> Headline | None:
    """Return the last number of a system, which in Table 1 is that with unknown words replaced.

    ``why`` says why this system was taken.
    """
    if not rows:
        return None
    row, digits = rows[-1].published, 1 if metric == "bleu" else 2
    notes = [f"{row.model}, {why}"] if why else []
    paper = row.number(metric)
    if papers_text and paper is not None:
        notes.append(f"paper {paper:.{digits}f}")
    return Headline(
        label, f"{rows[-1].ours:.{digits}f}", short_system(row.system), "; ".join(notes)
    )


def _attention_gain(params: Params, ranked: list[str], bleu: list[_Measured]) -> Headline | None:
    """Say whether the best model with attention beats the best without, unknown words as they are."""
    plain = [row for row in bleu if not row.published.replaced]
    sides = []
    for attends in (True, False):
        best = [name for name in ranked if params.attends(name) == attends][:1]
        sides += _of(plain, best)[:1]
    if len(sides) < 2:
        return None
    ours = sides[0].ours - sides[1].ours
    numbers = [side.published.number("bleu") for side in sides]
    note = ""
    if numbers[0] is not None and numbers[1] is not None:
        agrees = (ours > 0) == (numbers[0] > numbers[1])
        note = "as in the paper" if agrees else "other than in the paper"
    what = f"{sides[0].published.model} against {sides[1].published.model}, before unk replacement"
    return Headline("BLEU with attention", "higher" if ours > 0 else "lower", what, note)


def _verdicts(params: Params, tables: TablesByName) -> Headline | None:
    """Count the verdicts of the paper's own tables."""
    own = {row.system for name in tables for row in table_rows(params, name) if not row.source}
    words = Counter(
        row.cells.get("verdict", "")
        for table in tables.values()
        if table.papers
        for row in _systems(table)
        if row.cells["system"] not in own
    )
    words.pop("", None)
    if not words:
        return None
    agree = sum(words[word] for word in AGREES)
    others = [f"{count} {word}" for word, count in sorted(words.items()) if word not in AGREES]
    return Headline(
        "Verdicts that agree", f"{agree} of {words.total()}", ", ".join(others) or "all", ""
    )


def _systems(table: ShownTable) -> list[ShownRow]:
    """Return the rows of a table's systems; the outside aligner is not one of ours."""
    return [row for row in table.rows if row.facts.get("stage") != "dictionary"]
