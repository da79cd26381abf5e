"""Which tables of scores there are, and which numbers each of them shows."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from attnmt.config import DIAGONAL, Params
from attnmt.reporting.own_text import on_own_text
from attnmt.reporting.rows import (
    Row,
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
    """A kind of number: what a heading calls it, and how ``scores.csv`` does.

    ``replacement`` is None where it depends on the row, or does not apply. ``digits`` are the decimals
    that a reader sees, and ``interval`` says whether a table also shows its interval.
    """

    heading: str
    metric: str
    script: str | None = None
    replacement: Replacement | None = None
    digits: int = 1
    interval: bool = True


OF_TRANSLATIONS = ("bleu", "chrf", "ter")  # the metrics that unknown words change
PPL = Measure("ppl", "ppl")
BLEU = Measure("BLEU", "bleu", "tokenized")
BLEU_UNK = Measure("BLEU after unk", "bleu", "tokenized", "after")
BLEU_BEFORE = replace(BLEU, replacement="before")
NIST = Measure("BLEU", "bleu", "nist")
AER = Measure("AER", "aer", digits=2)


@dataclass(frozen=True)
class Spec:
    """What a table of scores shows.

    Attributes:
        name: the stem of its files, and its key in systems.yaml if its rows stand there.
        measures: its columns of numbers.
        gain: the measure whose gain it shows; None if it shows none.
        base: the measure of the same row from which a gain counts; None if it counts from another row.
        test: the index of its test set among the experiment's.
        aligned: the index of its aligned set among the experiment's.
        paper: the key of the published table; None if the paper has no such table.
        rows: returns its rows.
        subject: words for the caption, such as what its systems have in common.
    """

    name: str
    title: str
    measures: tuple[Measure, ...] = (PPL, BLEU)
    gain: Measure | None = BLEU
    base: Measure | None = None
    test: int = 0
    aligned: int = 0
    paper: str | None = None
    rows: Callable[[Params, str], list[Row]] = table_rows
    subject: str = ""

    @property
    def has_translations(self) -> bool:
        """Whether it shows scores of translations."""
        return any(measure.metric in OF_TRANSLATIONS for measure in self.measures)

    def set_of(self, params: Params, measure: Measure) -> str:
        """Return the set on which a measure is taken."""
        is_aer = measure.metric.startswith("aer")
        return params.sets.aligned[self.aligned] if is_aer else params.sets.tests[self.test]

    def number(self, params: Params, numbers: Numbers, row: Row, measure: Measure) -> Line | None:
        """Return our number in a row."""
        replacement = measure.replacement
        if replacement is None and measure.metric in OF_TRANSLATIONS:
            replacement = "after" if row.replaced else "before"
        test = self.set_of(params, measure)
        return numbers.system(row.system, measure.metric, test, measure.script, replacement)


def _aligned_rows(params: Params, _: str) -> list[Row]:
    """Return the rows of Table 6, and the diagonal below them."""
    return [*table_rows(params, "table6"), Row(DIAGONAL, "diagonal, no model", DIAGONAL)]


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
    rows=_aligned_rows,
    subject="The column AER reads the step that the authors' program reads; both steps stand beside it.",
)
SPECS = (
    TABLE1,
    Spec("table2", "Table 2", (NIST,), NIST, test=-1, paper="table2"),
    Spec("table3", "Table 3", test=-1, paper="table3"),
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
        test=-1,
        rows=deciding_rows,
    ),
)  # fmt: skip


def specs_of(params: Params) -> list[Spec]:
    """Return the tables of scores, with Table 6 once for each aligned set.

    On one's own text, the paper's tables give way to tables of the experiment's own systems.
    """
    if on_own_text(params):
        return _own_specs(params)
    others = [
        replace(TABLE6, name=f"table6_{name}", title=f"Table 6 on {name}", aligned=at)
        for at, name in enumerate(params.sets.aligned)
        if at
    ]
    return [*SPECS, *others]


def _own_specs(params: Params) -> list[Spec]:
    """Return the tables of scores on one's own text, two of them once for each set."""
    links = replace(TABLE6, name="table_links", title="Links by attention", gain=None, paper=None)
    links = replace(links, rows=own_linked_rows)
    specs = [
        replace(_on(links, name, at), aligned=at) for at, name in enumerate(params.sets.aligned)
    ]
    for spec in SPECS:
        if spec.rows is scored_rows:
            own = replace(spec, rows=own_rows)
            specs += [
                replace(_on(own, name, at), test=at) for at, name in enumerate(params.sets.tests)
            ]
        elif spec.paper is None:
            specs.append(spec)
    return specs


def _on(spec: Spec, name: str, at: int) -> Spec:
    """Return a table named after a set, unless it is the first set."""
    named = replace(spec, name=f"{spec.name}_{name}", title=f"{spec.title} on {name}")
    return named if at else spec
