"""What earlier starts of a training left beside its checkpoints: their code, and how they failed.

``origin.json`` says which code wrote the checkpoints, and at which commits it ran.

``failed.json`` says how a training failed. Snakemake tries a failed stage again as often as it was told
(profiles/slurm), whatever the exit status was. Another try is refused at once if it would only fail
again: after a cost or weights that are not finite, and after two failures without a new checkpoint in
between. A stop, a signal and a fault that a person can fix (a full disk) are not noted.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from attnmt.config.strict import Strict
from attnmt.errors import InputError
from attnmt.files.text_file import read_json, write_json, write_text

ORIGIN, NOTE = "origin.json", "failed.json"
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
    path = folder / ORIGIN
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


class DivergedError(InputError):
    """A cost or weights are not finite: the same training would end in the same way."""

    def __init__(self, folder: Path, what: str, step: int) -> None:
        """Name the folder of the checkpoints, what is not finite, and the last batch."""
        super().__init__(
            f"{folder}: {what} not finite after batch {step}; delete the folder and train with a "
            f"smaller training.learning_rate or training.clip_norm"
        )


class Failure(Strict):
    """How a training failed."""

    message: str  # what a person reads who tries a final one again
    batch: int  # the last batch of the checkpoint that it had started from
    final: bool  # whether it is not to be tried again


def refuse_failed(folder: Path) -> None:
    """Refuse a training that has failed for good.

    Raises:
        InputError: if the note in ``folder``, where the checkpoints are, says so; the message is the one
            in the note. It is also raised if the note is damaged.
    """
    failure = _read(folder / NOTE)
    if failure is not None and failure.final:
        raise InputError(failure.message)


@contextmanager
def noted_failures(folder: Path, batch: int) -> Iterator[None]:
    """If the training fails, note it in ``folder`` and raise the error.

    ``batch`` is the last one of the checkpoint that the training started from.
    """
    before = _read(folder / NOTE)
    try:
        yield
    except DivergedError as error:
        _write(folder / NOTE, Failure(message=str(error), batch=batch, final=True))
        raise
    except InputError:
        raise
    except Exception as error:
        first_line = next(iter(str(error).splitlines()), "")
        message = (
            f"{folder}: the training failed twice after batch {batch}, without a checkpoint in between "
            f"({type(error).__name__}: {first_line}); once the cause is gone, delete {folder / NOTE} to "
            f"go on from there"
        )
        final = before is not None and before.batch == batch
        _write(folder / NOTE, Failure(message=message, batch=batch, final=final))
        raise


def _read(note: Path) -> Failure | None:
    try:
        return Failure.model_validate_json(note.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        raise InputError(f"{note}: damaged; delete it to train on") from error


def _write(note: Path, failure: Failure) -> None:
    # If the note cannot be written, the first error must still end the training.
    with suppress(InputError, OSError):
        write_text(note, failure.model_dump_json(indent=2) + "\n")
