"""Which tables of scores there are, and which numbers each of them shows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from attnmt.config import Params
from attnmt.reporting.rows import (
    Row,
    aligned_rows,
    own_linked_rows,
    own_rows,
    paired_rows,
    scored_rows,
    table_rows,
)
from attnmt.scoring.numbers import Replacement


@dataclass(frozen=True)
class Measure:
    """A kind of number: what a heading calls it, and how ``scores.csv`` does."""

    heading: str
    metric: str
    script: str | None = None
    replacement: Replacement | None = None  # None where it depends on the row, or does not apply
    digits: int = 1  # the decimals that a reader sees
    interval: bool = True  # whether a table also shows its interval


OF_TRANSLATIONS = ("bleu", "chrf", "ter")  # the metrics that unknown words change
PPL = Measure("ppl", "ppl")
BLEU = Measure("BLEU", "bleu", "tokenized")
BLEU_UNK = Measure("BLEU after unk", "bleu", "tokenized", "after")
BLEU_BEFORE = replace(BLEU, replacement="before")
NIST = Measure("BLEU", "bleu", "nist")
AER = Measure("AER", "aer", digits=2)


@dataclass(frozen=True)
class Spec:
    """What a table of scores shows."""

    name: str  # the stem of its files
    title: str
    measures: tuple[Measure, ...] = (PPL, BLEU)  # its columns of numbers
    table: str | None = None  # its key in systems.yaml, if its rows are compared
    at: int = 0  # the index of its set among the aligned sets, or else among the test sets
    rows: Callable[[Params, str], list[Row]] = table_rows
    subject: str = ""  # words for the caption, such as what its systems have in common


def _published(name: str, *measures: Measure, subject: str = "") -> Spec:
    """Return a table of the paper, whose key in systems.yaml is that of its files."""
    title = name.replace("table", "Table ")
    return Spec(name, title, measures or (PPL, BLEU), name, subject=subject)


TABLE1 = _published(
    "table1", subject="All systems with attention reverse the source and use dropout."
)
TABLE6 = replace(
    _published(
        "table6",
        AER,
        Measure("same step", "aer_same", digits=2, interval=False),
        Measure("next step", "aer_next", digits=2, interval=False),
        subject="The column AER reads the step that the authors' program reads; both steps stand beside "
        "it.",
    ),
    rows=aligned_rows,
)
SCRIPTS = Spec(
    "table_scripts",
    "Ways of scoring",
    (
        Measure("multi-bleu", "bleu", "tokenized"),
        Measure("NIST v13a", "bleu", "nist"),
        Measure("NIST v13a before unk", "bleu", "nist", "before"),
        Measure("sacrebleu", "bleu", "sacrebleu"),
        Measure("chrF2", "chrf"),
        Measure("TER", "ter"),
    ),
    rows=scored_rows,
    subject="All columns score the same translations; “before unk” scores them unreplaced.",
)
OURS = (  # tables of our own, whose rows stand in systems.yaml
    Spec(
        "table_bpe",
        "Words against subwords",
        (BLEU_BEFORE, BLEU_UNK, AER),
        "table_bpe",
        rows=paired_rows,
        subject="The systems of a pair have the same settings, but one reads words and one subwords.",
    ),
    Spec(
        "table_faults",
        "Faults of the authors' program",
        (PPL, BLEU_BEFORE, BLEU_UNK, AER),
        "table_faults",
        rows=paired_rows,
        subject="Each system stands first without faults, and then with the faults named in brackets.",
    ),
    Spec(
        "table_decides",
        "What decides",
        (PPL, BLEU, BLEU_UNK, AER),
        "table_decides",
        rows=paired_rows,
        subject="The paper's rows change several things at once; here each step changes one.",
    ),
    Spec(
        "table_decides_back",
        "What decides in Table 3",
        (PPL, BLEU, BLEU_UNK),
        "table_decides_back",
        rows=paired_rows,
    ),
)
SPECS = (
    TABLE1,
    _published("table2", NIST),
    _published("table3"),
    _published(
        "table4",
        *(PPL, BLEU_BEFORE, BLEU_UNK),
        subject="The rows of concat have the additive score, as in the authors' program.",
    ),
    TABLE6,
    replace(_published("table_gru"), title="GRU table"),
    SCRIPTS,
    *OURS,
)
LINKS = replace(
    TABLE6,
    name="table_links",
    title="Links by attention",
    table=None,
    rows=own_linked_rows,
)


def specs_of(params: Params) -> list[Spec]:
    """Return the tables of scores, with Table 6 once for each aligned set.

    On one's own text, the paper's tables give way to tables of the experiment's own systems.
    """
    if not params.own_text:
        return [*SPECS, *_for_each(TABLE6, params.sets.aligned)[1:]]
    own_scripts = replace(SCRIPTS, rows=own_rows)
    linked = _for_each(LINKS, params.sets.aligned)
    return [*linked, *_for_each(own_scripts, params.sets.tests), *OURS]


def _for_each(spec: Spec, sets: Sequence[str]) -> list[Spec]:
    """Return a table once for each set, which has the name of its set unless that is the first."""
    others = [
        replace(spec, name=f"{spec.name}_{name}", title=f"{spec.title} on {name}", at=at)
        for at, name in enumerate(sets)
        if at
    ]
    return [spec, *others]
