"""The recurrent layers, over whole sentences and stepped, against torch's own modules."""

from collections.abc import Sequence

import pytest
import torch
from torch import Tensor, nn

from attnmt.model.fast.stack import Stack, State
from attnmt.model.fast.unrolled import SteppedLayers, Unrolling, layer_tensors

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
        """Return torch's states of the top layer, then each layer's last h and, for an LSTM, last c."""
        parts = [torch.stack(part) for part in zip(*self.state, strict=True)]
        first = tuple(parts) if len(parts) == 2 else parts[0]
        hs, last = self.torchs(self.x, None if zero else first)
        last = last if len(parts) == 2 else (last,)
        return [hs, *(part[i] for i in range(len(self.state)) for part in last)]

    def compare_gradients(
        self, found: Sequence[Tensor], expected: Sequence[Tensor], zero: bool = False
    ) -> None:
        """Require equal gradients of the same random linear function of all outputs."""
        directions = [torch.randn_like(value) for value in expected]
        inputs = [self.x, *([] if zero else flat(self.state))]
        mine = torch.autograd.grad(found, [*inputs, *self.weights], directions)
        theirs = torch.autograd.grad(expected, [*inputs, *self.theirs], directions)
        torch.testing.assert_close(mine, theirs)


@CELLS
@LAYERS
@LENGTHS
@pytest.mark.parametrize("zero", [False, True], ids=["from a state", "from zero"])
def test_a_scan_equals_torchs_module(cell: str, layers: int, T: int, zero: bool) -> None:
    pair = Pair(cell, layers, T)
    hs, last = pair.stack(pair.x, None if zero else pair.state)
    outputs, expected = [hs, *flat(last)], pair.expected(zero)
    torch.testing.assert_close(outputs, expected)
    pair.compare_gradients(outputs, expected, zero)


@CELLS
def test_the_scan_for_a_gpu_equals_the_one_for_a_cpu(
    cell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = Pair(cell, layers=2, T=4)
    hs, last = pair.stack(pair.x, pair.state)
    monkeypatch.setattr(Stack, "_scan_cpu", Stack._scan_gpu)
    other, other_last = pair.stack(pair.x, pair.state)
    torch.testing.assert_close([hs, *flat(last)], [other, *flat(other_last)])


@CELLS
@pytest.mark.parametrize("used", ["states", "last h", "first state"])
def test_a_scan_has_the_right_gradients_of_a_part_of_its_outputs(cell: str, used: str) -> None:
    pair = Pair(cell, layers=2, T=4)
    hs, last = pair.stack(pair.x, pair.state)
    expected = pair.expected()
    mine, theirs = {
        "states": (hs, expected[0]),
        "last h": (last[1][0], expected[1 + pair.stack.parts]),
        "first state": (hs[0], expected[0][0]),
    }[used]
    pair.compare_gradients([mine], [theirs])


class Stepped:
    """The layers of a pair, run in steps; each step brings ``INPUTS - known`` of its inputs."""

    def __init__(self, pair: Pair, known: int, masks: list[Tensor | None] | None = None) -> None:
        self.brought, words = pair.x.detach().split([INPUTS - known, known], dim=2)
        W_brought, W_known = pair.weights[0].split([INPUTS - known, known], dim=1)
        unrolling = Unrolling(pair.stack, None, None, len(words), N, INPUTS - known)
        unrolling.masks = masks or unrolling.masks
        with torch.no_grad():
            tensors = layer_tensors(pair.stack, W_brought, pair.state)
            self.layers = SteppedLayers(unrolling, words, W_known, tensors)
            for t, x in enumerate(self.brought):
                self.layers.forward(t, x)
        self.hs = self.layers.hs[1:].clone()

    def gradients(self, direction: Tensor) -> list[Tensor]:
        """Return the gradients of x, the known part of W_x, and each layer's [W_x W_h] and states."""
        self.layers.start_backward()
        back = range(len(direction) - 1, -1, -1)
        of_brought = [self.layers.backward(t, direction[t]).clone() for t in back]
        of_words, *others = self.layers.gradients()
        return [torch.cat([torch.stack(of_brought[::-1]), of_words], dim=2), *others]


def gradients_of(pair: Pair, hs: Tensor, direction: Tensor, known: int) -> list[Tensor]:
    """Return autograd's gradients, in the order of ``Stepped.gradients``."""
    W_x, *weights = pair.theirs
    inputs = [pair.x, W_x, *weights, *flat(pair.state)]
    of_x, of_W_x, *rest = torch.autograd.grad(hs, inputs, direction, materialize_grads=True)
    of_brought, of_known = of_W_x.split([INPUTS - known, known], dim=1)
    of_weights, of_state = [of_brought, *rest[: len(weights)]], rest[len(weights) :]
    gradients = [of_x, of_known]
    for layer in range(len(pair.state)):
        pairs = of_weights[2 * layer : 2 * layer + 2]
        gradients.append(torch.cat(pairs, dim=1))
        gradients += of_state[layer * pair.stack.parts : (layer + 1) * pair.stack.parts]
    return gradients


@CELLS
@LAYERS
@LENGTHS
@pytest.mark.parametrize("known", [0, 1, 3])
def test_steps_equal_torchs_module(cell: str, layers: int, T: int, known: int) -> None:
    pair = Pair(cell, layers, T)
    hs, stepped = pair.expected()[0], Stepped(pair, known)
    torch.testing.assert_close(stepped.hs, hs)
    direction = torch.randn_like(hs)
    gradients = stepped.gradients(direction)
    torch.testing.assert_close(gradients, gradients_of(pair, hs, direction, known))


@CELLS
@pytest.mark.parametrize("reached", [1, 3, 4])
def test_steps_with_masks_equal_torchs_cells(cell: str, reached: int) -> None:
    """Every layer's input is masked, and the loss does not depend on the last steps."""
    T, layers, known = 4, 2, 1
    pair = Pair(cell, layers, T)
    masks = [2.0 * torch.randint(0, 2, (T, N, m)).double() for m in (INPUTS - known, SIZE)]
    stepped = Stepped(pair, known, [*masks])
    full = [torch.cat([masks[0], torch.ones(T, N, known)], dim=2), masks[1]]
    kind = {"lstm": nn.LSTMCell, "gru": nn.GRUCell}[cell]
    state, hs = list(pair.state), []
    for t in range(T):
        x = pair.x[t]
        for layer in range(layers):
            module = kind(x.shape[1], SIZE, bias=False)
            weights = dict(zip(("weight_ih", "weight_hh"), pair.theirs[2 * layer :], strict=False))
            before = state[layer] if cell == "lstm" else state[layer][0]
            after = torch.func.functional_call(module, weights, (x * full[layer][t], before))
            state[layer] = after if cell == "lstm" else (after,)
            x = state[layer][0]
        hs.append(x)
    expected = torch.stack(hs)
    torch.testing.assert_close(stepped.hs, expected)
    direction = torch.randn_like(expected)
    direction[reached:] = 0
    gradients = stepped.gradients(direction)
    torch.testing.assert_close(gradients, gradients_of(pair, expected, direction, known))
