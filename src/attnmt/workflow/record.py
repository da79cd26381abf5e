"""What the outputs of a stage were made of, noted by the stage itself.

DVC notes this in dvc.lock, but only for the stages that it ran. A stage that Snakemake or a person
starts writes a record: its command and parameters, the digests of its inputs before it ran and of its
outputs after it. So the content of files, and not their times, shows what made them.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attnmt.errors import InputError
from attnmt.files.json_file import Record, read_model
from attnmt.files.text_file import json_text, read_json, sha256, update_text, write_json
from attnmt.files.yaml_file import parse, yaml_faults

ORDER = "ATTNMT_ORDER"  # set by the Snakefile: the file of the order that a stage carries out
DVC_STAGE = "DVC_STAGE"  # set by DVC: the stage that it runs, [file:]name
NOT_CONTENT = (".snakemake_timestamp", "*.partial")  # not counted, as in .dvcignore

Digest = Callable[[str], str | None]


def digest_of_path(path: str | Path) -> str | None:
    """Return the SHA-256 of a file, or of the names and contents of a folder's files, or None."""
    place = Path(path)
    if not place.is_dir():
        return sha256(place) if place.exists() else None
    files = sorted(file for file in place.rglob("*") if file.is_file())
    content = {
        file.relative_to(place).as_posix(): sha256(file)
        for file in files
        if not any(file.match(pattern) for pattern in NOT_CONTENT)
    }
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


class DecidedBy(Record):
    """What decides the outputs of a stage: its command, its parameters, the digests of its inputs."""

    command: str
    params: dict[str, Any]
    inputs: dict[str, str | None]


class Run(Record):
    """The record of a stage: what decided its outputs, and the digests of what it made."""

    by: DecidedBy
    ran: list[str]  # those of the stage's commands that ran, one after another
    made: dict[str, str]

    @classmethod
    def read(cls, record: Path) -> "Run | None":
        """Read a record; without a file there is none.

        Raises:
            InputError: if it is damaged.
        """
        again = "delete it, and the stage runs again"
        return read_model(record, cls, again) if record.exists() else None


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

    @property
    def commands(self) -> list[str]:
        """The commands of the stage, one after another."""
        return self.command.split(" && ")

    def decided_by(self, digest: Digest = digest_of_path) -> DecidedBy:
        """Return what decides the outputs: these parameters, and the inputs as they are now."""
        inputs = {path: digest(path) for path in self.inputs}
        return DecidedBy(command=self.command, params=self.params, inputs=inputs)

    def made(self, digest: Digest = digest_of_path) -> dict[str, str]:
        """Return the digests of the outputs that are there."""
        digests = {path: digest(path) for path in self.outputs}
        return {path: value for path, value in digests.items() if value is not None}

    def params_now(self) -> dict[str, Any]:
        """Return the parameters as the files have them now; a missing one is None.

        Raises:
            InputError: if a file is not YAML.
        """
        values = {}
        for file in {name.partition(":")[0] for name in self.params}:
            with yaml_faults(Path(file)):
                values[file] = parse(Path(file).read_text(encoding="utf-8"))
        return {name: _value(values, name) for name in self.params}


def _value(values: Any, name: str) -> Any:
    """Return the parameter ``file:section.key`` from the files' values, or None."""
    file, _, keys = name.partition(":")
    for key in (file, *keys.split(".")):
        values = values.get(key) if isinstance(values, dict) else None
    return values


def write_order(path: Path, order: Order, again: bool) -> None:
    """Write an order if it is new, or in any case with ``again``.

    Snakemake runs a stage whose outputs are older than its order.
    """
    values = {name: getattr(order, name) for name in Order.__dataclass_fields__}
    if again:
        write_json(path, values)
    else:
        update_text(path, json_text(values))


def read_order(path: Path, command: str) -> Order:
    """Return the order that a stage's command is to carry out.

    Raises:
        InputError: if it is another stage's, or damaged.
    """
    order = Order(**read_json(path))
    if command not in order.commands:
        raise InputError(f"{path}: this order does not run `{command}`; unset {ORDER}")
    return order


def is_of(record: Path, order: Order, digest: Digest = digest_of_path) -> bool:
    """Return whether a recorded run of exactly this order made the outputs that are there now.

    Raises:
        InputError: if the record is damaged.
    """
    run = Run.read(record)
    if run is None or run.ran != order.commands:
        return False
    made = order.made(digest)
    whole = made.keys() == set(order.outputs)
    return whole and run.made == made and run.by == order.decided_by(digest)


def contradicts(record: Path, order: Order, digest: Digest = digest_of_path) -> bool:
    """Return whether a recorded run made the outputs with other code, parameters or another command.

    Raises:
        InputError: if the record is damaged.
    """
    run = Run.read(record)
    if run is None:
        return False
    code = [path for path in order.inputs if path.startswith("code/")]
    then = run.by.command, run.by.params, [run.by.inputs.get(path) for path in code]
    now = order.command, order.params, [digest(path) for path in code]
    return then != now and run.made == order.made(digest)


@contextmanager
def recorded(order: Order, command: str, record: Path) -> Iterator[None]:
    """Run one command of a stage, and record what its outputs were made of.

    Under DVC nothing is recorded, because DVC writes dvc.lock itself.

    Raises:
        InputError: if the parameters are no longer what the engine saw, or if they or the inputs changed
            while the stage worked: DVC would believe that the new ones made the outputs.
    """
    before = order.commands[: order.commands.index(command)]
    _check_same(order.params, order.params_now(), "DVC or Snakemake had read it")
    by = order.decided_by()
    # The second of two commands proves something only together with the first.
    first = Run.read(record) if before else None
    follows = not before or (
        first is not None
        and (first.by, first.ran[: len(before)], first.made) == (by, before, order.made())
    )
    record.unlink(missing_ok=True)
    yield
    _check_same(by.params, order.params_now(), "the stage had read it")
    _check_same(by.inputs, order.decided_by().inputs, "the stage had read it")
    if follows and DVC_STAGE not in os.environ:
        run = Run(by=by, ran=[*before, command], made=order.made())
        write_json(record, run.model_dump())


def _check_same(then: dict[str, Any], now: dict[str, Any], since: str) -> None:
    """Refuse parameters or inputs that are no longer what they were."""
    for name, value in then.items():
        if now[name] != value:
            raise InputError(f"{name}: this changed after {since}; start the stage again")
