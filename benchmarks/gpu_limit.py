"""What bounds training on a GPU: the speed of its matrix products."""

from collections.abc import Mapping

import torch

from attnmt.config import Training
from attnmt.model.translator import ModelConfig
from attnmt.planning.cost import work
from attnmt.planning.text_size import Lengths
from benchmarks.gpu_workload import Workload
from benchmarks.products import Product

GATES = {"lstm": 4, "gru": 3}


def speeds(
    config: ModelConfig, recipe: Training, task: Workload, device: torch.device
) -> dict[str, float]:
    """Return the FLOP a second of the products that take most of a step."""
    n, V = config.shape.size, config.target_words
    words = task.target_words // len(task.batches)
    products = {
        "step": Product(recipe.batch_size, 2 * n, 4 * n),  # one layer's recurrence
        "all steps": Product(words, n, 4 * n),
        "logits": Product(words, n, V),
        "gradient of h~": Product(words, V, n),
        "gradient of W_s": Product(V, words, n),
    }
    return {name: product.speed(device) for name, product in products.items()}


def words_limit(config: ModelConfig, lengths: Lengths, speeds: Mapping[str, float]) -> float:
    """Return the target words a second of a training that is nothing but matrix products.

    Products that must wait for the step before them run at the speed of ``step``, forward and backward.
    These are the products of the recurrence and, with input feeding, those of the whole decoder and of
    attention. The three products of the output layer run at their own speeds. All others, including
    those of weight gradients, run at the speed of ``all steps``.
    """
    shape, n = config.shape, config.shape.size
    training = work(config).training(lengths)
    recurrent = shape.layers * GATES[shape.cell] * n * n
    inputs = GATES[shape.cell] * n * (shape.embedding_size + (shape.layers - 1) * n)
    source_words = lengths.source / lengths.target
    output = 2 * n * config.target_words
    decoder_and_attention = training / 6 - output / 2 - (recurrent + inputs) * source_words
    stepped = recurrent * source_words
    stepped += decoder_and_attention if config.system.input_feeding else recurrent
    steps = 2 * 2 * stepped
    seconds = steps / speeds["step"]
    seconds += (training - 3 * output - steps) / speeds["all steps"]
    seconds += sum(output / speeds[name] for name in speeds if name not in ("step", "all steps"))
    return float(1 / seconds)
