"""Dropout's masks: how often, how strong, how fresh."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnmt.model.dropout import Dropout

LIKE = torch.zeros(1, dtype=torch.float64)
MANY = 400_003  # the last elements share a random word that is only partly used


def mask(p: float, *shape: int, like: torch.Tensor = LIKE) -> torch.Tensor:
    drawn = Dropout(p).train().mask(shape, like)
    assert drawn is not None
    return drawn


@pytest.mark.parametrize("p", [1e-3, 0.2, 0.5, 0.7, 0.999, 1 - 1e-9])
def test_elements_are_dropped_with_probability_p(p):
    """Within 5 standard deviations, for all elements and for each of the four in a random word."""
    torch.manual_seed(1)
    dropped = mask(p, MANY) == 0
    step = 2**-16  # 16 bits draw each element, so p is met to within this
    q = min(p, 1 - step)
    for part in (dropped, *(dropped[i::4] for i in range(4))):
        deviation = math.sqrt(q * (1 - q) / len(part))
        assert abs(part.double().mean() - p) < 5 * deviation + step


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("p", [0.2, 0.5, 0.9])
def test_what_is_kept_is_scaled(p, dtype):
    kept = mask(p, 100, 7, like=torch.zeros(1, dtype=dtype))
    assert kept.dtype == dtype
    scale = torch.ones(1, dtype=dtype) / (1 - p)
    assert set(kept.unique().tolist()) == {0.0, scale.item()}
    x = torch.randn(100, 7, dtype=dtype, requires_grad=True)
    dropout = Dropout(p).train()
    y = dropout(x)
    zero = y == 0
    torch.testing.assert_close(y, torch.where(zero, 0, x * scale))
    (gradient,) = torch.autograd.grad(y.sum(), x)
    torch.testing.assert_close(gradient, torch.where(zero, 0, scale.expand_as(x)))


@given(shape=st.lists(st.integers(0, 9), min_size=1, max_size=3), seed=st.integers(0, 2**32))
def test_a_seed_gives_its_masks_again(shape, seed):
    """Two masks in turn, whatever their number of elements; the generator's state gives the second."""
    torch.manual_seed(seed)
    first = mask(0.5, *shape)
    state = torch.get_rng_state()
    second = mask(0.5, *shape)
    assert first.shape == second.shape == torch.Size(shape)
    torch.manual_seed(seed)
    assert torch.equal(mask(0.5, *shape), first)
    torch.set_rng_state(state)
    assert torch.equal(mask(0.5, *shape), second)


def test_nothing_is_dropped_in_evaluation_or_with_probability_0():
    x = torch.randn(5, 3)
    state = torch.get_rng_state()
    for dropout in (Dropout(0.5).eval(), Dropout(0.0).train()):
        assert dropout.mask((5, 3), x) is None
        assert dropout(x) is x
    assert torch.equal(torch.get_rng_state(), state)
