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
AER_CHOSEN = Measure("AER, chosen step", "aer_chosen", digits=2)
AER_STEPS = tuple(
    Measure(f"AER, {step} step", f"aer_{step}", digits=2, interval=False)
    for step in ("same", "next")
)
LINKS_READ = (AER_CHOSEN, *AER_STEPS)  # no error rate stands without the one at the other step


@dataclass(frozen=True)
class Spec:
    """What a table of scores shows."""

    table: str  # its key in systems.yaml, if its rows are compared
    title: str
    measures: tuple[Measure, ...] = (PPL, BLEU)  # its columns of numbers
    about: str = ""  # beside its title
    subject: str = ""  # words for the caption, such as what its systems have in common
    rows: Callable[[Params, str], list[Row]] = table_rows
    at: int = 0  # the index of its set among the aligned sets, or else among the test sets
    end: str = ""  # of the names of its files, if it is not on the first set

    @property
    def name(self) -> str:
        """The stem of its files."""
        return self.table + self.end


TABLE1 = Spec(
    "table1",
    "Table 1",
    about="one change after another",
    subject="All systems with attention reverse the source and use dropout.",
)
TABLE6 = Spec("table6", "Table 6", LINKS_READ, about="links of words", rows=aligned_rows)
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
    subject="All columns score the same translations; “before unk” scores them unreplaced. Script 13a, "
    "which sacrebleu has, too, counts an unreplaced <unk> as three tokens.",
    rows=scored_rows,
)
OURS = (  # tables of our own, whose rows stand in systems.yaml
    Spec(
        "table_bpe",
        "Words against subwords",
        (BLEU_BEFORE, BLEU_UNK, *LINKS_READ),
        subject="The two of a pair have the same settings.",
        rows=paired_rows,
    ),
    Spec(
        "table_faults",
        "Faults of the authors' program",
        (PPL, BLEU_BEFORE, BLEU_UNK, *LINKS_READ),
        subject="In brackets stand the faults of a system.",
        rows=paired_rows,
    ),
    Spec(
        "table_decides",
        "What decides",
        (PPL, BLEU, BLEU_UNK, *LINKS_READ),
        subject="The paper's rows change several things at once; here each step changes one.",
        rows=paired_rows,
    ),
    Spec(
        "table_decides_back",
        "What decides in Table 3",
        (PPL, BLEU, BLEU_UNK),
        rows=paired_rows,
    ),
)
SPECS = (
    TABLE1,
    Spec("table2", "Table 2", (BLEU,), about="NIST's BLEU"),
    Spec("table3", "Table 3", about="the way back"),
    Spec(
        "table4",
        "Table 4",
        (PPL, BLEU_BEFORE, BLEU_UNK),
        about="kinds of attention and scores",
        subject="The rows of concat have the additive score, as in the authors' program.",
    ),
    TABLE6,
    Spec(
        "table_gru",
        "GRU table",
        about="attention in a GRU",
        subject="The columns “paper” have the numbers of a course report.",
    ),
    SCRIPTS,
    *OURS,
)
LINKS = replace(
    TABLE6, table="table_links", title="Links by attention", about="", rows=own_linked_rows
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
        replace(spec, end=f"_{name}", title=f"{spec.title} on {name}", at=at)
        for at, name in enumerate(sets)
        if at
    ]
    return [spec, *others]
