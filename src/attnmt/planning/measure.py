"""Measure how fast this machine trains, by training a model for some seconds on random words."""

import os
import time
from collections.abc import Callable

import numpy as np
import torch
from tqdm import tqdm

from attnmt.config import Params, Training
from attnmt.errors import InputError
from attnmt.files.text_file import write_json
from attnmt.layout import Layout
from attnmt.model.device import best_device
from attnmt.model.precision import products_in
from attnmt.model.translator import ModelConfig, Translator
from attnmt.planning.cost import config_of, training_costs
from attnmt.planning.text_size import Lengths, training_size
from attnmt.planning.times import Speed
from attnmt.text.batches import Batch, make_batch
from attnmt.training.machine import keep_freed_memory, surroundings
from attnmt.training.step import Step
from attnmt.training.trained import machine

WARM_UP, MEASURED = 3.0, 15.0  # seconds; a batch that has begun is finished
FIRST_ID = 3  # after <unk>, <s> and </s>


def measure(params: Params) -> Speed:
    """Train for some seconds the model whose target word costs most; remember and return its speed.

    Raises:
        InputError: if the lengths of the sentences are not known.
    """
    known = [n for n, model in params.models.items() if training_size(params, model.family)]
    if not known:
        raise InputError(
            f"the lengths of the sentences of {params.experiment} are not known; run its encode "
            f"stages first"
        )
    costs = training_costs(params, known)
    name = max(costs, key=lambda name: costs[name])
    text = training_size(params, params.model(name).family)
    assert text is not None, f"{name} is one of the known ones"
    config, lengths = config_of(params, name), text.lengths(params.model(name).system)
    device, words = target_words_a_second(
        config, params.recipe(name), lengths, params.machine.train_threads
    )
    speed = Speed.of(f"{name} (measured, without padding)", device, words, config, lengths)
    write_json(Layout(params.experiment).speed, speed.model_dump())
    return speed


def target_words_a_second(
    config: ModelConfig, recipe: Training, lengths: Lengths, threads: int
) -> tuple[str, float]:
    """Train on random ids, on the best device; return its name and the target words a second.

    All sentences of a batch have the mean lengths, so that none is padded; nothing is written.

    Args:
        lengths: the lengths of each sentence pair; they are rounded.
        threads: how many threads to use on the CPU, but never more than it has cores.
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
        _batches_a_second(train_one_batch, WARM_UP)
        words = int(batch.lengths.sum()) * _batches_a_second(train_one_batch, MEASURED)
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
