"""Measure how fast this machine trains, by training some models for seconds on random words."""

import os
import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from tqdm import tqdm

from attnmt.config import Params, Training
from attnmt.errors import InputError
from attnmt.files.text_file import write_json
from attnmt.layout import Layout
from attnmt.model.device import best_device
from attnmt.model.instructions import hold
from attnmt.model.precision import products_in
from attnmt.model.translator import ModelConfig, Translator
from attnmt.planning.cost import config_of, training_costs
from attnmt.planning.text_size import Lengths, TextSize
from attnmt.planning.times import Speed, Speeds
from attnmt.text.batches import Batch, make_batch
from attnmt.training.machine import keep_freed_memory, surroundings
from attnmt.training.step import Step
from attnmt.training.trained import machine

SECONDS = 18.0  # in all; a batch that has begun is finished
WARM_UP = 1 / 6  # of these
FIRST_ID = 3  # after <unk>, <s> and </s>


def measure(params: Params, names: Sequence[str], sizes: Mapping[str, TextSize]) -> list[Speed]:
    """Train for some seconds, in each family, the model whose target word costs most.

    Return the speeds and remember them for the experiment.

    Args:
        names: the models whose families are measured.
        sizes: the sizes of the families' texts.

    Raises:
        InputError: if the lengths of the sentences are not known.
    """
    known = [name for name in names if params.model(name).family in sizes]
    if not known:
        raise InputError(
            f"the lengths of the sentences of {params.experiment} are not known; run its encode "
            f"stages first"
        )
    hold(params.machine.instructions)
    costs = training_costs(params, known, sizes)
    largest: dict[str, str] = {}  # a model of each family
    for name in sorted(known, key=lambda name: costs[name]):
        largest[params.model(name).family] = name
    speeds = []
    for family, name in largest.items():
        recipe, text = params.recipe(name), sizes[family]
        config, lengths = config_of(params, name, text), text.lengths(params.model(name).system)
        threads, seconds = params.machine.train_threads, SECONDS / len(largest)
        device, words = target_words_a_second(config, recipe, lengths, threads, seconds)
        speeds.append(
            Speed(
                training=f"{name} (measured, without padding)",
                device=device,
                precision=recipe.precision,
                step=costs[name] * recipe.batch_size,
                flop=costs[name] * words,
            )
        )
    write_json(Layout(params.experiment).speed, Speeds(measured=speeds).model_dump())
    return speeds


def target_words_a_second(
    config: ModelConfig, recipe: Training, lengths: Lengths, threads: int, seconds: float
) -> tuple[str, float]:
    """Train on random ids, on the best device; return its name and the target words a second.

    All sentences of a batch have the mean lengths, so that none is padded; nothing is written.

    Args:
        lengths: the lengths of each sentence pair; they are rounded.
        threads: how many threads to use on the CPU, but never more than it has cores.
        seconds: how long to train.
    """
    torch.set_num_threads(min(threads, os.cpu_count() or 1))
    keep_freed_memory()
    device = best_device()
    model = Translator(config).to(device)
    model.initialize(1)
    model.train()
    batch = _random_batch(config, recipe.batch_size, lengths).to(device)
    step = Step(model, recipe)

    def train_one_batch() -> None:
        step(batch, 0.0)  # at rate 0 the work is the same, and no weight diverges
        if device.type == "cuda":
            torch.cuda.synchronize()

    with products_in(recipe.precision, device):
        _batches_a_second(train_one_batch, WARM_UP * seconds)
        measured = (1 - WARM_UP) * seconds
        words = int(batch.lengths.sum()) * _batches_a_second(train_one_batch, measured)
    facts = surroundings(device)
    return machine(facts["device"], facts["threads"]), words


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
    source, target = map(round, lengths)
    sources = rng.integers(FIRST_ID, config.source_words, (pairs, max(1, source)), dtype=np.int32)
    # </s> follows the target words.
    targets = rng.integers(
        FIRST_ID, config.target_words, (pairs, max(1, target - 1)), dtype=np.int32
    )
    return make_batch(list(sources), list(targets), config.system.reverse)
