"""What bounds a training step: the speed of the matrix products that it cannot avoid."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import torch

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

    def speed(self, device: torch.device, dtype: torch.dtype = torch.float32) -> float:
        """Return the FLOP a second; the right factor is transposed, as a weight is."""
        left = torch.randn(self.rows, self.inner, device=device).to(dtype)
        right = torch.randn(self.columns, self.inner, device=device).to(dtype).T
        return self.flop * calls_a_second(lambda: torch.mm(left, right), device, SECONDS)


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
    """Return the FLOP a second of each product on the processor."""
    device, dtype = torch.device("cpu"), PRECISIONS[precision]
    return {name: product.speed(device, dtype) for name, product in products.items()}


def calls_a_second(call: Callable[[], object], device: torch.device, seconds: float) -> float:
    """Return how often a second a device does something."""
    call()
    wait(device)
    count, started, at_once = 0, time.perf_counter(), 10 if device.type == "cuda" else 1
    while (passed := time.perf_counter() - started) < seconds:
        for _ in range(at_once):
            call()
        count += at_once
        wait(device)
    return count / passed


def wait(device: torch.device) -> None:
    """Wait until the device has finished its work."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
