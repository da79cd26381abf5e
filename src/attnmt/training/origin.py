"""Which code wrote the checkpoints of a training, and at which commits it ran."""

import logging
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from attnmt.errors import InputError
from attnmt.files.text_file import read_json, write_json
from attnmt.training.failure import NOTE

FILE = "origin.json"
CHECKPOINTS = "*.safetensors"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Origin:
    """Where a training comes from: digest of its code, every commit that it ran at, its first start."""

    code: str
    commits: list[str]
    # In UTC, for example 2015-08-17T12:00:00Z. It tells a training from a later one of the same name.
    started: str


def claim(folder: Path, now: Origin, other_code: Literal["refuse", "restart"]) -> Origin:
    """Return the origin of the training that goes on from a folder's checkpoints, or begins there.

    Args:
        folder: the folder of ``Checkpoints``, which this process has locked.
        now: the origin of a training that begins now.
        other_code: what to do about checkpoints that other code wrote. ``refuse`` refuses the training;
            ``restart`` deletes them and starts from the beginning.

    Raises:
        InputError: if the training is refused.
    """
    path = folder / FILE
    before = Origin(**read_json(path)) if path.exists() else None
    if before is None or before.code != now.code:
        _clear_or_refuse(folder, before, other_code)
    elif any(folder.glob(CHECKPOINTS)):
        now = replace(before, commits=list(dict.fromkeys([*before.commits, *now.commits])))
    write_json(path, asdict(now))
    return now


def _clear_or_refuse(folder: Path, before: Origin | None, other_code: str) -> None:
    """Delete what a training by other code left in a folder, or refuse its checkpoints."""
    checkpoints = list(folder.glob(CHECKPOINTS))
    if checkpoints:
        commits = ", ".join(before.commits) if before else "unknown"
        fault = f"{folder}: other code wrote these checkpoints (commit {commits})"
        if other_code == "refuse":
            raise InputError(
                f"{fault}; go back to that code and the training goes on; to train from the beginning, "
                f"delete the folder or set machine.other_code to restart"
            )
        log.warning("%s; training from the beginning", fault)
    for path in (*checkpoints, folder / NOTE):
        path.unlink(missing_ok=True)
