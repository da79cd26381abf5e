"""The few numbers at the head of the report, taken from its tables.

The best model is the one that the development set chooses. MLflow and the server choose the same one.
The paper's numbers stand beside ours only where both were measured on the paper's text.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from attnmt.config import Params
from attnmt.reporting.claims_table import NAME, NOT_TESTED
from attnmt.reporting.columns import LINK_STEPS, short_system
from attnmt.reporting.paper import Row, table_rows
from attnmt.reporting.tables_file import ShownTable
from attnmt.training.best_model import ranked_models

TablesByName = Mapping[str, ShownTable]
CHOSEN = "best on the development set"


@dataclass(frozen=True)
class Headline:
    """One number or word of ours, the system that it is about, and a note."""

    label: str
    ours: str
    system: str
    note: str


@dataclass(frozen=True)
class _Measured:
    """A row of systems.yaml, and our number in its place."""

    row: Row
    ours: float


def make_headlines(params: Params, tables: TablesByName, papers_text: bool) -> list[Headline]:
    """Return the headlines whose numbers the experiment's tables have.

    Args:
        papers_text: whether our numbers were measured on the paper's own text.

    Raises:
        InputError: if the metrics of a training are damaged.
    """
    ranked = ranked_models(params)
    attentional = [name for name in ranked if params.attends(name)]
    bleu = _measured(params, tables, "table1", "bleu")
    aer = _measured(params, tables, "table6", "aer")
    headlines = [
        _last("Best model, BLEU", _of(bleu, ranked[:1]), "bleu", papers_text, CHOSEN),
        _last("Ensemble, BLEU", _of(bleu, params.ensembles), "bleu", papers_text),
        _attention_gain(params, ranked, bleu),
        _error_rate(tables, _of(aer, attentional[:1]), papers_text),
        _claims(tables),
    ]
    return [headline for headline in headlines if headline is not None]


def _measured(params: Params, tables: TablesByName, name: str, metric: str) -> list[_Measured]:
    """Return the rows of a table in which we have a number."""
    if name not in tables:
        return []
    numbers = {shown.key: shown.sort.get(metric) for shown in tables[name].rows}
    return [
        _Measured(row, ours)
        for row in table_rows(params, name)
        if (ours := numbers.get(row.key)) is not None
    ]


def _of(measured: Iterable[_Measured], names: Iterable[str]) -> list[_Measured]:
    """Return the rows of the systems with these names."""
    models = set(names)
    return [pair for pair in measured if pair.row.model in models]


def _last(
    label: str, measured: list[_Measured], metric: str, papers_text: bool, why: str = ""
) -> Headline | None:
    """Return a system's last number. In Table 1 it is the one after unknown words are replaced.

    ``why`` says why this system was chosen.
    """
    if not measured:
        return None
    row, digits = measured[-1].row, 1 if metric == "bleu" else 2
    notes = [f"{row.model}, {why}"] if why else []
    paper = row.number(metric)
    if papers_text and paper is not None:
        notes.append(f"paper {paper:.{digits}f}")
    ours = f"{measured[-1].ours:.{digits}f}"
    return Headline(label, ours, short_system(row.system), "; ".join(notes))


def _error_rate(
    tables: TablesByName, measured: list[_Measured], papers_text: bool
) -> Headline | None:
    """Return the error rate at the authors' step; the note has the rate at the other step."""
    headline = _last("Alignment error rate", measured, "aer", papers_text, CHOSEN)
    if headline is None:
        return None
    (row,) = (row for row in tables["table6"].rows if row.key == measured[-1].row.key)
    rates = [row.sort.get(f"aer_{step}") for step in LINK_STEPS]
    others = [rate for rate in rates if rate is not None and rate != measured[-1].ours]
    if not others:
        return headline
    note = f"{headline.note}; {others[0]:.2f} where the other step of the decoder is read"
    return replace(headline, note=note)


def _attention_gain(params: Params, ranked: list[str], bleu: list[_Measured]) -> Headline | None:
    """Compare the best model with attention and the best one without, before unk replacement."""
    unreplaced = [pair for pair in bleu if not pair.row.replaced]
    sides = []
    for attends in (True, False):
        best = [name for name in ranked if params.attends(name) == attends][:1]
        sides += _of(unreplaced, best)[:1]
    if len(sides) < 2:
        return None
    gain = f"{sides[0].ours - sides[1].ours:+.1f}"
    systems = f"{sides[0].row.model} against {sides[1].row.model}, before unk replacement"
    return Headline("Gain by attention, BLEU", gain, systems, "")


def _claims(tables: TablesByName) -> Headline | None:
    """Count the verdicts on the claims."""
    rows = tables[NAME].rows if NAME in tables else []
    verdicts = Counter(row.cells["verdict"] for row in rows)
    tested = [f"{verdicts[word]} {word}" for word in ("refuted", "undecided")]
    untested = f"{verdicts[NOT_TESTED]} {NOT_TESTED}" if verdicts[NOT_TESTED] else ""
    count = verdicts.total() - verdicts[NOT_TESTED]
    if not count:
        return None
    confirmed = f"{verdicts['confirmed']} of {count}"
    return Headline("Claims confirmed", confirmed, ", ".join(tested), untested)
