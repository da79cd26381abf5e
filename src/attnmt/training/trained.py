"""What a training left, read strictly: weights, settings, metrics, history."""

import csv
from pathlib import Path

from pydantic import PositiveFloat

from attnmt.config import ModelShape, System, TrainingSettings
from attnmt.config.strict import Name, Slug
from attnmt.errors import InputError
from attnmt.files.json_file import Count, Positive, Record, Text, read_model
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
    """Read ``config.json`` of a model's folder, ``models/<experiment>/<name>``."""
    return read_model(folder / CONFIG, TrainedConfig, again(folder))


def read_metrics(folder: Path) -> Metrics:
    """Read ``metrics.json`` of a model's folder; see :func:`read_config`."""
    return read_model(folder / METRICS, Metrics, again(folder))


def read_history(folder: Path, *columns: str) -> list[dict[str, float]]:
    """Read ``history.csv`` of a model's folder: a row for each evaluation, as numbers by column.

    Args:
        columns: those that must be there in addition to ``step``.

    Raises:
        InputError: if it is missing, has no evaluation, lacks a column, or a cell is not a number.
    """
    path, cure = folder / HISTORY, again(folder)
    table = csv.DictReader(read_lines(path, may_be_blank=True))
    for column in ("step", *columns):
        if column not in (table.fieldnames or ()):
            raise InputError(f"{path}:1: no column {column!r}; {cure}")
    try:
        rows = [{key: float(cell) for key, cell in row.items()} for row in table]
    except (TypeError, ValueError):  # a cell too few is None, and those too many are a list
        raise InputError(f"{path}:{table.line_num}: not numbers, one a column; {cure}") from None
    if not rows:
        raise InputError(f"{path}:1: the history has no evaluation; {cure}")
    return rows


def again(folder: Path) -> str:
    """Return the cure for a damaged file of a model's folder."""
    return f"train {folder.name} again"
