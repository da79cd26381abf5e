"""What earlier starts of a training left beside its checkpoints: which code wrote them, and when."""

import logging
from pathlib import Path
from typing import Literal

from attnmt.errors import InputError
from attnmt.files.json_file import Record, Text, read_model
from attnmt.files.text_file import write_json
from attnmt.layout import ORIGIN

CHECKPOINTS = "*.safetensors"

log = logging.getLogger(__name__)


class Origin(Record):
    """Where a training comes from: its code, its first start, and all commits and devices it ran on."""

    code: Text  # its digest
    commits: list[Text]
    devices: list[Text]
    # In UTC, for example 2015-08-17T12:00:00Z. It tells a training from a later one of the same name.
    started: Text


def resume_or_reset(folder: Path, now: Origin, other_code: Literal["refuse", "restart"]) -> Origin:
    """Return the origin of the training that goes on from a folder's checkpoints, or begins there.

    Args:
        folder: the folder of ``Checkpoints``, which this process has locked.
        now: the origin of a training that begins now.
        other_code: what to do about checkpoints that other code wrote. ``refuse`` refuses the training;
            ``restart`` deletes them and starts from the beginning.

    Raises:
        InputError: if the training is refused, or its origin cannot be read.
    """
    path = folder / ORIGIN
    cure = f"delete {folder} to train from the beginning"
    before = read_model(path, Origin, cure) if path.exists() else None
    if before is None or before.code != now.code:
        _clear_or_refuse(folder, before, other_code)
    elif any(folder.glob(CHECKPOINTS)):
        both = {key: [*getattr(before, key), *getattr(now, key)] for key in ("commits", "devices")}
        unique = {key: list(dict.fromkeys(values)) for key, values in both.items()}
        now = before.model_copy(update=unique)
    write_json(path, now.model_dump())
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
    for path in checkpoints:
        path.unlink()


def diverged(folder: Path, what: str, step: int) -> InputError:
    """Return the error of a training that cannot go on from the folder of its checkpoints."""
    return InputError(
        f"{folder}: {what} not finite after batch {step}; delete the folder and train with a smaller "
        f"training.learning_rate or training.clip_norm"
    )
