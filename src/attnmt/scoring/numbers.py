"""``scores.csv``: every score, gain and cost of an experiment, ours and the paper's, one a line.

Whoever shows a number takes it from here: the tables, the page, ``dvc metrics``, MLflow, README's table.
pandas reads the file in one call, and docs/report.md has examples.
"""

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from attnmt.config import Direction, Params
from attnmt.errors import InputError
from attnmt.files.csv_file import CsvLine, read_csv, write_csv
from attnmt.layout import Layout

if TYPE_CHECKING:
    import pandas as pd

Replacement = Literal["before", "after"]
OURS = "ours"
AGAIN = "run the stage gather again"


class Line(CsvLine):
    """One number, and where it comes from. A field is None where it does not apply."""

    source: str = OURS  # or where the number was published
    # training: of one training, or of one ensemble of trainings
    # system:   of a system, as the mean over its trainings
    # gain:     of a system over another, or of replacing its unknown words
    kind: Literal["training", "system", "gain"]
    row: str | None = None  # the table and the row of a published number, as table1/base
    system: str | None = None  # as in systems.yaml; also aligner, diagonal and dictionary
    model: str | None = None  # the training or the ensemble; from its second seed on, as in base_2
    seed: int | None = None
    trainings: int | None = None  # how many are behind the number
    family: str | None = None
    direction: Direction | None = None
    set: str | None = None
    lines: int | None = None  # sentences of the set
    max_words: int | None = None  # for a group of sentences: the words of its longest reference
    # bleu, chrf, ter; ppl (perplexity); aer (where the authors read attention), aer_same, aer_next and
    # aer_chosen (where the development set chooses); counts of unknown words and of the dictionary;
    # jumps of the development cost, and late_fall, by how many percent it fell in the last tenth of the
    # steps; what a training cost
    metric: str
    # of bleu: tokenized, nist or sacrebleu; of aer: the step that is read
    script: str | None = None
    replacement: Replacement | None = None  # before or after unknown words are replaced
    value: float | None = None  # BLEU, chrF2 and TER in percent; AER in [0, 1]
    low: float | None = None  # the bounds of the 95% interval
    high: float | None = None
    sd: float | None = Field(default=None, ge=0)  # the standard deviation between trainings
    over: str | None = None  # of a gain: the other system
    over_replacement: Replacement | None = None  # and whether its unknown words were replaced
    p: float | None = Field(default=None, ge=0, le=1)  # of a gain, two-sided
    beam: int | None = None
    signature: str | None = None  # how the number was measured
    reference: str | None = None  # the first digits of the SHA-256 of what it was measured against
    data: str | None = None  # the same of the encoded data that the system read
    commit: str | None = None  # where the models were trained
    code: str | None = None  # the digest of the code that trained them
    note: str | None = None  # what was printed in place of a number, or what else must be known


System = str | None
Key = tuple[System, str, str | None, str | None, str | None]


class Numbers:
    """The lines of ``scores.csv``, looked up by system, metric and set."""

    def __init__(self, lines: Iterable[Line]) -> None:
        """Keep the lines in their order."""
        self.lines = list(lines)
        self._systems: dict[Key, Line] = {}
        self._trainings: dict[Key, Line] = {}
        self._gains: dict[tuple[System, str | None, System, str | None, Key], Line] = {}
        self._paper: dict[tuple[str | None, str, str, str | None], Line] = {}
        for line in self.lines:
            key = key_of(line)
            if line.source != OURS:
                self._paper[line.row, line.kind, line.metric, line.replacement] = line
            elif line.kind == "gain":
                pair = line.system, line.replacement, line.over, line.over_replacement
                self._gains[*pair, key] = line
            elif line.max_words is None and line.kind == "system":
                self._systems[key] = line
            elif line.max_words is None:
                self._trainings[line.model, *key[1:]] = line

    @cached_property
    def frame(self) -> "pd.DataFrame":
        """The lines as a data frame with a column for each field."""
        import pandas as pd  # here, because it takes half a second, and few programs need it

        return pd.DataFrame(
            [line.model_dump() for line in self.lines], columns=list(Line.model_fields)
        )

    def system(
        self,
        system: str | None,
        metric: str,
        test: str | None = None,
        script: str | None = None,
        replacement: str | None = None,
    ) -> Line | None:
        """Return our number of a system; None if there is none."""
        return self._systems.get((system, metric, test, script, replacement))

    def training(
        self,
        model: str,
        metric: str,
        test: str | None = None,
        script: str | None = None,
        replacement: str | None = None,
    ) -> Line | None:
        """Return our number of one model or ensemble; None if there is none."""
        return self._trainings.get((model, metric, test, script, replacement))

    def gain(self, ours: Line | None, other: Line | None) -> Line | None:
        """Return the gain of one number of ours over another; None if there is none."""
        if ours is None or other is None:
            return None
        pair = ours.system, ours.replacement, other.system, other.replacement
        return self._gains.get((*pair, key_of(ours)))

    def paper(
        self, row: str, metric: str, replacement: str | None = None, kind: str = "system"
    ) -> Line | None:
        """Return the published number of a row such as ``table1/base``, or its published gain."""
        return self._paper.get((row, kind, metric, replacement))


def key_of(line: Line) -> Key:
    """Return what a system's number is found by. For an error rate, this leaves out the step."""
    script = line.script if line.metric == "bleu" else None
    return line.system, line.metric, line.set, script, line.replacement


def write_numbers(path: Path, lines: Iterable[Line]) -> None:
    """Write a file of numbers."""
    write_csv(path, Line, lines)


def read_numbers(experiment: str, root: Path = Path()) -> Numbers:
    """Read ``scores.csv``.

    Raises:
        InputError: if it is missing or damaged.
    """
    path = Layout(experiment, root).numbers
    if not path.exists():
        raise InputError(f"{path}: no such file; {AGAIN}")
    return Numbers(read_csv(path, Line, AGAIN))


def read_scores(params: Params, name: str, root: Path = Path()) -> Numbers:
    """Read what the stage evaluate measured of a model or an ensemble.

    Raises:
        InputError: if the file is missing or damaged, or is about another system than the parameters
            describe, or lacks a set.
    """
    path, system = Layout(params.experiment, root).scores(name), params.translators(name)
    again = f"run the stages that lead to it again, the last of them evaluate of {name}"
    if not path.exists():
        raise InputError(f"{path}: no such file; run evaluate of {name} first")
    lines = read_csv(path, Line, f"run evaluate of {name} again")
    first = params.model(system.members[0])
    expected = {
        "model": name,
        "family": system.family,
        "direction": first.direction,
        "seed": first.seed if name in params.models else None,
    }
    for number, line in enumerate(lines, start=2):
        for key, value in expected.items():
            if (found := getattr(line, key)) != value:
                why = f"{found!r}, but {value!r} in the parameters"
                raise InputError(f"{path}:{number}: {key}: {why}; {again}")
    missing = {("bleu", test) for test in params.sets.tests}
    missing |= {("aer", aligned) for aligned in params.sets.aligned if params.attends(name)}
    for metric, test in sorted(missing - {(line.metric, line.set) for line in lines}):
        raise InputError(f"{path}: no {metric} on {test!r}; {again}")
    return Numbers(lines)


def significant(p: float) -> float:
    """Return p with six significant digits, so that no small one becomes zero."""
    return float(f"{p:.6g}")


def metrics(numbers: Numbers) -> dict[str, dict[str, dict[str, float]]]:
    """Return what ``dvc metrics`` shows: perplexity, BLEU and AER of each training, by set."""
    names = {
        ("ppl", None, None): "ppl",
        ("bleu", "tokenized", "before"): "bleu",
        ("bleu", "tokenized", "after"): "bleu_unk",
    }
    few: dict[str, dict[str, dict[str, float]]] = {}
    for line in numbers.lines:
        if line.kind == "training" and line.max_words is None and line.model and line.set:
            key = (line.metric, line.script, line.replacement)
            name = "aer" if line.metric == "aer" else names.get(key)
            if name and line.value is not None:
                few.setdefault(line.model, {}).setdefault(line.set, {})[name] = line.value
    return few
