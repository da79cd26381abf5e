"""Small trainings: a text to learn, a model, settings, and runs that die or are stopped."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from attnmt.config import ModelShape, System, TrainingSettings
from attnmt.model.luong import LuongNMT, ModelConfig
from attnmt.text.batches import ParallelText
from attnmt.text.encoded import EncodedText
from attnmt.training.checkpoint import Checkpoints
from attnmt.training.loop import train
from attnmt.training.state import TrainingState
from attnmt.training.stop import Stop, TrainingStopped

SETTINGS = TrainingSettings(
    batch_size=8,
    learning_rate=1.0,
    epochs=3,
    halve_after=2,
    schedule="paper",
    clip_norm=5.0,
    clip_embeddings=False,
    shuffle="corpus",
    chunk_batches=4,
    precision="fp32",
    evaluate_every=7,
)
ADAM = SETTINGS.model_copy(update={"optimizer": "adam", "learning_rate": 0.01})
FEEDING = System(
    attention="local_p", score="general", input_feeding=True, reverse=True, dropout=0.2
)


def encoded(sentences: list[np.ndarray]) -> EncodedText:
    offsets = np.cumsum([0, *map(len, sentences)])
    return EncodedText(np.concatenate(sentences).astype(np.int32), offsets)


def reversal(count: int, seed: int, reverse: bool, words: int = 8) -> ParallelText:
    """Return pairs whose target is the source reversed."""
    rng = np.random.default_rng(seed)
    sources = [rng.integers(3, words, rng.integers(1, 7)) for _ in range(count)]
    return ParallelText(encoded(sources), encoded([s[::-1] for s in sources]), reverse)


def small(system: System, size: int = 8) -> LuongNMT:
    # Drawn from a narrower range, so small a model would not learn in so few batches.
    shape = ModelShape(layers=2, size=size, window_D=10, location_slots=50, init=0.6)
    model = LuongNMT(ModelConfig(system, shape, 8, 8))
    model.initialize(1)  # what lies in fresh memory may not be a number
    return model


def held_by(checkpoints: Checkpoints, model: LuongNMT | None = None) -> TrainingState:
    """Load the last checkpoint, into ``model`` if one is given; return how far the training is."""
    model = model or small(FEEDING)
    return checkpoints.load(model, torch.optim.SGD(model.parameters()))


class KilledError(Exception):
    pass


class StopAfter(Stop):
    """Asks the training to stop after it has been consulted a number of times."""

    def __init__(self, questions: int) -> None:
        super().__init__()
        self.left = questions

    @property
    def asked(self) -> bool:
        self.left -= 1
        return self.left < 0


def run(
    folder: Path,
    kill_after: Iterator[int] | None = None,
    device: str = "cpu",
    stop_after: Iterator[int] | None = None,
    settings: TrainingSettings = SETTINGS,
) -> tuple[dict[str, bytes], list, dict]:
    """Train to the end, whatever interrupts it; return the weights, the history and the metrics.

    Args:
        folder: where checkpoints lie.
        kill_after: how many checkpoints each start of the training saves before it dies.
        stop_after: how often each start may ask whether to stop before the answer is yes. A training
            asks between batches.
    """
    text, dev = reversal(150, 1, reverse=True), reversal(20, 2, reverse=True)
    while True:
        stop = StopAfter(next(stop_after, 10**9)) if stop_after else None
        model, checkpoints = small(FEEDING).to(device), Checkpoints(folder, minutes=0)
        left = next(kill_after, 10**9) if kill_after else 10**9
        save = checkpoints.save

        def save_or_die(*args: object, save: object = save) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise KilledError
            save(*args)  # type: ignore[operator]

        checkpoints.save = save_or_die  # type: ignore[method-assign]
        try:
            progress, metrics = train(
                model, text, {"dev": dev}, settings, 1, checkpoints, lambda row: None, stop
            )
        except (KilledError, TrainingStopped):
            continue
        weights = {k: v.cpu().numpy().tobytes() for k, v in model.state_dict().items()}
        return weights, progress.history, metrics
