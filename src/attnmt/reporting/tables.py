"""Which tables there are, and which columns each of them has."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    """A kind of number: the column's heading, the decimals in a CSV file and those shown."""

    heading: str
    digits: int
    shown: int
    interval: str = ""  # the heading of its bootstrap interval's column


METRICS = {
    "ppl": Metric("ppl", digits=2, shown=1),
    "bleu": Metric("BLEU", digits=2, shown=1, interval="95% interval"),
    "bleu_unk": Metric("BLEU after unk", digits=2, shown=1, interval="interval after unk"),
    "aer": Metric("AER", digits=4, shown=2),
}


@dataclass(frozen=True)
class TableSpec:
    """What a table shows, and what its verdict is about.

    Attributes:
        name: of its files.
        title: in captions, and in ``published/tables.csv``.
        metrics: its columns of numbers, keys of METRICS.
        judged: the metric of the verdict, of the gain and of the difference from the paper's.
        gain_over: the metric of the same row from which a gain counts; None: the row above's.
        test: which of the profile's test sets, by index.
        script: the BLEU of ``tokenised`` or of ``nist``.
        published: whether the rows have published numbers; else the table is ours alone.
        note: sentences for the caption.
    """

    name: str
    title: str
    metrics: tuple[str, ...] = ("ppl", "bleu")
    judged: str = "bleu"
    gain_over: str | None = None
    test: int = 0
    script: str = "tokenised"
    published: bool = True
    note: str = ""

    @property
    def has_bleu(self) -> bool:
        """Whether the table shows translations' scores."""
        return "bleu" in self.metrics

    @property
    def has_aer(self) -> bool:
        """Whether the table shows alignment error rates."""
        return "aer" in self.metrics


PUBLISHED = (
    TableSpec("table1", "Table 1"),
    TableSpec("table2", "Table 2", metrics=("bleu",), test=-1, script="nist"),
    TableSpec("table3", "Table 3", test=-1),
    TableSpec(
        "table4",
        "Table 4",
        metrics=("ppl", "bleu", "bleu_unk"),
        judged="bleu_unk",
        gain_over="bleu",
        note="All with reversed source, dropout and input feeding. Beside the paper's concat stands "
        "the additive score, which the authors' program computes under that name.",
    ),
    TableSpec("table6", "Table 6", metrics=("aer",), judged="aer"),
    TableSpec("table_gru", "GRU table"),
)

SUBWORDS = TableSpec(
    "table_bpe",
    "Words against subwords",
    metrics=("bleu", "bleu_unk", "aer"),
    judged="bleu_unk",
    published=False,
    note="The two models of a pair differ in nothing but the units that they read and write. "
    "Perplexity is one of units, so it does not compare between the two and is left out. A word's "
    "links are those of all its pieces, so a word has one link and a word of pieces may have more.",
)
