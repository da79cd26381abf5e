"""The two ceilings of a device: its memory, and its products of matrices."""

from typing import Any

import torch

from benchmarks.products import SECONDS, Product, calls_a_second

SIZE, BYTES = 8192, 1 << 32  # the rows and columns of the factors, and what is copied
TINY_SIZE, TINY_BYTES = 64, 1 << 16


def ceilings(device: torch.device, tiny: bool) -> dict[str, Any]:
    """Return GB a second of a copy, read and written, and TFLOP a second by precision."""
    size, count = (TINY_SIZE, TINY_BYTES) if tiny else (SIZE, BYTES)
    here, there = (torch.empty(count, dtype=torch.uint8, device=device) for _ in range(2))
    copied = 2 * count * calls_a_second(lambda: there.copy_(here), device, SECONDS)
    backends: Any = torch.backends  # its types lack ``fp32_precision``
    product, speeds = Product(size, size, size), {}
    for name, dtype, precision in (
        ("fp32", torch.float32, "ieee"),
        ("tf32", torch.float32, "tf32"),
        ("bf16", torch.bfloat16, "ieee"),
    ):
        if device.type != "cuda" and name == "tf32":
            continue
        before = backends.cuda.matmul.fp32_precision
        backends.cuda.matmul.fp32_precision = precision
        try:
            speeds[name] = product.speed(device, dtype) / 1e12
        finally:
            backends.cuda.matmul.fp32_precision = before
    return {"copied_gb": copied / 1e9, "product": size, "tflop": speeds}
