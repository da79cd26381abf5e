"""What a table is, which tables of scores there are, and which numbers each of them shows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from attnmt.scoring.results import Script

Cell = str | int | float | None  # one cell of a CSV file; None is an empty one
# What a column says: which system, a number of ours, more about that number, or the paper's number.
ColumnRole = Literal["name", "ours", "detail", "paper"]


@dataclass(frozen=True)
class Column:
    """A column that a reader sees: its text row by row, and the numbers that sort it, if it has any."""

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
    """The title of a table or a figure, such as "Table 1, English-German, experiment demo".

    ``short`` names it in lists. ``about`` says more and may be empty.
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
    """The sentences below a title. The page always shows ``lead`` and folds ``rest``."""

    lead: str
    rest: str

    def __str__(self) -> str:
        """Return the whole caption."""
        return f"{self.lead} {self.rest}".strip()


@dataclass(frozen=True)
class Table:
    """One table of one experiment.

    Attributes:
        name: the stem of its files.
        caption: how to read it, and what its numbers are.
        columns: what a reader sees.
        rows: everything that is known of each row, by the CSV file's columns.
        keys: one key for each row, unique in the table: the key in systems.yaml or the name of a model.
    """

    name: str
    title: Title
    caption: Caption
    columns: list[Column]
    rows: list[dict[str, Cell]]
    keys: list[str]


@dataclass(frozen=True)
class Metric:
    """A kind of number.

    Attributes:
        digits: decimals in a CSV file.
        shown: decimals that a reader sees.
        interval: whether it has a bootstrap interval.
        script: how translations are scored; None if the table decides.
        replaced: whether unknown words are replaced first; None if the row decides.
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
        name: the stem of its files.
        metrics: its columns of numbers, as keys of METRICS.
        judged: the metric of the verdict, of the gain and of the difference from the paper's; None
            if nothing is judged.
        gain_from: the metric of the same row from which a gain counts; None if it counts from the
            row that ``over`` names.
        test: the index of its test set among the experiment's.
        aligned: the index of its aligned set among the experiment's.
        script: how BLEU is computed, ``tokenized`` or ``nist``.
        published: whether the rows have published numbers; otherwise the table is only ours.
        printed_as: the paper's table whose rows these are; None if it is ``name``.
        note: sentences for the caption.
        inside: whether intervals stand in brackets inside the cells; otherwise they have columns.
        questions: whether rows ask what their gain answers.
        readings: whether AER is shown for both readings of attention, with the diagonal's AER below.
    """

    name: str
    title: str
    metrics: tuple[str, ...] = ("ppl", "bleu")
    judged: str | None = "bleu"
    gain_from: str | None = None
    test: int = 0
    aligned: int = 0
    script: Script = "tokenized"
    published: bool = True
    printed_as: str | None = None
    note: str = ""
    inside: bool = False
    questions: bool = False
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

    @property
    def base_metric(self) -> str | None:
        """The metric that a gain counts from."""
        return self.gain_from or self.judged


ALIGNMENT = TableSpec("table6", "Table 6", metrics=("aer",), judged="aer", readings=True)
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
        note="All systems reverse the source and use dropout and input feeding. In place of the paper's "
        "concat we use the additive score, because the authors' program computes it under that name.",
    ),
    ALIGNMENT,
    TableSpec("table_gru", "GRU table"),
)


def other_alignments(aligned: Sequence[str]) -> list[TableSpec]:
    """Return Table 6 for each aligned set of an experiment after the first."""
    return [
        replace(
            ALIGNMENT,
            name=f"{ALIGNMENT.name}_{name}",
            title=f"{ALIGNMENT.title} on {name}",
            printed_as=ALIGNMENT.name,
            aligned=at,
        )
        for at, name in enumerate(aligned)
        if at
    ]


SCORINGS = TableSpec(
    "table_scripts",
    "Ways of scoring",
    metrics=("tokenized", "nist", "nist_unreplaced", "sacrebleu", "chrf", "ter"),
    judged=None,
    published=False,
    inside=True,
    note="multi-bleu is BLEU on tokens, as in the paper's Tables 1, 3 and 4. NIST v13a is BLEU "
    "on detokenized text, as mteval-v13a computes it and as in the paper's Table 2. The column "
    "“sacrebleu” has sacrebleu's default BLEU. chrF2 is an F-score of characters. TER is the number of "
    "edits per 100 reference words, so lower is better. The last three compare detokenized text with "
    "the raw reference. "
    "Where the raw text is tokens, or the family reads other text, they compare it with the detokenized "
    "reference. At the time of the paper the authors' program gave NIST's script the file before "
    "unknown-word replacement. The score of such a file is in the column “NIST v13a before unk”.",
)

SUBWORDS = TableSpec(
    "table_bpe",
    "Words against subwords",
    metrics=("bleu", "bleu_unk", "aer"),
    judged="bleu_unk",
    published=False,
    note="The two systems of a pair differ only in their units, which are words or subwords, and in the "
    "vocabulary of these units. Perplexity is left out, because perplexities over different units "
    "cannot be compared. A word has the links of all its pieces.",
)

FAULTS = TableSpec(
    "table_faults",
    "Faults of the authors' program",
    metrics=("ppl", "bleu", "bleu_unk", "aer"),
    judged="bleu_unk",
    published=False,
    note="Each system is shown without faults first, and then with faults that the authors' program had "
    "while the paper's models were trained. With general_gradient, the general score passes a wrong "
    "gradient to the source states. With position_gradient, the position of local-p gets half its "
    "gradient. With unmasked_padding, padding takes part in attention.",
)

DECIDES = (
    TableSpec(
        "table_decides",
        "What decides",
        metrics=("ppl", "bleu", "bleu_unk", "aer"),
        published=False,
        questions=True,
        note="The paper did not train all of these systems. Most steps between its own rows change "
        "several things at once, and here each step changes one. The printed concat is "
        "v_a . tanh(W_a [h_t; h_s]) as in the paper's equation; additive is what the authors' program "
        "computes under that name. The wrong gradient is the fault general_gradient of that program.",
    ),
    TableSpec(
        "table_decides_back",
        "What decides in Table 3",
        metrics=("ppl", "bleu", "bleu_unk"),
        test=-1,
        published=False,
        questions=True,
    ),
)
