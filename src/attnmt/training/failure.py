"""Trainings that failed, and which of them are tried again.

Snakemake tries a failed stage again as often as it was told (profiles/slurm), whatever the exit status
was. So a training notes in its checkpoints' folder how it failed. Another try is refused at once if it
would only fail again: after a cost or weights that are not finite, and after two failures without a new
checkpoint in between. A stop, a signal and a fault that a person can fix (a full disk) are not noted.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import ValidationError

from attnmt.config.strict import Strict
from attnmt.errors import InputError
from attnmt.files.text_file import write_text

NOTE = "failed.json"


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
