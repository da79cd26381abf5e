"""``scores.csv``: every score, gain and cost of an experiment, ours and the paper's, one a line.

Whoever shows a number takes it from here: the tables, the page, ``dvc metrics``, MLflow, README's table.
pandas reads the file in one call, and docs/report.md has examples.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field

from attnmt.config import ALIGNER, CONSTANT, DIAGONAL, Direction, Params
from attnmt.errors import InputError
from attnmt.files.csv_file import CsvLine, read_csv, write_csv
from attnmt.layout import Layout

Replacement = Literal["before", "after"]
OURS = "ours"
AGAIN = "run the stage gather again"
BASELINES = (ALIGNER, CONSTANT, DIAGONAL)  # what has scores and is no model
DIGITS = 6  # decimals of a perplexity or a rate that are kept
SHA_DIGITS = 12  # digits of a SHA-256 that are kept


class ScoreKey(NamedTuple):
    """What a number of a system or of a training is found by."""

    system: str | None
    metric: str
    set: str | None = None
    script: str | None = None
    replacement: str | None = None


class ScoreRow(CsvLine):
    """One number, and where it comes from. A field is None where it does not apply."""

    source: str = OURS  # or where the number was published
    # training: of one of a system's trainings, or of one of its ensembles of trainings
    # system:   of a system: the mean over its trainings, or its only training, which `model` then names
    # gain:     of a system over another, or of replacing its unknown words
    kind: Literal["training", "system", "gain"]
    row: str | None = None  # the table and the row of a published number, as table1/base
    system: str | None = None  # as in systems.yaml, or one of BASELINES
    model: str | None = None  # the training or the ensemble; from its second seed on, as in base_2
    seed: int | None = None
    trainings: int | None = None  # how many are behind the number
    family: str | None = None
    direction: Direction | None = None
    set: str | None = None
    lines: int | None = None  # sentences of the set
    max_words: int | None = None  # for a group of sentences: the words of its longest reference
    # bleu, chrf, ter; ppl (perplexity); aer; counts of unknown words; jumps of the development cost, and
    # late_fall, by how many percent it fell in the last tenth of the steps; what a training cost
    metric: str
    script: str | None = None  # of bleu: tokenized, lowercased, nist or sacrebleu
    replacement: Replacement | None = None  # before or after unknown words are replaced
    value: float | None = None  # BLEU, chrF2 and TER in percent; AER in [0, 1]
    low: float | None = None  # the bounds of the 95% interval
    high: float | None = None
    sd: float | None = Field(default=None, ge=0)  # the standard deviation between trainings
    over: str | None = None  # of a gain: the other system
    over_replacement: Replacement | None = None  # and whether its unknown words were replaced
    p: float | None = Field(default=None, ge=0, le=1)  # of a gain, two-sided
    # of a gain between systems of several seeds: its standard error, and the degrees of freedom
    error: float | None = Field(default=None, ge=0)
    freedom: float | None = Field(default=None, gt=0)
    search: str | None = None  # the beam, and what of the search is not as in the paper
    signature: str | None = None  # how the number was measured
    reference: str | None = None  # the first digits of the SHA-256 of what it was measured against
    data: str | None = None  # the same of the encoded data that the system read
    note: str | None = None  # what was printed in place of a number, or what else must be known

    @property
    def key(self) -> ScoreKey:
        """What the number is found by."""
        return ScoreKey(self.system, self.metric, self.set, self.script, self.replacement)

    @property
    def links(self) -> str:
        """Whose links an error rate counts: gold ones, or silver ones of the outside aligner."""
        return "silver" if "silver links" in (self.note or "") else "gold"


class ScoreTable:
    """The lines of ``scores.csv``, looked up by system, metric and set."""

    def __init__(self, lines: Iterable[ScoreRow]) -> None:
        """Keep the lines in their order."""
        self.lines = list(lines)
        self._systems: dict[ScoreKey, ScoreRow] = {}
        self._trainings: dict[ScoreKey, ScoreRow] = {}
        self._gains: dict[tuple[str | None, str | None, ScoreKey], ScoreRow] = {}
        self._constant: dict[tuple[str | None, str | None], ScoreRow] = {}
        self._paper: dict[tuple[str | None, str, str, str | None], ScoreRow] = {}
        for line in self.lines:
            if line.source != OURS:
                self._paper[line.row, line.kind, line.metric, line.replacement] = line
            elif line.kind == "gain":
                self._gains[line.over, line.over_replacement, line.key] = line
            elif line.system == CONSTANT:
                self._constant[line.direction, line.set] = line
            elif line.max_words is None:
                if line.kind == "system":
                    self._systems[line.key] = line
                if line.model:
                    self._trainings[line.key._replace(system=line.model)] = line

    def system(
        self,
        system: str | None,
        metric: str,
        test: str | None = None,
        script: str | None = None,
        replacement: str | None = None,
    ) -> ScoreRow | None:
        """Return our number of a system; None if there is none."""
        return self._systems.get(ScoreKey(system, metric, test, script, replacement))

    def training(self, model: str | None, metric: str, *key: str | None) -> ScoreRow | None:
        """Return our number of one model or ensemble, found as by :meth:`system`."""
        return self._trainings.get(ScoreKey(model, metric, *key))

    def groups(
        self, metric: str, test: str, script: str | None = None
    ) -> dict[tuple[str | None, str | None], list[ScoreRow]]:
        """Return one score of every system's groups of sentences of similar length, the shortest first.

        Returns:
            The lines by system, and by whether unknown words were replaced.
        """
        found: dict[tuple[str | None, str | None], list[ScoreRow]] = {}
        for line in self.lines:
            is_asked = (line.metric, line.set, line.script) == (metric, test, script)
            if is_asked and line.kind == "system" and line.max_words:
                found.setdefault((line.system, line.replacement), []).append(line)
        return found

    def gain(self, ours: ScoreRow | None, other: ScoreRow | None) -> ScoreRow | None:
        """Return the gain of one number of ours over another; None if there is none."""
        if ours is None or other is None:
            return None
        return self._gains.get((other.system, other.replacement, ours.key))

    def constant(self, direction: Direction, test: str) -> ScoreRow | None:
        """Return BLEU of the constant baseline in a direction; None if it is not known."""
        return self._constant.get((direction, test))

    def paper(
        self, row: str, metric: str, replacement: str | None = None, kind: str = "system"
    ) -> ScoreRow | None:
        """Return the published number of a row such as ``table1/base``, or its published gain."""
        return self._paper.get((row, kind, metric, replacement))


def name_of(line: ScoreRow) -> str:
    """Return the model, the ensemble, or what is no model, whose file of scores has a line."""
    return line.model or str(line.system)


def write_score_table(path: Path, lines: Iterable[ScoreRow]) -> None:
    """Write a file of numbers."""
    write_csv(path, ScoreRow, lines)


def read_score_table(experiment: str, root: Path = Path()) -> ScoreTable:
    """Read ``scores.csv``."""
    return ScoreTable(read_csv(Layout(experiment, root).score_table, ScoreRow, AGAIN))


def read_scores(params: Params, name: str) -> ScoreTable:
    """Read what the stage evaluate measured of a model or an ensemble.

    Raises:
        InputError: if the file is missing or damaged.
    """
    path, cure = Layout(params.experiment).scores(name), f"run evaluate of {name} again"
    lines = read_csv(path, ScoreRow, cure)
    if not lines and name != ALIGNER:  # which has no error rate against its own, silver links
        raise InputError(f"{path}: no scores; {cure}")
    return ScoreTable(lines)


def significant(number: float) -> float:
    """Return a number with six significant digits, so that no small one becomes zero."""
    return float(f"{number:.6g}")


def metrics(lines: Iterable[ScoreRow]) -> dict[str, dict[str, float]]:
    """Return what ``dvc metrics`` shows of a model or an ensemble: perplexity, BLEU and AER, by set."""
    names = {
        ("ppl", None, None): "ppl",
        ("bleu", "tokenized", "before"): "bleu",
        ("bleu", "tokenized", "after"): "bleu_unk",
        ("aer", None, None): "aer",
    }
    few: dict[str, dict[str, float]] = {}
    for line in lines:
        name = names.get((line.metric, line.script, line.replacement))
        if name and line.set and line.max_words is None and line.value is not None:
            few.setdefault(line.set, {})[name] = line.value
    return few
