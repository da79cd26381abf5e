"""Which tables of scores there are, and which numbers each of them shows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from attnmt.config import Params
from attnmt.reporting.own_text import on_own_text
from attnmt.reporting.rows import (
    Row,
    aligned_rows,
    deciding_rows,
    fault_rows,
    own_linked_rows,
    own_rows,
    scored_rows,
    subword_pairs,
    table_rows,
)
from attnmt.scoring.numbers import Line, Numbers, Replacement


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

    name: str  # the stem of its files, and its key in systems.yaml if its rows stand there
    title: str
    measures: tuple[Measure, ...] = (PPL, BLEU)  # its columns of numbers
    gain: Measure | None = BLEU  # the measure whose gain it shows
    base: Measure | None = None  # of the same row, if the gain does not count from another row
    at: int = 0  # the index of its set among the test sets, or of links among the aligned sets
    paper: str | None = None  # the key of the published table, if there is one
    rows: Callable[[Params, str], list[Row]] = table_rows
    subject: str = ""  # words for the caption, such as what its systems have in common

    @property
    def has_translations(self) -> bool:
        """Whether it shows scores of translations."""
        return any(measure.metric in OF_TRANSLATIONS for measure in self.measures)

    def set_of(self, params: Params, measure: Measure) -> str:
        """Return the set on which a measure is taken."""
        sets = params.sets.aligned if measure.metric.startswith("aer") else params.sets.tests
        return sets[self.at]

    def number(self, params: Params, numbers: Numbers, row: Row, measure: Measure) -> Line | None:
        """Return our number in a row."""
        replacement = measure.replacement
        if replacement is None and measure.metric in OF_TRANSLATIONS:
            replacement = "after" if row.replaced else "before"
        test = self.set_of(params, measure)
        return numbers.system(row.system, measure.metric, test, measure.script, replacement)

    def over(self, row: Row, rows: Mapping[str, Row]) -> Row | None:
        """Return the row from which the gain of a row counts, which is itself if there is a base."""
        return row if self.base else rows.get(row.over or "")


TABLE1 = Spec(
    "table1",
    "Table 1",
    paper="table1",
    subject="All systems with attention reverse the source and use dropout.",
)
TABLE6 = Spec(
    "table6",
    "Table 6",
    (
        AER,
        Measure("same step", "aer_same", digits=2, interval=False),
        Measure("next step", "aer_next", digits=2, interval=False),
    ),
    AER,
    paper="table6",
    rows=aligned_rows,
    subject="The column AER reads the step that the authors' program reads; both steps stand beside it.",
)
SPECS = (
    TABLE1,
    Spec("table2", "Table 2", (NIST,), NIST, at=-1, paper="table2"),
    Spec("table3", "Table 3", at=-1, paper="table3"),
    Spec(
        "table4",
        "Table 4",
        (PPL, BLEU_BEFORE, BLEU_UNK),
        BLEU_UNK,
        BLEU_BEFORE,
        paper="table4",
        subject="The rows of concat have the additive score, as in the authors' program.",
    ),
    TABLE6,
    Spec("table_gru", "GRU table", paper="table_gru"),
    Spec(
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
        None,
        rows=scored_rows,
        subject="All columns score the same translations; “before unk” scores them unreplaced.",
    ),
    Spec(
        "table_bpe",
        "Words against subwords",
        (BLEU_BEFORE, BLEU_UNK, AER),
        BLEU_UNK,
        rows=subword_pairs,
        subject="The systems of a pair have the same settings, but one reads words and one subwords.",
    ),
    Spec(
        "table_faults",
        "Faults of the authors' program",
        (PPL, BLEU_BEFORE, BLEU_UNK, AER),
        BLEU_UNK,
        rows=fault_rows,
        subject="Each system stands first without faults, and then with the faults named in brackets.",
    ),
    Spec(
        "table_decides",
        "What decides",
        (PPL, BLEU, BLEU_UNK, AER),
        rows=deciding_rows,
        subject="The paper's rows change several things at once; here each step changes one.",
    ),
    Spec(
        "table_decides_back",
        "What decides in Table 3",
        (PPL, BLEU, BLEU_UNK),
        at=-1,
        rows=deciding_rows,
    ),
)  # fmt: skip


def specs_of(params: Params) -> list[Spec]:
    """Return the tables of scores, with Table 6 once for each aligned set.

    On one's own text, the paper's tables give way to tables of the experiment's own systems.
    """
    if not on_own_text(params):
        return [*SPECS, *_for_each(TABLE6, params.sets.aligned)[1:]]
    links = replace(TABLE6, name="table_links", title="Links by attention", gain=None, paper=None)
    specs = _for_each(replace(links, rows=own_linked_rows), params.sets.aligned)
    for spec in SPECS:
        if spec.rows is scored_rows:
            specs += _for_each(replace(spec, rows=own_rows), params.sets.tests)
        elif spec.paper is None:
            specs.append(spec)
    return specs


def _for_each(spec: Spec, sets: Sequence[str]) -> list[Spec]:
    """Return a table once for each set, which has the name of its set unless that is the first."""
    others = [
        replace(spec, name=f"{spec.name}_{name}", title=f"{spec.title} on {name}", at=at)
        for at, name in enumerate(sets)
        if at
    ]
    return [spec, *others]
