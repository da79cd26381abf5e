"""What the outputs of a stage were made of, noted by the stage itself.

DVC notes this in dvc.lock, but only for the stages that it ran. A stage that Snakemake or a person
starts writes a record: its command and parameters, the digests of its inputs before it ran and of its
outputs after it. So the content of files, and not their times, shows what made them.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from attnmt.errors import InputError
from attnmt.files.json_file import Record, read_model
from attnmt.files.text_file import json_text, read_json, update_text, write_json
from attnmt.files.yaml_file import YamlFile
from attnmt.workflow.lock import dvc_digest

ORDER = "ATTNMT_ORDER"  # set by the Snakefile: the file of the order that a stage carries out
DVC_STAGE = "DVC_STAGE"  # set by DVC: the stage that it runs, [file:]name

Digest = Callable[[Path], str | None]
Digests = dict[str, str | None]  # by path


class Run(Record):
    """The record of a stage: what decided its outputs, and what it made."""

    command: str
    params: dict[str, Any]
    inputs: Digests
    outputs: Digests


@dataclass(frozen=True)
class Order:
    """A stage that is to run, and what decides its outputs. Paths are relative to the project's folder.

    A parameter is named with its file, as ``params.yaml:corpus.text``.
    """

    name: str
    command: str
    params: dict[str, Any]
    inputs: list[str]
    outputs: list[str]


def params_now(names: Iterable[str]) -> dict[str, Any]:
    """Return parameters, named as in an order, as their files have them; a missing one is None.

    Raises:
        InputError: if a file is not YAML.
    """
    values, read = {}, cache(lambda file: YamlFile.read(Path(file)).values)
    for name in names:
        file, _, keys = name.partition(":")
        value = read(file)
        for key in keys.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        values[name] = value
    return values


def write_order(path: Path, order: Order, again: bool) -> None:
    """Write an order if it is new, or in any case with ``again``.

    Snakemake runs a stage whose outputs are older than its order.
    """
    values = {name: getattr(order, name) for name in Order.__dataclass_fields__}
    if not update_text(path, json_text(values)) and again:
        path.touch()


def read_order(path: Path, command: str) -> Order:
    """Return the order that a stage's command is to carry out.

    Raises:
        InputError: if it is another stage's, or damaged.
    """
    try:
        order = TypeAdapter(Order).validate_python(read_json(path))
    except ValidationError:
        raise InputError(f"{path}: damaged; delete it, and start Snakemake again") from None
    if command != order.command:
        raise InputError(f"{path}: this order does not run `{command}`; unset {ORDER}")
    return order


def is_of(record: Path, order: Order, digest: Digest = dvc_digest) -> bool:
    """Return whether a recorded run of exactly this order made the outputs that are there now."""
    run = _read(record)
    return (
        run is not None
        and (run.command, run.params) == (order.command, order.params)
        and None not in run.outputs.values()
        and run.outputs == _digests(order.outputs, digest)
        and run.inputs == _digests(order.inputs, digest)
    )


def contradicts(record: Path, order: Order, digest: Digest = dvc_digest) -> bool:
    """Return whether a recorded run made the outputs with other code, parameters or another command."""
    run = _read(record)
    if run is None:
        return False
    code = [path for path in order.inputs if path.startswith("code/")]
    then = run.command, run.params, {path: run.inputs.get(path) for path in code}
    now = order.command, order.params, _digests(code, digest)
    return then != now and run.outputs == _digests(order.outputs, digest)


@contextmanager
def recorded(order: Order, record: Path) -> Iterator[None]:
    """Run a stage, and record what its outputs were made of.

    Under DVC nothing is recorded, because DVC writes dvc.lock itself.

    Raises:
        InputError: if the parameters are no longer what the engine saw, or if they or the inputs changed
            while the stage worked: DVC would believe that the new ones made the outputs.
    """
    _check_same(order.params, params_now(order.params), "DVC or Snakemake had read it")
    inputs = _digests(order.inputs, dvc_digest)
    record.unlink(missing_ok=True)
    yield
    _check_same(order.params, params_now(order.params), "the stage had read it")
    _check_same(inputs, _digests(order.inputs, dvc_digest), "the stage had read it")
    if DVC_STAGE not in os.environ:
        outputs = _digests(order.outputs, dvc_digest)
        run = Run(command=order.command, params=order.params, inputs=inputs, outputs=outputs)
        write_json(record, run.model_dump())


def _read(record: Path) -> Run | None:
    """Return a record. One that is missing, or that cannot be read, proves nothing."""
    try:
        return read_model(record, Run, "") if record.exists() else None
    except InputError:
        return None


def _digests(paths: Iterable[str], digest: Digest) -> Digests:
    return {path: digest(Path(path)) for path in paths}


def _check_same(then: dict[str, Any], now: dict[str, Any], since: str) -> None:
    """Refuse parameters or inputs that are no longer what they were."""
    for name, value in then.items():
        if now[name] != value:
            raise InputError(f"{name}: this changed after {since}; start the stage again")
