"""The recurrent layers over whole sentences, against torch's own modules."""

from collections.abc import Sequence

import pytest
import torch
from torch import Tensor, nn

from attnmt.model.fast.stack import Stack, State

INPUTS, SIZE, N = 4, 3, 2


def leaf(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def flat(state: State) -> list[Tensor]:
    return [part for layer in state for part in layer]


class Case:
    """A stack, inputs, a first state, and what torch's module computes of them with the same weights."""

    def __init__(self, cell: str, layers: int, T: int, zero: bool = False) -> None:
        torch.manual_seed(0)
        self.stack = Stack(cell, INPUTS, SIZE, layers, dropout=0.0).double()
        weights = [weight for pair in self.stack.weights() for weight in pair]
        for weight in weights:
            nn.init.normal_(weight)
        self.x = leaf(T, N, INPUTS)
        self.state = tuple(
            tuple(leaf(N, SIZE) for _ in range(self.stack.parts)) for _ in range(layers)
        )
        self.inputs = [self.x, *weights, *([] if zero else flat(self.state))]
        module = {"lstm": nn.LSTM, "gru": nn.GRU}[cell](INPUTS, SIZE, layers, bias=False)
        names = [f"weight_{kind}_l{layer}" for layer in range(layers) for kind in ("ih", "hh")]
        parts = tuple(torch.stack(part) for part in zip(*self.state, strict=True))
        first = None if zero else parts if len(parts) == 2 else parts[0]
        self.hs, last = torch.func.functional_call(
            module, dict(zip(names, weights, strict=True)), (self.x, first)
        )
        last = last if len(parts) == 2 else (last,)
        self.last = [part[layer] for layer in range(layers) for part in last]

    def compare(self, outputs: Sequence[Tensor], expected: Sequence[Tensor]) -> None:
        """Require equal values, and equal gradients of the same random linear function of them."""
        torch.testing.assert_close(list(outputs), list(expected))
        directions = [torch.randn_like(value) for value in expected]
        mine, theirs = (
            torch.autograd.grad(values, self.inputs, directions, materialize_grads=True)
            for values in (outputs, expected)
        )
        torch.testing.assert_close(mine, theirs)


@pytest.mark.parametrize("cell", ["lstm", "gru"])
@pytest.mark.parametrize(
    ("layers", "T", "zero", "gpu"),
    [(2, 7, True, False), (2, 7, False, False), (1, 1, False, False), (2, 4, False, True)],
)
def test_a_scan_for_a_processor_or_a_gpu_equals_torchs_module(
    cell, layers, T, zero, gpu, monkeypatch
):
    if gpu:
        monkeypatch.setattr(Stack, "_scan_cpu", Stack._scan_gpu)
    case = Case(cell, layers, T, zero)
    hs, last = case.stack(case.x, None if zero else case.state)
    case.compare([hs, *flat(last)], [case.hs, *case.last])
