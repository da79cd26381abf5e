"""What the outputs of a stage were made of, noted by the stage itself.

DVC notes this in dvc.lock, but only for the stages that it ran. A stage that Snakemake or a person
starts writes a record: its command, and the digests of its inputs and of its outputs. Among the inputs
are its code and its parameters (:mod:`attnmt.workflow.dependencies`). So the content of files, and not
their times, shows what made them.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attnmt.errors import InputError
from attnmt.files.json_file import Record, read_model
from attnmt.files.text_file import read_json, write_json

DVC_STAGE = "DVC_STAGE"  # set by DVC: the stage that it runs, [file:]name
DEPENDS = "depends/"  # the folder of the files of code and parameters
NOT_CONTENT = "*.partial"  # not counted, as in .dvcignore
NO_RECORD = "no record"

Digest = Callable[[Path], str | None]
Digests = dict[str, str | None]  # by path


class Run(Record):
    """A stage that has run: what decided its outputs, and what it made."""

    command: str
    inputs: Digests
    outputs: Digests
    decided: Any = None  # the content of its file of code and parameters; dvc.lock does not keep it


@dataclass(frozen=True, kw_only=True)
class Task:
    """A stage to run. Paths are relative to the project's folder, as dvc.yaml has them."""

    name: str
    command: str
    inputs: list[str]
    outputs: list[str]
    # dvc.lock or a record says that its outputs, and those of every stage before it, are of what is here
    done: bool = False


def digest_of_content(content: bytes) -> str:
    """Return the digest that DVC gives a file with this content."""
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def file_digest(path: Path) -> str:
    """Return the digest of a file as DVC computes it."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def dvc_digest(path: Path, of_file: Callable[[Path], str] = file_digest) -> str | None:
    """Return the digest of a file or a folder as DVC computes it; None if it does not exist.

    Args:
        of_file: returns the digest of a file; DVC remembers those of files that have not changed.
    """
    if path.is_file():
        return of_file(path)
    if not path.is_dir():
        return None
    files = (file for file in path.rglob("*") if file.is_file())
    entries = [
        {"md5": of_file(file), "relpath": file.relative_to(path).as_posix()}
        for file in files
        if not file.match(NOT_CONTENT)
    ]
    entries.sort(key=lambda entry: entry["relpath"])
    return digest_of_content(json.dumps(entries, sort_keys=True).encode()) + ".dir"


def changes(run: Run | None, task: Task, digest: Digest) -> list[str]:
    """Return what has changed since a run made outputs; nothing if exactly this stage made them."""
    if run is None or None in run.outputs.values():
        return [NO_RECORD]
    if run.command != task.command:
        return ["command"]
    return [
        *_differing("outputs", run.outputs, _digests(task.outputs, digest)),
        *_differing("inputs", run.inputs, _digests(task.inputs, digest), run.decided),
    ]


def _differing(what: str, before: Digests, now: Digests, decided: Any = None) -> Iterator[str]:
    """Yield the paths whose digests differ; in place of code and parameters, the modules and keys."""
    if None in now.values():
        yield f"{what} missing"
        return
    for path in sorted(before.keys() | now.keys()):
        if before.get(path) == now.get(path):
            continue
        if not path.startswith(DEPENDS):
            yield path
        elif decided is None:
            yield "code or parameters"
        else:
            leaves = {*_leaves(decided)} ^ {*_leaves(read_json(Path(path)))}
            yield from sorted({place for place, _ in leaves}) or ["order of values"]


def _leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values inside a value, each with the keys that lead to it."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _leaves(one, f"{place}.{key}" if place else key)
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one, place)
    else:
        yield place, value


def read_record(path: Path) -> Run | None:
    """Return a record. One that is missing, or that cannot be read, proves nothing."""
    try:
        return read_model(path, Run, "") if path.exists() else None
    except InputError:
        return None


@contextmanager
def recorded(task: Task, record: Path, decided: Any = None) -> Iterator[None]:
    """Run a stage, and record what its outputs were made of. Under DVC, dvc.lock is the record.

    Raises:
        InputError: if an input changed while the stage worked: what it made may be of the old one.
    """
    inputs = _digests(task.inputs, dvc_digest)
    record.unlink(missing_ok=True)
    yield
    for path, now in _digests(task.inputs, dvc_digest).items():
        if now != inputs[path]:
            raise InputError(f"{path}: this changed while the stage worked; start the stage again")
    if DVC_STAGE not in os.environ:
        write_record(record, task, lambda path: inputs.get(str(path)) or dvc_digest(path), decided)


def write_record(path: Path, task: Task, digest: Digest, decided: Any = None) -> None:
    """Record that the present outputs of a stage were made of its present inputs."""
    inputs, outputs = (_digests(paths, digest) for paths in (task.inputs, task.outputs))
    run = Run(command=task.command, inputs=inputs, outputs=outputs, decided=decided)
    write_json(path, run.model_dump())


def write_plan(path: Path, tasks: Iterable[Task]) -> None:
    """Write the stages of an experiment for the jobs of Snakemake, which then need not ask DVC."""
    fields = Task.__dataclass_fields__
    write_json(
        path, {task.command: {name: getattr(task, name) for name in fields} for task in tasks}
    )


def read_plan(path: Path, command: str) -> Task:
    """Return the stage that has a command.

    Raises:
        InputError: if the plan is damaged or has no such stage.
    """
    try:
        return Task(**read_json(path)[command])
    except (KeyError, TypeError):
        raise InputError(f"{path}: has no stage `{command}`; start Snakemake again") from None


def _digests(paths: Iterable[str], digest: Digest) -> Digests:
    return {path: digest(Path(path)) for path in paths}
