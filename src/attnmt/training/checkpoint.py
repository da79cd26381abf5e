"""Checkpoints: everything that an interrupted training needs to end with the same bytes."""

import json
import math
import os
import platform
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path

import torch
from filelock import FileLock, Timeout
from torch import Tensor, nn

from attnmt.errors import InputError
from attnmt.files.atomic import check_place
from attnmt.files.text_file import write_text
from attnmt.layout import LAST
from attnmt.training.attempts import diverged
from attnmt.training.state import TrainingState
from attnmt.training.tensor_file import finite, read_tensors, write_tensors
from attnmt.training.trained import read_config


class Checkpoints:
    """The folder of one training's checkpoints: the last one, and the best weights until then.

    A checkpoint is due after an evaluation, and ``minutes`` after the last one.
    """

    def __init__(self, folder: Path, minutes: float) -> None:
        self.folder = folder
        self.minutes = minutes
        self._held = TrainingState()  # what the last checkpoint holds
        self._time = time.monotonic()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes out of the folder.

        Raises:
            InputError: if another process has locked it, or it cannot be made or locked.
        """
        lock, owner = self.folder / "lock", self.folder / "owner"
        check_place(self.folder, folder=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            taken = FileLock(lock, timeout=0, fallback_to_soft=False).acquire()
        except Timeout:
            who = owner.read_text().strip() if owner.exists() else "another process"
            raise InputError(
                f"{self.folder}: {who} trains here; wait for it or stop it (if it is gone together with "
                f"its machine, delete {lock})"
            ) from None
        except OSError as error:
            raise InputError(
                f"{lock}: cannot be locked ({error.strerror}); it must be writable, on a file system "
                f"with locks (flock); checkpoints/ may be a link to a folder elsewhere"
            ) from None
        with taken:
            for path in self.folder.glob("*.partial"):
                path.unlink()  # left by a process that was killed while it wrote
            write_text(owner, f"process {os.getpid()} on {platform.node()}\n")
            try:
                yield
            finally:
                owner.unlink(missing_ok=True)

    def due(self, progress: TrainingState) -> bool:
        """Say whether there is an evaluation that no checkpoint holds, or batches for too long."""
        old = time.monotonic() - self._time > 60 * self.minutes
        evaluated = len(progress.history) > len(self._held.history)
        return evaluated or (old and progress.step > self._held.step)

    def save(
        self, model: nn.Module, optimizer: torch.optim.Optimizer, progress: TrainingState
    ) -> None:
        """Write the whole state of the training, all or nothing.

        Raises:
            InputError: if the disk is full, or the state is not finite; the last checkpoint stays.
        """
        self._refuse_diverged(model, progress)
        tensors = {f"model.{name}": value for name, value in model.state_dict().items()}
        tensors |= {f"optimizer.{name}": value for name, value in _state(optimizer).items()}
        tensors["random.cpu"] = torch.get_rng_state()
        if torch.cuda.is_available():
            tensors["random.cuda"] = torch.cuda.get_rng_state()
        self._write(LAST, tensors, json.dumps(asdict(progress)))
        for path in self.folder.glob("*.safetensors"):
            if path.name not in (LAST, self._best(progress).name):
                path.unlink()
        self._hold(progress)

    def save_best(self, model: nn.Module, progress: TrainingState) -> None:
        """Keep the weights of ``progress.best_step``; ``save`` deletes those no longer needed."""
        self._refuse_diverged(model, progress)
        self._write(self._best(progress).name, model.state_dict(), "")

    def load(self, model: nn.Module, optimizer: torch.optim.Optimizer) -> TrainingState:
        """Restore the state of the last ``save``. Without a checkpoint, return a fresh TrainingState.

        Raises:
            InputError: if the checkpoint is damaged, or of another program.
        """
        path = self.folder / LAST
        if not path.exists():
            return TrainingState()
        try:
            tensors, metadata = read_tensors(path)
            progress = TrainingState(**json.loads(metadata["progress"]))
            model.load_state_dict(_under("model.", tensors))
            _restore(optimizer, _under("optimizer.", tensors))
            if progress.best_step:
                self.load_best(progress)  # damage must show now, not days later at the end
        except (ValueError, TypeError, KeyError, RuntimeError) as error:
            raise InputError(
                f"{path}: damaged, or of another program ({error}); go back to that program, or delete "
                f"{self.folder} to train from the start"
            ) from error
        torch.set_rng_state(tensors["random.cpu"])
        if torch.cuda.is_available() and "random.cuda" in tensors:
            torch.cuda.set_rng_state(tensors["random.cuda"])
        self._hold(progress)
        return progress

    def load_best(self, progress: TrainingState) -> dict[str, Tensor]:
        """Return the weights with the lowest development cost."""
        return read_tensors(self._best(progress))[0]

    def _hold(self, progress: TrainingState) -> None:
        self._held = replace(progress, history=[*progress.history])
        self._time = time.monotonic()

    def _refuse_diverged(self, model: nn.Module, progress: TrainingState) -> None:
        if not math.isfinite(progress.recent_cost):
            raise diverged(self.folder, "the cost is", progress.step)
        if not all(map(finite, model.state_dict().values())):
            raise diverged(self.folder, "the weights are", progress.step)

    def _best(self, progress: TrainingState) -> Path:
        return self.folder / f"best-{progress.best_step}.safetensors"

    def _write(self, name: str, tensors: dict[str, Tensor], progress: str) -> None:
        try:
            write_tensors(self.folder / name, tensors, {"progress": progress})
        except InputError as error:
            size = sum(v.nbytes for v in tensors.values()) // 10**6 + 1
            raise InputError(
                f"{error}: this file takes {size} MB, and the training goes on from batch "
                f"{self._held.step}"
            ) from error


def discard(checkpoints: Path, model: Path) -> None:
    """Delete the checkpoints of the training that made a model, once its outputs are safe elsewhere.

    Nothing is deleted while a process trains there. A file that cannot be deleted stays.
    """
    if not checkpoints.exists():
        return
    folder = checkpoints / read_config(model).fingerprint
    with suppress(InputError, OSError), Checkpoints(folder, minutes=0).locked():
        shutil.rmtree(folder, ignore_errors=True)
    for empty in (folder, checkpoints):  # NFS keeps the folder until the lock in it is closed
        with suppress(OSError):
            empty.rmdir()


def _under(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}


def _state(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Return what an optimizer remembers, as ``<number of the parameter>.<name>``."""
    return {
        f"{number}.{name}": value
        for number, values in optimizer.state_dict()["state"].items()
        for name, value in values.items()
        if value is not None
    }


def _restore(optimizer: torch.optim.Optimizer, state: dict[str, Tensor]) -> None:
    """Have an optimizer go on from what ``_state`` returned."""
    if state and not isinstance(optimizer, torch.optim.Adam):
        raise ValueError("sgd remembers nothing from step to step")
    by_parameter: dict[int, dict[str, Tensor]] = {}
    for key, value in state.items():
        number, _, name = key.partition(".")
        by_parameter.setdefault(int(number), {})[name] = value
    optimizer.load_state_dict(optimizer.state_dict() | {"state": by_parameter})
