"""Products whose shared factors get their gradients at the end, against autograd's own."""

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from attnmt.model.deferred import DeferredProducts, Products

T, N, K, M, n = 5, 3, 2, 4, 3  # steps, sentences, queries each, source words, vectors' size


def leaf(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


@pytest.fixture(autouse=True)
def unwritten_memory_is_nan() -> Iterator[None]:
    """Make a place on a tape that nothing was written to show in every sum."""
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


@pytest.fixture
def factors() -> dict[str, Tensor]:
    torch.manual_seed(0)
    return {
        "x": leaf(N, K, n),
        "W": leaf(n, n),
        "U": leaf(n, 2 * n),
        "keys": leaf(N, M, n),
        "values": leaf(N, M, n),
    }


def recurrence(products: Products, f: dict[str, Tensor], operations: str) -> list[Tensor]:
    """Return the states of T steps, each of which takes the named products."""
    states, h = [], f["x"]
    for _ in range(T):
        if "matrix" in operations:
            h = torch.tanh(products.matrix(h, f["W"]) + f["x"])
        e = (
            products.compare(h, f["keys"])
            if "compare" in operations
            else h @ torch.eye(n, M).double()
        )
        if "average" in operations:
            h = h + products.average(torch.softmax(e, dim=-1), f["values"])
        elif "compare" in operations:
            h = torch.tanh(e[..., :n])
        if "tanh_layer" in operations:
            h = products.tanh_layer(h, f["x"], f["U"])
        states.append(h)
    return states


def gradients(
    products: Products, f: dict[str, Tensor], operations: str, reached: int
) -> list[Tensor]:
    """Return the gradients of a loss of the first ``reached`` states alone."""
    states = recurrence(products, f, operations)
    leaves = list(f.values())
    loss = sum(state.square().sum() for state in states[:reached])
    return list(torch.autograd.grad(loss, leaves, materialize_grads=True))


@pytest.mark.parametrize("tape", [T, T + 3])
@pytest.mark.parametrize("reached", [1, 3, T])
@pytest.mark.parametrize(
    "operations",
    [
        "matrix",
        "tanh_layer",
        "compare",
        "average",
        "compare average",
        "matrix compare average tanh_layer",
    ],
)
@pytest.mark.parametrize("shared", [False, True], ids=["", "keys are values"])
def test_gradients_are_the_plain_ones(
    factors: dict[str, Tensor], operations: str, shared: bool, reached: int, tape: int
) -> None:
    """Whether or not back-propagation reaches every use, and the tape is used to its end."""
    if shared:
        factors["values"] = factors["keys"]
    wanted = gradients(Products(), factors, operations, reached)
    found = gradients(DeferredProducts(tape), factors, operations, reached)
    for name, mine, theirs in zip(factors, found, wanted, strict=True):
        torch.testing.assert_close(mine, theirs, msg=lambda m, n=name: f"{n}: {m}")
    for name in operations.split():
        used = {"matrix": "W", "tanh_layer": "U", "compare": "keys", "average": "values"}[name]
        assert found[list(factors).index(used)].abs().sum() > 0


def test_values_are_the_plain_ones(factors: dict[str, Tensor]) -> None:
    everything = "matrix compare average tanh_layer"
    wanted = recurrence(Products(), factors, everything)
    torch.testing.assert_close(recurrence(DeferredProducts(T), factors, everything), wanted)


def test_a_state_that_nothing_follows_takes_no_part(factors: dict[str, Tensor]) -> None:
    """Uses off the path to the loss leave zeros where others write, whatever was in that memory."""
    products = DeferredProducts(2 * T)
    h, loss = factors["x"], 0
    for t in range(T):
        h = torch.tanh(products.matrix(h, factors["W"]))
        aside = products.matrix(h * 1e6, factors["W"])
        loss = loss + (aside if t == 2 else h).sum()
    plain_h, plain_loss = factors["x"], 0
    for t in range(T):
        plain_h = torch.tanh(plain_h @ factors["W"].T)
        plain_loss = plain_loss + ((plain_h * 1e6) @ factors["W"].T if t == 2 else plain_h).sum()
    leaves = (factors["x"], factors["W"])
    torch.testing.assert_close(
        torch.autograd.grad(loss, leaves), torch.autograd.grad(plain_loss, leaves)
    )
