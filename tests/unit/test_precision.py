"""The precision of products: refused where a device lacks it, and restored afterwards."""

import pytest
import torch

from attnmt.errors import InputError
from attnmt.model.precision import products_in, supported
from attnmt.model.products import matmul

CPU = torch.device("cpu")
needs_bf16 = pytest.mark.skipif(
    "bf16" not in supported(CPU),
    reason="needs a processor whose products in bf16 round (AVX512-BF16, AMX); this one's do not",
)


def multiplied() -> torch.Tensor:
    """Return a product of factors that bf16 cannot hold exactly."""
    torch.manual_seed(0)
    return matmul(torch.randn(64, 256), torch.randn(128, 256))


def test_a_precision_that_a_device_lacks_is_refused():
    before = torch.backends.mkldnn.matmul.fp32_precision
    with pytest.raises(
        InputError, match=r"training\.precision: this device .* tf32; .* one of fp32"
    ):
        products_in("tf32", CPU).__enter__()
    assert torch.backends.mkldnn.matmul.fp32_precision == before


@needs_bf16
def test_bf16_rounds_the_factors_and_not_the_sum():
    exact = multiplied()
    with products_in("bf16", CPU):
        rounded = multiplied()
    error = ((rounded - exact).norm() / exact.norm()).item()
    assert 2**-12 < error < 2**-7  # the factors keep 8 bits of mantissa
    assert not torch.equal(rounded, rounded.bfloat16().float())
    assert torch.equal(multiplied(), exact)


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
