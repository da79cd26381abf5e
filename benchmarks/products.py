"""What bounds a training step: the speed of the matrix products that it cannot avoid."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from attnmt.model.translator import ModelConfig
from attnmt.planning.cost import work
from benchmarks.workload import Pairs, Size, mean_lengths, target_words

PRECISIONS = {"fp32": torch.float32, "bf16": torch.bfloat16}
SECONDS = 0.5  # how long each product is measured


class Product(NamedTuple):
    """A product of matrices [rows, inner] x [inner, columns]."""

    rows: int
    inner: int
    columns: int

    @property
    def flop(self) -> int:
        """Floating-point operations; a multiply-add counts as two."""
        return 2 * self.rows * self.inner * self.columns


def dominant(size: Size, batches: Sequence[Pairs]) -> dict[str, Product]:
    """Return the products that take most of a step: the recurrence's and the output layer's three."""
    n, V = size.cells, size.words
    words = sum(map(target_words, batches)) // len(batches)
    return {
        "step": Product(size.batch, 2 * n, 4 * n),
        "logits": Product(words, n, V),
        "gradient of h~": Product(words, V, n),
        "gradient of W_s": Product(V, words, n),
    }


def limit(
    config: ModelConfig, batches: Sequence[Pairs], speeds: Mapping[str, float]
) -> tuple[float, float]:
    """Return the words a second of a training that is nothing but products, and its FLOP a word.

    The output layer's three products run at their own speeds, and all others at that of ``step``.

    Args:
        speeds: FLOP a second of each product that ``dominant`` returns.
    """
    training = work(config).training(mean_lengths(batches))
    output = 2 * config.shape.size * config.target_words
    others = training - 3 * output
    seconds = others / speeds["step"]
    seconds += sum(output / speed for name, speed in speeds.items() if name != "step")
    return 1 / seconds, training


def measure(products: Mapping[str, Product], precision: str) -> dict[str, float]:
    """Return the FLOP a second of each product; the right factor is transposed, as a weight is."""
    speeds = {}
    for name, product in products.items():
        left = torch.randn(product.rows, product.inner).to(PRECISIONS[precision])
        right = torch.randn(product.columns, product.inner).to(PRECISIONS[precision]).T
        speeds[name] = product.flop * _calls_a_second(torch.mm, left, right)
    return speeds


def _calls_a_second(multiply: Callable[[Tensor, Tensor], Tensor], *factors: Tensor) -> float:
    multiply(*factors)
    count, started = 0, time.perf_counter()
    while (passed := time.perf_counter() - started) < SECONDS:
        multiply(*factors)
        count += 1
    return count / passed
