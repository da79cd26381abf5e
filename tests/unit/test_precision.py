"""The precision of products: refused where a device lacks it, and restored afterwards."""

import pytest
import torch
from torch import Tensor

from attnmt.errors import InputError
from attnmt.model import precision
from attnmt.model.precision import products_in, supported
from attnmt.model.products import product

CPU = torch.device("cpu")
needs_bf16 = pytest.mark.skipif(
    "bf16" not in supported(CPU),
    reason="needs a processor whose products in bf16 round (AVX512-BF16, AMX); this one's do not",
)


def multiplied() -> torch.Tensor:
    """Return a product of factors that bf16 cannot hold exactly."""
    torch.manual_seed(0)
    return product(torch.randn(64, 256), torch.randn(128, 256))


def test_a_precision_that_a_device_lacks_is_refused():
    before = torch.backends.mkldnn.matmul.fp32_precision
    with pytest.raises(
        InputError, match=r"training\.precision: this device .* tf32; .* one of fp32"
    ):
        products_in("tf32", CPU).__enter__()
    assert torch.backends.mkldnn.matmul.fp32_precision == before


def to_bf16(values: Tensor) -> Tensor:
    return values.bfloat16().float()


def unchanged(values: Tensor) -> Tensor:
    return values


@pytest.mark.parametrize(
    ("of_factors", "of_sum", "offered"),
    [
        (to_bf16, unchanged, True),
        (unchanged, unchanged, False),  # AVX-512 without its instructions for bf16
        (to_bf16, to_bf16, False),
    ],
    ids=["rounds the factors", "rounds nothing", "rounds the sum too"],
)
def test_bf16_is_offered_where_only_the_factors_are_rounded(
    of_factors, of_sum, offered, monkeypatch
):
    """This holds whatever torch says about the processor."""
    matmul = torch.backends.mkldnn.matmul

    def as_asked(x: Tensor, W: Tensor) -> Tensor:
        if matmul.fp32_precision != "bf16":
            return product(x, W)
        return of_sum(product(of_factors(x), of_factors(W)))

    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: not offered)
    monkeypatch.setattr(precision, "product", as_asked)
    before = matmul.fp32_precision
    assert supported(CPU) == (["fp32", "bf16"] if offered else ["fp32"])
    if not offered:
        with pytest.raises(InputError, match=r"cannot multiply in bf16; .* one of fp32 \("):
            products_in("bf16", CPU).__enter__()
    assert matmul.fp32_precision == before


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
