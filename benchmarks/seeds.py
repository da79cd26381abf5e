"""Whether the precision matters: complete trainings of one of the demo's models with several seeds."""

import math
import tempfile
from pathlib import Path

import torch

from attnmt.config import Precision, load_params
from attnmt.layout import Layout
from attnmt.model.precision import products_in
from attnmt.model.translator import ModelConfig, Translator
from attnmt.text.batches import ParallelText
from attnmt.text.encoded import EncodedSets
from attnmt.training.checkpoint import Checkpoints
from attnmt.training.loop import train
from attnmt.training.machine import keep_freed_memory

PARAMS = Path("params.yaml")
CPU = torch.device("cpu")


def perplexity(name: str, seed: int, precision: Precision, threads: int) -> float:
    """Train a model of the demo, whose text must be encoded; return its best dev perplexity.

    Raises:
        InputError: if the demo has no such model, or its text is not encoded yet.
    """
    params = load_params(PARAMS)
    entry, recipe, sets = params.model(name), params.recipe(name), params.sets
    source, target = params.sides(name)
    data, system = EncodedSets(Layout(params.experiment).encoded(entry.family)), entry.system
    texts = {
        split: ParallelText(data.text(split, source), data.text(split, target), system.reverse)
        for split in (sets.train, sets.dev)
    }
    words = [len(data.vocabulary(side)) for side in (source, target)]
    model = Translator(ModelConfig(system, params.shape(name), *words))
    torch.set_num_threads(threads)
    keep_freed_memory()
    with tempfile.TemporaryDirectory() as folder, products_in(precision, CPU):
        checkpoints = Checkpoints(Path(folder), params.machine.checkpoint_minutes)
        held_out = {sets.dev: texts[sets.dev]}
        progress, _ = train(
            model, texts[sets.train], held_out, recipe, seed, checkpoints, lambda row: None
        )
    return math.exp(progress.best_cost)
