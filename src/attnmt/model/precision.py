"""The precision of products of matrices; every number is stored in single precision."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from attnmt.config import Precision


def supported(device: torch.device) -> list[Precision]:
    """Return the precisions in which a device can multiply."""
    has_tf32 = device.type == "cuda" and torch.cuda.get_device_capability(device) >= (8, 0)
    return ["fp32", "tf32"] if has_tf32 else ["fp32"]


@contextmanager
def products_in(precision: Precision, device: torch.device) -> Iterator[None]:
    """Multiply matrices with factors rounded to a supported precision, and sum in fp32.

    tf32 has 11 bits of mantissa.
    """
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
