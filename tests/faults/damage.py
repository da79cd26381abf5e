"""How a test damages one file of a project."""

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce
from io import BytesIO, StringIO
from operator import getitem
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load, save

from attnmt.training.tensor_file import CHECKSUM, METADATA, checksum

Damage = Callable[[bytes], bytes]


@contextmanager
def damaged(path: Path, damage: Damage) -> Iterator[None]:
    """Damage a file, and restore it at the end."""
    content = path.read_bytes()
    path.write_bytes(damage(content))
    try:
        yield
    finally:
        path.write_bytes(content)


def content(text: str) -> Damage:
    """Replace the whole content with a text."""
    return lambda _: text.encode()


def other(path: str) -> Damage:
    """Replace the content with another file's."""
    return lambda _: Path(path).read_bytes()


def cut(count: int) -> Damage:
    """Cut this many bytes off the end."""
    return lambda before: before[:-count]


def line(number: int, text: str | None) -> Damage:
    """Replace a line, counted from 1, or remove it."""

    def damage(before: bytes) -> bytes:
        lines = before.decode().splitlines(keepends=True)
        lines[number - 1] = "" if text is None else text + "\n"
        return "".join(lines).encode()

    return damage


def cell(number: int, column: str, new: str) -> Damage:
    """Set a cell of a CSV file, on a line counted from 1."""

    def damage(before: bytes) -> bytes:
        header, *rows = csv.reader(before.decode().splitlines())
        rows[number - 2][header.index(column)] = new
        stream = StringIO()
        csv.writer(stream, lineterminator="\n").writerows([header, *rows])
        return stream.getvalue().encode()

    return damage


def value(place: str, new: Any) -> Damage:
    """Set a value of a JSON file, named with its keys as ``sets.test.lines``."""
    return _changed(place, lambda section, key: section.__setitem__(key, new))


def without(place: str) -> Damage:
    """Remove a key from a JSON file."""
    return _changed(place, lambda section, key: section.__delitem__(key))


def _changed(place: str, change: Callable[[Any, Any], None]) -> Damage:
    def damage(before: bytes) -> bytes:
        values = json.loads(before)
        *sections, last = (int(key) if key.isdecimal() else key for key in place.split("."))
        change(reduce(getitem, sections, values), last)
        return json.dumps(values).encode()

    return damage


def array(change: Callable[[Any], Any]) -> Damage:
    """Change an array of a .npy file."""

    def damage(before: bytes) -> bytes:
        stream = BytesIO()
        np.save(stream, change(np.load(BytesIO(before))))
        return stream.getvalue()

    return damage


def tensors(change: Callable[[dict[str, torch.Tensor]], Any]) -> Damage:
    """Change the tensors of a file of weights in place."""

    def damage(before: bytes) -> bytes:
        loaded = load(before)
        change(loaded)
        return save(loaded, _metadata(before))

    return damage


def settings(place: str, new: Any) -> Damage:
    """Set a value of the configuration in a file of weights."""

    def damage(before: bytes) -> bytes:
        config = value(place, new)(_metadata(before)["config"].encode())
        tensors, metadata = load(before), {"config": config.decode()}
        metadata[CHECKSUM] = checksum(tensors, metadata)
        return save(tensors, {METADATA: json.dumps(metadata)})

    return damage


def _metadata(weights: bytes) -> dict[str, str]:
    size = int.from_bytes(weights[:8], "little")
    header: dict[str, str] = json.loads(weights[8 : 8 + size])["__metadata__"]
    metadata: dict[str, str] = json.loads(header[METADATA])
    return metadata
