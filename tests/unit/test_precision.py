"""The precision of products: what is set holds, and is restored afterwards."""

import torch

from attnmt.model.precision import products_in, supported
from attnmt.model.products import matmul

CPU = torch.device("cpu")


def multiplied() -> torch.Tensor:
    """Return a product of factors that bf16 cannot hold exactly."""
    torch.manual_seed(0)
    return matmul(torch.randn(64, 256), torch.randn(128, 256))


def test_fp32_is_exact_whatever_was_set_before():
    exact = multiplied()
    matmul = torch.backends.mkldnn.matmul
    before = matmul.fp32_precision
    matmul.fp32_precision = "bf16"
    try:
        with products_in("fp32", CPU):
            assert torch.equal(multiplied(), exact)
        assert matmul.fp32_precision == "bf16"
    finally:
        matmul.fp32_precision = before
    assert supported(CPU) == ["fp32"]
