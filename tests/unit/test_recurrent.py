"""The recurrent layers, over whole sentences and stepped, against torch's own modules."""

from collections.abc import Sequence

import pytest
import torch
from torch import Tensor, nn

from attnmt.model.deferred import DeferredProducts, Products
from attnmt.model.recurrent import Stack, State

INPUTS, SIZE, N = 4, 3, 2
CELLS = pytest.mark.parametrize("cell", ["lstm", "gru"])
LAYERS = pytest.mark.parametrize("layers", [1, 2])
LENGTHS = pytest.mark.parametrize("T", [1, 2, 7])


def leaf(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def flat(state: State) -> list[Tensor]:
    return [part for layer in state for part in layer]


class Pair:
    """A stack and torch's module with the same weights, and inputs and initial states for both."""

    def __init__(self, cell: str, layers: int, T: int) -> None:
        torch.manual_seed(0)
        self.stack = Stack(cell, INPUTS, SIZE, layers, dropout=0.0).double()
        kind = {"lstm": nn.LSTM, "gru": nn.GRU}[cell]
        self.torchs = kind(INPUTS, SIZE, layers, bias=False).double()
        self.weights = [w for pair in self.stack.weights() for w in pair]
        self.theirs = [self.torchs.get_parameter(name) for name in self.names(layers)]
        with torch.no_grad():
            for weight, their in zip(self.weights, self.theirs, strict=True):
                weight.normal_()
                their.copy_(weight)
        self.x = leaf(T, N, INPUTS)
        self.state = tuple(
            tuple(leaf(N, SIZE) for _ in range(self.stack.parts)) for _ in range(layers)
        )

    @staticmethod
    def names(layers: int) -> list[str]:
        return [f"weight_{kind}_l{layer}" for layer in range(layers) for kind in ("ih", "hh")]

    def expected(self, zero: bool = False) -> list[Tensor]:
        """Return torch's states of the top layer, then the last ones: of each layer h and, if any, c."""
        parts = [torch.stack(part) for part in zip(*self.state, strict=True)]
        first = tuple(parts) if len(parts) == 2 else parts[0]
        hs, last = self.torchs(self.x, None if zero else first)
        last = last if len(parts) == 2 else (last,)
        return [hs, *(part[i] for i in range(len(self.state)) for part in last)]

    def compare_gradients(
        self, found: Sequence[Tensor], expected: Sequence[Tensor], zero: bool = False
    ) -> None:
        """Require equal gradients of the same random function of all outputs."""
        directions = [torch.randn_like(value) for value in expected]
        inputs = [self.x, *([] if zero else flat(self.state))]
        mine = torch.autograd.grad(found, [*inputs, *self.weights], directions)
        theirs = torch.autograd.grad(expected, [*inputs, *self.theirs], directions)
        torch.testing.assert_close(mine, theirs)


@CELLS
@LAYERS
@LENGTHS
@pytest.mark.parametrize("zero", [False, True], ids=["from a state", "from zero"])
def test_scan_is_torchs_module(cell: str, layers: int, T: int, zero: bool) -> None:
    pair = Pair(cell, layers, T)
    hs, last = pair.stack(pair.x, None if zero else pair.state)
    found, expected = [hs, *flat(last)], pair.expected(zero)
    torch.testing.assert_close(found, expected)
    pair.compare_gradients(found, expected, zero)


@CELLS
def test_scan_of_the_gpu_is_that_of_the_cpu(cell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pair = Pair(cell, layers=2, T=4)
    hs, last = pair.stack(pair.x, pair.state)
    monkeypatch.setattr(Stack, "_scan_cpu", Stack._scan_gpu)
    other, other_last = pair.stack(pair.x, pair.state)
    torch.testing.assert_close([hs, *flat(last)], [other, *flat(other_last)])


@CELLS
@pytest.mark.parametrize("used", ["states", "last h", "first state"])
def test_scan_has_the_gradients_of_a_part_of_its_outputs(cell: str, used: str) -> None:
    pair = Pair(cell, layers=2, T=4)
    hs, last = pair.stack(pair.x, pair.state)
    expected = pair.expected()
    mine, theirs = {
        "states": (hs, expected[0]),
        "last h": (last[1][0], expected[1 + pair.stack.parts]),
        "first state": (hs[0], expected[0][0]),
    }[used]
    pair.compare_gradients([mine], [theirs])


def step_all(pair: Pair, split: int, masks: list[Tensor | None] | None = None) -> list[Tensor]:
    """Step through the inputs, whose last ``split`` parts are known before; return as ``expected``."""
    T = len(pair.x)
    products = DeferredProducts(T)
    W_brought, W_known = pair.weights[0].split([INPUTS - split, split], dim=1)
    brought, known = pair.x.split([INPUTS - split, split], dim=2)
    stepped = pair.stack.stepped(W_brought, T, N, products)
    if masks is not None:
        stepped.masks = masks
    state, hs = pair.state, []
    for t in range(T):
        h, state = stepped.step(t, brought[t], known[t] @ W_known.T, state)
        hs.append(h)
    return [torch.stack(hs), *flat(state)]


@CELLS
@LAYERS
@LENGTHS
@pytest.mark.parametrize("split", [0, 1, 3])
def test_steps_are_torchs_module(cell: str, layers: int, T: int, split: int) -> None:
    pair = Pair(cell, layers, T)
    found, expected = step_all(pair, split), pair.expected()
    torch.testing.assert_close(found, expected)
    pair.compare_gradients(found, expected)


@CELLS
@LAYERS
def test_steps_are_the_scan(cell: str, layers: int) -> None:
    pair = Pair(cell, layers, T=5)
    hs, last = pair.stack(pair.x, pair.state)
    torch.testing.assert_close(step_all(pair, split=2), [hs, *flat(last)])


@CELLS
@pytest.mark.parametrize("reached", [1, 3, 4])
def test_steps_with_masks_are_torchs_cells(cell: str, reached: int) -> None:
    """Masks of every layer's input, and a loss that does not reach the last steps."""
    T, layers = 4, 2
    pair = Pair(cell, layers, T)
    known = 1
    masks = [2.0 * torch.randint(0, 2, (T, N, m)).double() for m in (INPUTS - known, SIZE)]
    found = step_all(pair, known, [*masks])[0][:reached]
    full = [torch.cat([masks[0], torch.ones(T, N, known)], dim=2), masks[1]]
    kind = {"lstm": nn.LSTMCell, "gru": nn.GRUCell}[cell]
    state, hs = list(pair.state), []
    for t in range(T):
        x = pair.x[t]
        for layer in range(layers):
            module = kind(x.shape[1], SIZE, bias=False)
            own = dict(zip(("weight_ih", "weight_hh"), pair.theirs[2 * layer :], strict=False))
            before = state[layer] if cell == "lstm" else state[layer][0]
            after = torch.func.functional_call(module, own, (x * full[layer][t], before))
            state[layer] = after if cell == "lstm" else (after,)
            x = state[layer][0]
        hs.append(x)
    expected = torch.stack(hs)[:reached]
    torch.testing.assert_close(found, expected)
    pair.compare_gradients([found], [expected])


@CELLS
def test_without_gradients_steps_need_no_tape(cell: str) -> None:
    """As search takes them."""
    pair = Pair(cell, layers=2, T=3)
    with torch.inference_mode():
        stepped = pair.stack.stepped(pair.weights[0], 1, N, Products())
        state, none = pair.state, torch.zeros(N, len(pair.weights[0]), dtype=torch.float64)
        for x in pair.x:
            h, state = stepped.step(0, x, none, state)
    torch.testing.assert_close([h, *flat(state)], [pair.expected()[0][-1], *pair.expected()[1:]])
