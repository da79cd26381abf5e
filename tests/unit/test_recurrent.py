"""The recurrent layers, over whole sentences and stepped, against torch's own modules."""

from collections.abc import Sequence

import pytest
import torch
from torch import Tensor, nn

from attnmt.model.fast.stack import Stack, State
from attnmt.model.fast.unrolled import SteppedLayers

INPUTS, SIZE, N = 4, 3, 2
CELLS = pytest.mark.parametrize("cell", ["lstm", "gru"])
LAYERS = pytest.mark.parametrize("layers", [1, 2])
LENGTHS = pytest.mark.parametrize("T", [1, 2, 7])


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


@CELLS
@LAYERS
@LENGTHS
@pytest.mark.parametrize("zero", [False, True], ids=["from a state", "from zero"])
def test_a_scan_equals_torchs_module(cell: str, layers: int, T: int, zero: bool) -> None:
    case = Case(cell, layers, T, zero)
    hs, last = case.stack(case.x, None if zero else case.state)
    case.compare([hs, *flat(last)], [case.hs, *case.last])


@CELLS
def test_the_scan_for_a_gpu_equals_the_one_for_a_cpu(
    cell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case(cell, layers=2, T=4)
    monkeypatch.setattr(Stack, "_scan_cpu", Stack._scan_gpu)
    hs, last = case.stack(case.x, case.state)
    case.compare([hs, *flat(last)], [case.hs, *case.last])


@CELLS
@pytest.mark.parametrize("used", ["states", "last h", "first step"])
def test_a_scan_has_the_right_gradients_of_a_part_of_its_outputs(cell: str, used: str) -> None:
    case = Case(cell, layers=2, T=4)
    hs, last = case.stack(case.x, case.state)
    mine, theirs = {
        "states": (hs, case.hs),
        "last h": (last[1][0], case.last[case.stack.parts]),
        "first step": (hs[0], case.hs[0]),
    }[used]
    case.compare([mine], [theirs])


@CELLS
@LAYERS
@LENGTHS
@pytest.mark.parametrize("known", [0, 1, 3])
def test_steps_equal_torchs_module(cell: str, layers: int, T: int, known: int) -> None:
    """Each step brings what is not known of its inputs. The loss does not depend on the last step."""
    case = Case(cell, layers, T)
    (W, _), *_ = case.stack.weights()
    x, y = case.x.split([INPUTS - known, known], dim=2)
    W_x, W_y = W.split([INPUTS - known, known], dim=1)
    steps = SteppedLayers(case.stack, y, W_y, W_x, case.state)
    direction = torch.randn_like(case.hs)
    direction[1:][-1:] = 0
    with torch.no_grad():
        for t in range(T):
            steps.forward(t, x[t])
        torch.testing.assert_close(steps.hs[1:], case.hs)
        steps.start_backward()
        back = [steps.backward(t, direction[t]).clone() for t in range(T - 1, -1, -1)]
    # Autograd takes the gradients on, from parts of the inputs and the weights to the whole.
    inputs, grads = {**steps.inputs, "x": x}, {**steps.gradients(), "x": torch.stack(back[::-1])}
    tensors, gradients = zip(*((inputs[name], grads[name]) for name in inputs), strict=True)
    mine = torch.autograd.grad(tensors, case.inputs, gradients, retain_graph=True)
    theirs = torch.autograd.grad(case.hs, case.inputs, direction, materialize_grads=True)
    torch.testing.assert_close(mine, theirs)
