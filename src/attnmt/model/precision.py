"""What the products of matrices are computed in; every number is stored in single precision."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from attnmt.config import Precision
from attnmt.errors import InputError


def supported(device: torch.device) -> list[Precision]:
    """Return the precisions that a device has products for."""
    if device.type == "cuda":
        return ["fp32", "tf32"] if torch.cuda.get_device_capability(device) >= (8, 0) else ["fp32"]
    return ["fp32", "bf16"] if _rounds_to_bf16() else ["fp32"]


def _rounds_to_bf16() -> bool:
    """Say if this processor's products in bf16 have rounded factors and an exact sum.

    What torch says of it (``_is_mkldnn_bf16_supported``) is true of every AVX-512, many of which lack
    the instructions for bf16 and multiply in fp32.
    """
    # Each row sums 1 + 2^-9, which bf16 rounds to 1, 257 times; and bf16 cannot hold the sum 257.
    factors, others = torch.full((64, 256), 1 + 2**-9), torch.ones(256, 128)
    others[0] = 2
    torchs: Any = torch.backends  # whose types do not say this
    matmul = torchs.mkldnn.matmul
    before = matmul.fp32_precision
    matmul.fp32_precision = "bf16"
    try:
        return bool((factors @ others == 257).all())
    finally:
        matmul.fp32_precision = before


@contextmanager
def products_in(precision: Precision, device: torch.device) -> Iterator[None]:
    """Multiply with factors rounded to a precision (bf16: 8 bits of mantissa, tf32: 11), sums in fp32.

    Raises:
        InputError: if the device cannot.
    """
    possible = supported(device)
    if precision not in possible:
        raise InputError(
            f"training.precision: {precision} is not one of this device's, which are "
            f"{', '.join(possible)}; set it to one of these in the parameters"
        )
    kind = "ieee" if precision == "fp32" else precision
    torchs: Any = torch.backends  # whose types do not say this
    backends = (
        [torchs.cuda.matmul, torchs.cudnn.rnn] if device.type == "cuda" else [torchs.mkldnn.matmul]
    )
    before = [backend.fp32_precision for backend in backends]
    for backend in backends:
        backend.fp32_precision = kind
    try:
        yield
    finally:
        for backend, former in zip(backends, before, strict=True):
            backend.fp32_precision = former
