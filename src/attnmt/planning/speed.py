"""How fast a model trains: measured now, taken from finished trainings, or the paper's.

A speed is kept in operations a second, so that it holds for other models too. ``cost.py`` counts the
operations of a model. Smaller models reach fewer a second, because they spend more of their time on what
is not counted.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from tqdm import tqdm

from attnmt.config import ModelShape, System, Training
from attnmt.layout import Layout
from attnmt.model.device import best_device
from attnmt.model.precision import products_in
from attnmt.model.trained import read_config, read_provenance
from attnmt.model.translator import ModelConfig, Translator
from attnmt.planning.cost import work
from attnmt.planning.recorded import machine
from attnmt.planning.text_size import Lengths, TextSize
from attnmt.text.batches import Batch, make_batch
from attnmt.training.machine import keep_freed_memory, surroundings
from attnmt.training.step import Step

WARM_UP, MEASURED = 3.0, 15.0  # seconds; a batch that has begun is finished
FIRST_ID = 3  # after <unk>, <s> and </s>


@dataclass(frozen=True)
class Speed:
    """The speed that one training reached on one device."""

    training: str
    device: str
    target_words: float  # per second; ``</s>`` is counted, too
    flop: float  # operations per second in products of matrices

    @classmethod
    def of(
        cls, training: str, device: str, target_words: float, config: ModelConfig, lengths: Lengths
    ) -> Self:
        """Return the speed of a model from its target words a second."""
        flop = target_words * work(config, lengths).training_flop
        return cls(training, device, target_words, flop)

    @property
    def cost(self) -> float:
        """Operations for one target word of this training."""
        return self.flop / self.target_words

    def hours(self, target_words: float, config: ModelConfig, lengths: Lengths) -> float:
        """Return how many hours another training takes at this many operations a second."""
        return target_words * work(config, lengths).training_flop / self.flop / 3600


def paper_speed() -> Speed:
    """Return the paper's 1,000 target words/s (section 4.1), taken as the speed of its best system."""
    system = System(attention="local_p", score="general", input_feeding=True, reverse=True)
    shape = ModelShape(layers=4, size=1000, window_D=10, location_slots=50, init=0.1)
    pairs, en, de = 4.5, 116, 110  # millions
    lengths = Lengths(en / pairs, de / pairs + 1)
    config = ModelConfig(system, shape, 50_000, 50_000)
    return Speed.of("the paper's best system", "Tesla K40", 1000, config, lengths)


def finished_speeds(experiment: str, root: Path = Path()) -> list[Speed]:
    """Return, for each device, the speed of the largest training that was finished on it.

    The largest is the one whose target word costs most. If the experiment has finished trainings, only
    these count; otherwise those of all experiments do. A training whose encoded text is gone does not
    count, because only that text says how long its sentences were.

    Raises:
        InputError: if a model's files are damaged, or another version of this program wrote them.
    """
    paths = sorted(root.glob(f"models/{experiment}/*/provenance.json"))
    largest: dict[str, Speed] = {}  # by device
    for path in paths or sorted(root.glob("models/*/*/provenance.json")):
        speed = _finished_speed(path.parent, root)
        if speed and (speed.device not in largest or speed.cost > largest[speed.device].cost):
            largest[speed.device] = speed
    return list(largest.values())


def _finished_speed(folder: Path, root: Path) -> Speed | None:
    """Return the speed of the training that made a model; None if its encoded text is gone."""
    facts = read_provenance(folder)
    encoded = Layout(facts.experiment, root).encoded(facts.family)
    if not (encoded / "summary.json").exists():
        return None
    trained = read_config(folder)
    words = trained.source_words, trained.target_words
    config = ModelConfig(trained.system, trained.shape, *words)
    lengths = TextSize.read(encoded, trained.sets.train).lengths(config.system)
    name, device = f"{facts.experiment}/{facts.model}", machine(facts.device, facts.threads)
    return Speed.of(name, device, facts.target_words_per_second, config, lengths)


def measure(
    name: str,
    config: ModelConfig,
    recipe: Training,
    lengths: Lengths,
    threads: int,
    graphs: bool = True,
) -> Speed:
    """Train a model on random ids for some seconds, on the best device, and return its speed.

    All sentences of a batch have the mean lengths, so that none is padded; nothing is written.

    Args:
        lengths: the lengths of each sentence pair; they are rounded.
        threads: how many threads to use on the CPU, but never more than it has cores.
        graphs: whether a GPU may run the steps as CUDA graphs.
    """
    torch.set_num_threads(min(threads, os.cpu_count() or 1))
    keep_freed_memory()
    device = best_device()
    model = Translator(config).to(device)
    model.initialize(1)
    model.train()
    batch = _random_batch(config, recipe.batch_size, lengths).to(device)
    step = Step(model, recipe, graphs=graphs)

    def train_one_batch() -> None:
        step(batch, 0.0)  # at rate 0 the work is the same, and no weight diverges
        if device.type == "cuda":
            torch.cuda.synchronize()

    with products_in(recipe.precision, device):
        _batches_a_second(train_one_batch, WARM_UP)
        words = int(batch.lengths.sum()) * _batches_a_second(train_one_batch, MEASURED)
    facts = surroundings(device)
    where = machine(facts["device"], facts["threads"])
    return Speed.of(f"{name} (measured now, without padding)", where, words, config, lengths)


def _batches_a_second(train_one_batch: Callable[[], None], seconds: float) -> float:
    count, started = 0, time.monotonic()
    with tqdm(desc="seconds", total=round(seconds), disable=None, leave=False) as bar:
        while (passed := time.monotonic() - started) < seconds or not count:
            train_one_batch()
            count += 1
            bar.update(int(min(passed, seconds)) - bar.n)
    return count / passed


def _random_batch(config: ModelConfig, pairs: int, lengths: Lengths) -> Batch:
    rng = np.random.default_rng(1)

    def sentences(vocabulary: int, length: int) -> list[NDArray[np.int32]]:
        ids = rng.integers(FIRST_ID, vocabulary, (pairs, max(1, length)), dtype=np.int32)
        return list(ids)

    source, target = map(round, lengths)
    return make_batch(
        sentences(config.source_words, source),
        sentences(config.target_words, target - 1),  # </s> follows
        config.system.reverse,
    )
