"""What a training left, read strictly: weights, settings, metrics, history."""

import csv
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import PositiveFloat
from safetensors import SafetensorError, safe_open

from attnmt.config import ModelShape, System, TrainingSettings
from attnmt.config.strict import Name, Slug
from attnmt.errors import InputError, lacks_memory
from attnmt.files.json_file import Count, Positive, Record, Text, checked, read_model
from attnmt.files.text_file import read_lines
from attnmt.layout import CONFIG, HISTORY, METRICS


class TrainedConfig(Record):
    """What a training was asked to do, and what rebuilds its model: ``config.json``."""

    experiment: Slug
    model: Name
    family: Name
    seed: Count
    dataset_digest: Text
    fingerprint: Name
    training: TrainingSettings
    system: System
    shape: ModelShape
    source_words: Positive
    target_words: Positive
    vocabularies: dict[Name, Text]  # the SHA-256 of vocab.<language>


class Metrics(Record):
    """Perplexities of the model that is kept, and the curve in short: ``metrics.json``."""

    dataset_digest: Text
    best_step: Positive
    steps: Positive
    jumps: Count  # evaluations at which the development cost jumped
    late_fall: float  # the part by which it fell in the last tenth of the steps
    dev_perplexity: PositiveFloat
    perplexity: dict[Name, PositiveFloat]


def read_config(folder: Path) -> TrainedConfig:
    """Read ``config.json`` of a model's folder, ``models/<experiment>/<name>``.

    Raises:
        InputError: if it is missing or damaged.
    """
    return read_model(folder / CONFIG, TrainedConfig, _again(folder))


def read_metrics(folder: Path) -> Metrics:
    """Read ``metrics.json`` of a model's folder; see :func:`read_config`."""
    return read_model(folder / METRICS, Metrics, _again(folder))


@contextmanager
def opened_weights(path: Path, framework: str) -> Iterator[tuple[Any, TrainedConfig]]:
    """Open ``weights.safetensors`` of a model's folder; yield the file and its configuration.

    Args:
        framework: the kind of tensors that the file gives, ``pt`` or ``numpy``.

    Raises:
        InputError: if it is missing or damaged.
    """
    if not path.exists():
        raise InputError(f"{path}: no such file; train the model first")
    again = _again(path.parent)
    try:
        with safe_open(path, framework=framework) as file:
            values = json.loads(file.metadata()["config"])
            yield file, checked(values, TrainedConfig, str(path), again)
    except (KeyError, TypeError, ValueError, RuntimeError, OSError, SafetensorError) as error:
        if lacks_memory(error):  # of what is done with the open file, too
            raise
        why = " ".join(str(error).split())
        raise InputError(
            f"{path}: not a model of this program, or damaged ({why}); {again}"
        ) from error


def read_history(folder: Path, *columns: str) -> list[dict[str, float]]:
    """Read ``history.csv`` of a model's folder: a row for each evaluation, as numbers by column.

    Args:
        columns: those that must be there in addition to ``step``.

    Raises:
        InputError: if it is missing, has no evaluation, lacks a column, or a cell is not a number.
    """
    path, again = folder / HISTORY, _again(folder)
    if not path.exists():
        raise InputError(f"{path}: no such file; {again}")
    table = csv.DictReader(read_lines(path, may_be_blank=True))
    for column in ("step", *columns):
        if column not in (table.fieldnames or ()):
            raise InputError(f"{path}:1: no column {column!r}; {again}")
    try:
        rows = [{key: float(cell) for key, cell in row.items()} for row in table]
    except (TypeError, ValueError):  # a cell too few is None, and those too many are a list
        raise InputError(f"{path}:{table.line_num}: not numbers, one a column; {again}") from None
    if not rows:
        raise InputError(f"{path}:1: the history has no evaluation; {again}")
    return rows


def _again(folder: Path) -> str:
    return f"train {folder.name} again"
