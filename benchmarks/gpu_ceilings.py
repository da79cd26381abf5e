"""The two ceilings of a device: its memory, and its products of matrices."""

import time
from collections.abc import Callable
from typing import Any

import torch

from benchmarks.gpu_limit import wait
from benchmarks.products import Product

SECONDS = 1.0  # how long each is measured
SIZE, BYTES = 8192, 1 << 32  # the rows and columns of the factors, and what is copied
TINY_SIZE, TINY_BYTES = 64, 1 << 16


def ceilings(device: torch.device, tiny: bool) -> dict[str, Any]:
    """Return GB a second of a copy, read and written, and TFLOP a second by precision."""
    size, count = (TINY_SIZE, TINY_BYTES) if tiny else (SIZE, BYTES)
    here, there = (torch.empty(count, dtype=torch.uint8, device=device) for _ in range(2))
    copied = 2 * count * _a_second(lambda: there.copy_(here), device)
    backends: Any = torch.backends  # its types lack ``fp32_precision``
    product, speeds = Product(size, size, size), {}
    for name, dtype, precision in (
        ("fp32", torch.float32, "ieee"),
        ("tf32", torch.float32, "tf32"),
        ("bf16", torch.bfloat16, "ieee"),
    ):
        if device.type != "cuda" and name == "tf32":
            continue
        left, right = (torch.randn(size, size, device=device, dtype=dtype) for _ in range(2))
        before = backends.cuda.matmul.fp32_precision
        backends.cuda.matmul.fp32_precision = precision
        try:
            speeds[name] = product.flop * _a_second(lambda: left @ right, device) / 1e12  # noqa: B023
        finally:
            backends.cuda.matmul.fp32_precision = before
    return {"copied_gb": copied / 1e9, "product": size, "tflop": speeds}


def _a_second(call: Callable[[], object], device: torch.device) -> float:
    """Return how often a second the device does it."""
    call()
    wait(device)
    calls, started = 0, time.perf_counter()
    while (passed := time.perf_counter() - started) < SECONDS:
        for _ in range(5):
            call()
        calls += 5
        wait(device)
    return calls / passed
