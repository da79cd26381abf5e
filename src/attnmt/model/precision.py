"""The precision of products of matrices; every number is stored in single precision."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from attnmt.config import Precision
from attnmt.errors import InputError
from attnmt.model.products import matmul


def supported(device: torch.device) -> list[Precision]:
    """Return the precisions in which a device can multiply."""
    if device.type == "cuda":
        return ["fp32", "tf32"] if torch.cuda.get_device_capability(device) >= (8, 0) else ["fp32"]
    return ["fp32", "bf16"] if _rounds_to_bf16() else ["fp32"]


def _rounds_to_bf16() -> bool:
    """Say whether this processor multiplies in bf16 with rounded factors and an exact sum.

    torch's own answer (``_is_mkldnn_bf16_supported``) is yes for every processor with AVX-512. Many of
    these lack the instructions for bf16 and multiply in fp32.
    """
    # Each element of the product is 257 times 1 + 2^-9. In bf16 this factor becomes 1, and the sum 257.
    # bf16 cannot hold 257, so the product has this value only if the sum is exact.
    left, right = torch.full((64, 256), 1 + 2**-9), torch.ones(256, 128)
    right[0] = 2
    backends: Any = torch.backends  # its types lack ``fp32_precision``
    of_products = backends.mkldnn.matmul
    before = of_products.fp32_precision
    of_products.fp32_precision = "bf16"
    try:
        return bool((matmul(left, right.T) == 257).all())
    finally:
        of_products.fp32_precision = before


@contextmanager
def products_in(precision: Precision, device: torch.device) -> Iterator[None]:
    """Multiply matrices with factors rounded to a precision, and sum in fp32.

    bf16 has 8 bits of mantissa, and tf32 has 11.

    Raises:
        InputError: if the device cannot multiply in this precision.
    """
    possible = supported(device)
    if precision not in possible:
        raise InputError(
            f"training.precision: this device cannot multiply in {precision}; in the parameters, set "
            f"it to one of {', '.join(possible)} (bf16 needs a processor that has it, and "
            f"machine.cpu_isa: all)"
        )
    setting = "ieee" if precision == "fp32" else precision
    backends: Any = torch.backends  # its types lack ``fp32_precision``
    on_gpu = device.type == "cuda"
    used = [backends.cuda.matmul, backends.cudnn.rnn] if on_gpu else [backends.mkldnn.matmul]
    before = [backend.fp32_precision for backend in used]
    for backend in used:
        backend.fp32_precision = setting
    try:
        yield
    finally:
        for backend, former in zip(used, before, strict=True):
            backend.fp32_precision = former
