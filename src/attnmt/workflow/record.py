"""What the outputs of a stage were made of, noted by the stage itself.

DVC notes this in dvc.lock, but only for the stages that it ran. A stage that Snakemake or a person
starts writes a record: its command and parameters, the digests of its inputs before it ran and of its
outputs after it. So the content of files, and not their times, shows what made them.
"""

import hashlib
import importlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from attnmt.errors import InputError
from attnmt.files.json_file import Record, read_model
from attnmt.files.text_file import json_text, read_json, sha256, update_text, write_json
from attnmt.layout import Layout
from attnmt.workflow.code import SCRIPT, code_of

ORDER = "ATTNMT_ORDER"  # set by the Snakefile: the file of the order that a stage carries out
DVC_STAGE = "DVC_STAGE"  # set by DVC: the stage that it runs, [file:]name
NOT_CONTENT = (".snakemake_timestamp", "*.partial")  # not counted, as in .dvcignore

Digest = Callable[[str], str | None]


@dataclass(frozen=True)
class Order:
    """A stage that is to run, and what decides its outputs. Paths are relative to the project's folder.

    A parameter is named with its file, as ``params.yaml:corpus.seed``.
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

    def decided_by(self, digest: Digest) -> dict[str, Any]:
        """Return what decides the outputs, as it is now."""
        inputs = {path: digest(path) for path in self.inputs}
        return {"command": self.command, "params": self.params, "inputs": inputs}

    def seen_now(self, digest: Digest) -> dict[str, Any]:
        """Return the same with the parameters that the files have now; a missing one is None."""
        names = [(name, *name.split(":")) for name in self.params]
        now = {file: yaml.safe_load(Path(file).read_text(encoding="utf-8")) for _, file, _ in names}
        params = {name: _at(now[file], key) for name, file, key in names}
        return self.decided_by(digest) | {"params": params}

    def made(self, digest: Digest) -> dict[str, Any]:
        """Return the digests of the outputs that are there."""
        digests = {path: digest(path) for path in self.outputs}
        return {path: value for path, value in digests.items() if value is not None}

    def write(self, path: Path, again: bool) -> None:
        """Write the order if it is new, or in any case with ``again``.

        Snakemake runs a stage whose outputs are older than its order.
        """
        order = {name: getattr(self, name) for name in Order.__dataclass_fields__}
        if again:
            write_json(path, order)
        else:
            update_text(path, json_text(order))


def _at(values: Any, name: str) -> Any:
    """Return the value with a dotted name, or None."""
    for key in name.split("."):
        values = values.get(key) if isinstance(values, dict) else None
    return values


class _DecidedBy(Record):
    command: str
    params: dict[str, Any]
    inputs: dict[str, str | None]


class _Run(Record):
    """The record of a stage: what decided its outputs, the commands that ran, the outputs' digests."""

    by: _DecidedBy
    ran: list[str]  # those of the stage's commands that ran, one after another
    made: dict[str, str]

    def led_to(self, outputs: dict[str, str], by: dict[str, Any], commands: list[str]) -> bool:
        """Return whether these commands, decided by ``by``, made the outputs."""
        ran = self.ran[: len(commands)] == commands
        return ran and self.made == outputs and self.by.model_dump() == by


def is_of(record: Path, order: Order, digest: Digest) -> bool:
    """Return whether a recorded run of exactly this order made the outputs that are there now.

    Raises:
        InputError: if the record is damaged.
    """
    if not record.exists():
        return False
    run, made = _read(record), order.made(digest)
    whole = made.keys() == set(order.outputs)
    return whole and run.led_to(made, order.decided_by(digest), order.commands)


def contradicts(record: Path, order: Order, digest: Digest) -> bool:
    """Return whether a recorded run made the outputs with other code, parameters or another command.

    Raises:
        InputError: if the record is damaged.
    """
    if not record.exists():
        return False
    run, code = _read(record), [path for path in order.inputs if path.startswith("code/")]
    then = run.by.command, run.by.params, [run.by.inputs.get(path) for path in code]
    now = order.command, order.params, [digest(path) for path in code]
    return then != now and run.made == order.made(digest)


@contextmanager
def recorded(experiment: str, script: Path, arguments: list[str]) -> Iterator[None]:
    """Run a stage's work and record what its outputs were made of, if that can be known.

    Under DVC nothing is recorded, because DVC writes dvc.lock itself. If a person starts the stage, its
    order is its definition in dvc.yaml. Without DVC nothing is recorded.

    Raises:
        InputError: if the code or the parameters are no longer what the engine saw, or if they or the
            inputs changed while the stage worked: DVC would believe that the new ones made the outputs.
    """
    # The stage that writes the digests runs whenever an engine looks. Of several processes that train
    # one model, only the first writes, and it ends last.
    if script.stem == SCRIPT or os.environ.get("RANK", "0") != "0":
        yield
        return
    layout, command = Layout(experiment), " ".join(["python", f"stages/{script.name}", *arguments])
    by_hand = not {ORDER, DVC_STAGE} & os.environ.keys()
    _check_code(layout.code / f"{script.stem}.json", code_of(script), by_hand)
    by_order = ORDER in os.environ
    order = _snakemakes_order(command) if by_order else _definition(experiment, command)
    if order is None:
        yield
        return
    record = layout.record(order.name)
    before = order.commands[: order.commands.index(command)]
    by = order.decided_by(digest_of_path)
    _check_same(by, order.seen_now(digest_of_path), "DVC or Snakemake had read it")
    # The second of two commands proves something only together with the first.
    follows = not before or (
        record.exists() and _read(record).led_to(order.made(digest_of_path), by, before)
    )
    record.unlink(missing_ok=True)
    yield
    _check_same(by, order.seen_now(digest_of_path), "the stage had read it")
    if follows and DVC_STAGE not in os.environ:
        made = order.made(digest_of_path)
        write_json(record, {"by": by, "ran": [*before, command], "made": made})


def _check_same(then: dict[str, Any], now: dict[str, Any], since: str) -> None:
    """Refuse parameters and inputs that are no longer what they were."""
    for part in ("params", "inputs"):
        for name, value in then[part].items():
            if now[part][name] != value:
                raise InputError(f"{name}: this changed after {since}; start the stage again")


def _read(record: Path) -> _Run:
    return read_model(record, _Run, "delete it, and the stage runs again")


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


def _check_code(file: Path, code: dict[str, str], by_hand: bool) -> None:
    """Check that the stage's file of digests describes the code that runs.

    If a person started the stage, the file is brought up to date instead.
    """
    if by_hand:
        update_text(file, json_text(code))
        return
    seen = read_json(file)
    changed = [name for name in {**seen, **code} if seen.get(name) != code.get(name)]
    if changed:
        raise InputError(
            f"{file}: {', '.join(sorted(changed))} changed after DVC or Snakemake had read them; "
            f"start it again"
        )


def _snakemakes_order(command: str) -> Order:
    """Return Snakemake's order, which this stage carries out."""
    file = os.environ[ORDER]
    order = Order(**read_json(Path(file)))
    if command not in order.commands:
        raise InputError(f"{file}: this order does not run `{command}`; unset {ORDER}")
    return order


def _definition(experiment: str, command: str) -> Order | None:
    """Return dvc.yaml's definition of the stage that runs a command, if DVC is there and knows one."""
    try:
        # Imported by name. Otherwise the module graph would count as code of every stage.
        order: Order = importlib.import_module("attnmt.workflow.graph").find_order(
            experiment, command
        )
    except (ImportError, InputError, OSError):
        return None  # no engine here asks for a record
    return order
