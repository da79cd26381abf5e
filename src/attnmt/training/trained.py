"""What a training left, read strictly: weights, settings, metrics, history, provenance.

``weights.safetensors``, ``config.json`` and ``provenance.json`` say which model they belong to, so that
they are refused in another model's folder.
"""

import csv
import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

from pydantic import AfterValidator, Field, PositiveFloat, model_validator
from safetensors import SafetensorError, safe_open

from attnmt.config import ModelShape, System, Training
from attnmt.config.strict import Name, Slug
from attnmt.errors import InputError
from attnmt.files.json_file import Count, Positive, Record, Text, checked, read_model
from attnmt.files.text_file import read_text


def _moment(text: str) -> str:
    datetime.fromisoformat(text)
    return text


class _TrainingFile(Record):
    """Which training a file belongs to."""

    experiment: Slug
    model: Name
    family: Name
    seed: Count
    dataset_digest: Text
    fingerprint: Name


AnyFile = TypeVar("AnyFile", bound=_TrainingFile)


class TrainedSets(Record):
    """The sets that a training read."""

    train: Name
    dev: Name
    tests: list[Name]


class TrainedConfig(_TrainingFile):
    """What a training was asked to do, and what rebuilds its model: ``config.json``."""

    sets: TrainedSets
    training: Training
    system: System
    shape: ModelShape
    source_words: Positive
    target_words: Positive
    vocabularies: dict[Name, Text]  # the SHA-256 of vocab.<language>


class Provenance(_TrainingFile):
    """When, where and how fast a model was trained: ``provenance.json``."""

    code: Text  # digest of the code that it ran
    commits: Annotated[list[Text], Field(min_length=1)]  # those at which it ran
    started: Annotated[str, AfterValidator(_moment)]
    device: Text
    threads: Positive
    torch: Text
    python: Text
    numpy: Text
    constraints: Text | None  # the SHA-256 of constraints.txt, which pins the versions
    seconds: Annotated[float, Field(ge=0)]
    target_words_per_second: PositiveFloat
    peak_memory_mb: Count | None = None
    instructions: Text | None = None  # as attnmt.model.instructions.used names them


class Metrics(Record):
    """Perplexities of the model that is kept, and the curve in short: ``metrics.json``."""

    dataset_digest: Text
    best_step: Positive
    steps: Positive
    jumps: Count  # evaluations at which the development cost jumped
    late_fall: float  # the part by which it fell in the last tenth of the steps
    # Steps whose weights are averaged; without any, weights and perplexities are those of best_step.
    averaged_steps: list[Positive] = Field(default_factory=list)
    dev_perplexity: PositiveFloat
    perplexity: dict[Name, PositiveFloat]

    @model_validator(mode="after")
    def _best_was_trained(self) -> Self:
        if self.best_step > self.steps:
            raise ValueError(
                f"best_step {self.best_step} comes after the last of {self.steps} steps"
            )
        return self


def machine(device: str, threads: int) -> str:
    """Return how messages and tables name a device and the number of threads of a training."""
    return f"{device}, {threads} thread{'s' if threads > 1 else ''}"


def read_config(folder: Path) -> TrainedConfig:
    """Read ``config.json`` of a model's folder; see :func:`read_provenance`."""
    path = folder / "config.json"
    return _refuse_other(read_model(path, TrainedConfig, _again(folder)), path)


@contextmanager
def opened_weights(path: Path, framework: str) -> Iterator[tuple[Any, TrainedConfig]]:
    """Open ``weights.safetensors`` of a model's folder; yield the file and its configuration.

    Args:
        framework: the kind of tensors that the file gives, ``pt`` or ``numpy``.

    Raises:
        InputError: if it is missing or damaged, or belongs to another model.
    """
    if not path.exists():
        raise InputError(f"{path}: no such file; train the model first")
    again = _again(path.parent)
    try:
        with safe_open(path, framework=framework) as file:
            values = json.loads(file.metadata()["config"])
            yield file, _refuse_other(checked(values, TrainedConfig, str(path), again), path)
    except (KeyError, TypeError, ValueError, OSError, SafetensorError) as error:
        raise InputError(
            f"{path}: not a model of this program, or damaged ({error}); {again}"
        ) from error


def read_provenance(folder: Path) -> Provenance:
    """Read ``provenance.json`` of a model's folder, ``models/<experiment>/<name>``.

    Raises:
        InputError: if it is missing or damaged, or belongs to another model or experiment.
    """
    path = folder / "provenance.json"
    return _refuse_other(read_model(path, Provenance, _again(folder)), path)


def read_metrics(folder: Path) -> Metrics:
    """Read ``metrics.json`` of a model's folder.

    Raises:
        InputError: if it is missing or damaged.
    """
    return read_model(folder / "metrics.json", Metrics, _again(folder))


def read_history(folder: Path, *columns: str) -> list[dict[str, float]]:
    """Read ``history.csv`` of a model's folder: a row for each evaluation, as numbers by column.

    Args:
        columns: those that must be there in addition to ``step``.

    Raises:
        InputError: if it is missing, empty or cut off; if it lacks a column; or if a cell is not a
            finite number, or a step is not above the step before it. The message names the line.
    """
    path, again = folder / "history.csv", _again(folder)
    if not path.exists():
        raise InputError(f"{path}: no such file; train {folder.name} first")
    text = read_text(path, "utf-8")
    header, *lines = list(csv.reader(text.splitlines())) or [[]]
    for column in ("step", *columns):
        if column not in header:
            raise InputError(f"{path}:1: no column {column!r}; {again}")
    if not lines or not text.endswith("\n"):
        what = "is cut off" if lines else "has no evaluation"
        raise InputError(f"{path}:{len(lines) + 1}: the history {what}; {again}")
    rows: list[dict[str, float]] = []
    for number, cells in enumerate(lines, start=2):
        place = f"{path}:{number}"
        if len(cells) != len(header):
            raise InputError(f"{place}: {len(cells)} cells in {len(header)} columns; {again}")
        row = {
            key: _number(cell, f"{place}: {key}", again)
            for key, cell in zip(header, cells, strict=True)
        }
        step, before = row["step"], rows[-1]["step"] if rows else 0
        if step <= before or step != int(step):
            raise InputError(f"{place}: step: {step:g} cannot follow step {before:g}; {again}")
        rows.append(row)
    return rows


def _number(cell: str, place: str, again: str) -> float:
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{place}: {cell!r} is not a finite number; {again}")
    return number


def _refuse_other(file: AnyFile, path: Path) -> AnyFile:
    """Return the file if it belongs to the model in whose folder it lies."""
    if (file.experiment, file.model) != (path.parent.parent.name, path.parent.name):
        raise InputError(
            f"{path}: belongs to model {file.model!r} of experiment {file.experiment!r}; "
            f"{_again(path.parent)}"
        )
    return file


def _again(folder: Path) -> str:
    return f"train {folder.name} again"
