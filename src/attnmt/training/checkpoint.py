"""Checkpoints: everything that a killed training needs to end with the same bytes."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
from filelock import FileLock, Timeout
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from attnmt.errors import InputError
from attnmt.files import atomic_path


@dataclass
class Progress:
    """How far a training is, after ``step`` batches."""

    epoch: int = 1
    batch: int = 0  # of the epoch, the next to train on
    step: int = 0
    best_step: int = 0
    best_cost: float = float("inf")  # on the development set, nats a word
    target_words: int = 0  # trained on
    recent_cost: float = 0.0  # summed since the last evaluation, nats
    recent_words: int = 0
    seconds: float = 0.0  # of training, evaluations included; not part of the result
    peak_memory_mb: int = 0  # of all processes that trained; not part of the result
    history: list[dict[str, float]] = field(default_factory=list)


class Checkpoints:
    """The folder of one training's checkpoints: ``last.safetensors`` and the best weights so far.

    ``minutes`` is the time between two checkpoints beside those of the evaluations.
    """

    def __init__(self, folder: Path, minutes: float) -> None:
        self.folder = folder
        self.minutes = minutes

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep the folder to this process.

        Raises:
            InputError: if another process has it.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(self.folder / "lock", timeout=0):
                for path in self.folder.glob("*.partial"):
                    path.unlink()  # of a process that was killed while it wrote
                yield
        except Timeout:
            raise InputError(
                f"{self.folder}: another process trains here; wait for it or stop it"
            ) from None

    def save(self, model: nn.Module, progress: Progress) -> None:
        """Write the whole state of the training, all or nothing."""
        tensors = {f"model.{name}": value for name, value in model.state_dict().items()}
        tensors["random.cpu"] = torch.get_rng_state()
        if torch.cuda.is_available():
            tensors["random.cuda"] = torch.cuda.get_rng_state()
        self._write("last.safetensors", tensors, {"progress": json.dumps(asdict(progress))})
        for path in self.folder.glob("best-*.safetensors"):
            if path != self._best(progress):
                path.unlink()

    def save_best(self, model: nn.Module, progress: Progress) -> None:
        """Keep the weights of ``progress.best_step``; the next ``save`` drops older ones."""
        self._write(self._best(progress).name, model.state_dict(), {})

    def load(self, model: nn.Module) -> Progress:
        """Restore the state of ``save``; a fresh Progress where there is none.

        Raises:
            InputError: if the file is damaged.
        """
        path = self.folder / "last.safetensors"
        if not path.exists():
            return Progress()
        try:
            with safe_open(path, framework="pt") as file:
                progress = Progress(**json.loads(file.metadata()["progress"]))
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            prefix = "model."
            weights = {
                k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)
            }
            model.load_state_dict(weights)
        except (SafetensorError, ValueError, KeyError, TypeError, RuntimeError) as error:
            raise InputError(
                f"{path}: the checkpoint does not fit this program or is damaged ({error}); go back "
                f"to the program that wrote it, or delete it to train from the start"
            ) from error
        torch.set_rng_state(tensors["random.cpu"])
        if torch.cuda.is_available() and "random.cuda" in tensors:
            torch.cuda.set_rng_state(tensors["random.cuda"])
        return progress

    def load_best(self, progress: Progress) -> dict[str, Tensor]:
        """Return the weights with the lowest development cost."""
        return load_file(self._best(progress))

    def clear(self) -> None:
        """Delete the checkpoints of a training that has delivered its outputs."""
        for path in self.folder.glob("*.safetensors"):
            path.unlink()

    def _best(self, progress: Progress) -> Path:
        return self.folder / f"best-{progress.best_step}.safetensors"

    def _write(self, name: str, tensors: dict[str, Tensor], metadata: dict[str, str]) -> None:
        with atomic_path(self.folder / name) as partial:
            save_file({k: v.contiguous() for k, v in tensors.items()}, partial, metadata)
