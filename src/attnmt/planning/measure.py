"""Measure how fast this machine trains, by training some models for seconds on random words."""

import os
import time
from collections.abc import Callable, Sequence

import numpy as np
import torch
from tqdm import tqdm

from attnmt.config import Params, Training
from attnmt.errors import InputError
from attnmt.files.json_file import read_model
from attnmt.files.text_file import write_json
from attnmt.layout import Layout
from attnmt.model.device import best_device
from attnmt.model.instructions import compute_with
from attnmt.model.precision import products_in
from attnmt.model.translator import ModelConfig, Translator
from attnmt.planning.cost import config_of, training_costs
from attnmt.planning.text_size import Lengths, training_sizes
from attnmt.planning.times import AGAIN, Speed, Speeds, speed_settings
from attnmt.text.batches import Batch, make_batch
from attnmt.training.machine import keep_freed_memory, surroundings
from attnmt.training.step import Step
from attnmt.training.trained import machine

SECONDS = 18.0  # in all; a batch that has begun is finished
WARM_UP = 1 / 6  # of these
FIRST_ID = 3  # after <unk>, <s> and </s>


def measure_speeds(params: Params, names: Sequence[str]) -> None:
    """Train for some seconds, in each family, the model whose target word costs most.

    The speeds are remembered for the experiment, beside those of other families.

    Args:
        names: the models whose families are measured.

    Raises:
        InputError: if the lengths of the sentences are not known, or the file of speeds is damaged.
    """
    sizes = training_sizes(params, names)
    known = [name for name in names if params.model(name).family in sizes]
    if not known:
        raise InputError(
            f"the lengths of the sentences of {params.experiment} are not known; run its encode "
            f"stages first"
        )
    file = Layout(params.experiment).speed
    earlier = read_model(file, Speeds, AGAIN).families if file.exists() else {}
    compute_with(params.machine.instructions)
    costs = training_costs(params, known, sizes)
    largest = {params.model(name).family: name for name in sorted(known, key=costs.__getitem__)}
    torch.set_num_threads(min(params.machine.train_threads, os.cpu_count() or 1))
    keep_freed_memory()
    device, speeds = best_device(), {}
    facts = surroundings(device)
    for family, name in largest.items():
        recipe, text = params.recipe(name), sizes[family]
        config, lengths = config_of(params, name, text), text.lengths(params.model(name).system)
        words = target_words_a_second(config, recipe, lengths, device, SECONDS / len(largest))
        speeds[family] = Speed(
            training=f"{name} (measured, without padding)",
            device=machine(facts["device"], facts["threads"]),
            settings=speed_settings(params, family),
            flop=costs[name] * words,
        )
    write_json(file, Speeds(families=earlier | speeds).model_dump())


def target_words_a_second(
    config: ModelConfig, recipe: Training, lengths: Lengths, device: torch.device, seconds: float
) -> float:
    """Train on random ids for some seconds; return the target words a second. Nothing is written.

    Args:
        lengths: the mean lengths of a sentence pair. All pairs of a batch have them, rounded, so that
            none is padded.
    """
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
        batches = _batches_a_second(train_one_batch, (1 - WARM_UP) * seconds)
    return int(batch.lengths.sum()) * batches


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
    source, target = (max(1, round(length)) for length in lengths)
    sources = rng.integers(FIRST_ID, config.source_words, (pairs, source), dtype=np.int32)
    # </s> follows the target words.
    targets = rng.integers(
        FIRST_ID, config.target_words, (pairs, max(1, target - 1)), dtype=np.int32
    )
    return make_batch(list(sources), list(targets), config.system.reverse)
