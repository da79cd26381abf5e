"""What a table is; which tables of translations' scores there are, and the columns of each."""

from dataclasses import dataclass
from typing import Literal

from attnmt.scoring.results import Script

Cell = str | int | float | None  # of a CSV file; None is an empty one
# What a column says: which system, a number of ours, more about that number, or the paper's number.
ColumnRole = Literal["name", "ours", "detail", "paper"]


@dataclass(frozen=True)
class Column:
    """A column that a reader sees: its text row by row, and the numbers that sort it, if any do."""

    key: str
    heading: str
    cells: list[str]
    sort: list[float | None] | None = None
    role: ColumnRole = "ours"

    @property
    def numeric(self) -> bool:
        """Whether it is a column of numbers."""
        return self.sort is not None


@dataclass(frozen=True)
class Title:
    """The title of a table or a figure, as "Table 1, English-German, experiment demo".

    ``short`` names it in lists, ``about`` says more, if there is more to say.
    """

    short: str
    about: str
    experiment: str

    def __str__(self) -> str:
        """Return the whole title."""
        return ", ".join(
            part for part in (self.short, self.about, f"experiment {self.experiment}") if part
        )


@dataclass(frozen=True)
class Caption:
    """The sentences below a title: ``lead`` always stands open, the page folds ``rest``."""

    lead: str
    rest: str

    def __str__(self) -> str:
        """Return the whole caption."""
        return f"{self.lead} {self.rest}".strip()


@dataclass(frozen=True)
class Table:
    """One table of one experiment.

    Attributes:
        name: of its files.
        title: what it is of.
        caption: how to read it, and what its numbers are.
        columns: what a reader sees.
        rows: everything that is known of each row, by the CSV file's columns.
    """

    name: str
    title: Title
    caption: Caption
    columns: list[Column]
    rows: list[dict[str, Cell]]


@dataclass(frozen=True)
class Metric:
    """A kind of number.

    Attributes:
        heading: of its column.
        digits: decimals in a CSV file.
        shown: decimals that a reader sees.
        interval: whether it has a bootstrap interval.
        script: which of the scores of a translation it is; None: the table's.
        replaced: whether unknown words are replaced before; None: as the row says.
    """

    heading: str
    digits: int = 2
    shown: int = 1
    interval: bool = True
    script: Script | None = None
    replaced: bool | None = None


METRICS = {
    "ppl": Metric("ppl", interval=False),
    "bleu": Metric("BLEU"),
    "bleu_unk": Metric("BLEU after unk", replaced=True),
    "aer": Metric("AER", digits=4, shown=2),
    "tokenized": Metric("multi-bleu", script="tokenized"),
    "nist": Metric("NIST v13a", script="nist"),
    "nist_unreplaced": Metric("NIST v13a before unk", script="nist", replaced=False),
    "sacrebleu": Metric("sacrebleu", script="sacrebleu"),
    "chrf": Metric("chrF2", script="chrf"),
    "ter": Metric("TER", script="ter"),
}


@dataclass(frozen=True)
class TableSpec:
    """What a table of scores shows, and what its verdict is about.

    Attributes:
        name: of its files.
        title: in captions.
        metrics: its columns of numbers, keys of METRICS.
        judged: the metric of the verdict, of the gain and of the difference from the paper's; None:
            nothing is judged.
        gain_from: the metric of the same row from which a gain counts; None: it counts from the row
            that the row names.
        test: which of the experiment's test sets, by index.
        script: how BLEU is computed, ``tokenized`` or ``nist``.
        published: whether the rows have published numbers; else the table is ours alone.
        note: sentences for the caption.
        inside: whether intervals stand in brackets inside the cells; else they have columns.
        readings: whether AER is shown by both readings of attention, and the diagonal's below.
    """

    name: str
    title: str
    metrics: tuple[str, ...] = ("ppl", "bleu")
    judged: str | None = "bleu"
    gain_from: str | None = None
    test: int = 0
    script: Script = "tokenized"
    published: bool = True
    note: str = ""
    inside: bool = False
    readings: bool = False

    @property
    def scripts(self) -> dict[Script, str]:
        """The scripts of its numbers, each with the CSV column of its signature."""
        used = [self.script_of(metric) for metric in self.metrics if metric not in ("ppl", "aer")]
        names = list(dict.fromkeys(used))
        return {name: "signature" if len(names) == 1 else f"{name}_signature" for name in names}

    @property
    def has_bleu(self) -> bool:
        """Whether the table shows translations' scores."""
        return bool(self.scripts)

    @property
    def has_aer(self) -> bool:
        """Whether the table shows alignment error rates."""
        return "aer" in self.metrics

    def script_of(self, metric: str) -> Script:
        """Return how a score of translations is computed."""
        return METRICS[metric].script or self.script

    def base_metric(self) -> str | None:
        """Return the metric that a gain counts from."""
        return self.gain_from or self.judged


PUBLISHED = (
    TableSpec("table1", "Table 1"),
    TableSpec("table2", "Table 2", metrics=("bleu",), test=-1, script="nist"),
    TableSpec("table3", "Table 3", test=-1),
    TableSpec(
        "table4",
        "Table 4",
        metrics=("ppl", "bleu", "bleu_unk"),
        judged="bleu_unk",
        gain_from="bleu",
        note="All with reversed source, dropout and input feeding. For the paper's concat stands the "
        "additive score, which the authors' program computes under that name.",
    ),
    TableSpec("table6", "Table 6", metrics=("aer",), judged="aer", readings=True),
    TableSpec("table_gru", "GRU table"),
)

SCORINGS = TableSpec(
    "table_scripts",
    "Ways of scoring",
    metrics=("tokenized", "nist", "nist_unreplaced", "sacrebleu", "chrf", "ter"),
    judged=None,
    published=False,
    inside=True,
    note="multi-bleu is BLEU on Moses tokens, as in the paper's Tables 1, 3 and 4; NIST v13a is BLEU "
    "as mteval-v13a has it, on detokenized text, as in Table 2; sacrebleu is its default BLEU, chrF2 an "
    "F-score of characters, TER the edits per 100 reference words (less is better), all three on "
    "detokenized text against the raw reference, or the detokenized one where the raw text is tokens or "
    "the family reads other text. At the time of the paper the authors' program gave NIST's script the "
    "file before unknown-word replacement: a row with replacement then scores NIST v13a before unk.",
)

SUBWORDS = TableSpec(
    "table_bpe",
    "Words against subwords",
    metrics=("bleu", "bleu_unk", "aer"),
    judged="bleu_unk",
    published=False,
    note="A pair differs in its units and their vocabulary alone. Perplexity is one of units and left "
    "out, since it does not compare. A word's links are those of all its pieces.",
)

FAULTS = TableSpec(
    "table_faults",
    "Faults of the authors' program",
    metrics=("ppl", "bleu", "bleu_unk", "aer"),
    judged="bleu_unk",
    published=False,
    note="Each system trained right, then with faults that the authors' program had while the "
    "paper's models were trained: general_gradient, the general score's gradient for the source "
    "states; position_gradient, half the gradient of local-p's position; unmasked_padding, padding "
    "that takes part in attention.",
)
