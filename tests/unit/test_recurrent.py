"""The recurrent layers over whole sentences, against torch's own modules."""

from collections.abc import Sequence

import pytest
import torch
from torch import Tensor, nn

from attnmt.config import ModelShape, System
from attnmt.model import cells
from attnmt.model.dropout import Dropout
from attnmt.model.encoders.bidirectional import Bidirectional
from attnmt.model.stack import Stack, State, UnrolledLayers

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
        weights = [*self.stack.parameters()]
        for weight in weights:
            nn.init.normal_(weight)
        self.x = leaf(T, N, INPUTS)
        self.state = tuple(
            tuple(leaf(N, SIZE) for _ in range(self.stack.cell.parts)) for _ in range(layers)
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
@pytest.mark.parametrize(("layers", "T", "zero"), [(2, 7, True), (2, 7, False), (1, 1, False)])
def test_layers_over_a_sentence_equal_torchs_module(cell, layers, T, zero):
    case = Case(cell, layers, T, zero)
    hs, last = case.stack(case.x, None if zero else case.state)
    case.compare([hs, *flat(last)], [case.hs, *case.last])


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_layers_step_by_step_equal_torchs_module(cell):
    case = Case(cell, 2, 7)
    layers, state, hs = UnrolledLayers(case.stack, case.state[-1][0]), case.state, []
    for t, x in enumerate(case.x):
        h, state = layers(x, state, t)
        hs.append(h)
    case.compare([torch.stack(hs), *flat(state)], [case.hs, *case.last])


def kernel(x_sums, h_sums, c, *_):
    """As torch has it on a GPU: for matrices, with sums of x and of h apart."""
    assert x_sums.dim() == h_sums.dim() == c.dim() == 2
    i, f, g, o = (x_sums + h_sums).chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c, h_sums


def test_a_step_by_a_gpus_kernel_equals_torchs_module(monkeypatch):
    monkeypatch.setattr(cells, "has_kernel", lambda x: True)
    monkeypatch.setattr(torch.ops.aten, "_thnn_fused_lstm_cell", kernel)
    case = Case("lstm", 1, 1)
    state = tuple(tuple(part[:, None] for part in layer) for layer in case.state)
    h, after = UnrolledLayers(case.stack, state[-1][0])(case.x[0][:, None], state, 0)
    case.compare([h[None, :, 0], *(part[:, 0] for part in flat(after))], [case.hs, *case.last])


@pytest.mark.parametrize("by_steps", [False, True], ids=["whole", "by steps"])
@pytest.mark.parametrize("cell", ["lstm", "gru"])
@torch.no_grad()
def test_every_layers_input_is_dropped_with_a_mask_of_each_step(cell, by_steps, monkeypatch):
    """The layers are torch's cells, which read their inputs times the masks that were drawn."""
    case, masks, draw = Case(cell, 2, 7), [], Dropout.mask
    stack, state = case.stack.train(), [*case.state]
    stack.dropout.p = 0.5
    monkeypatch.setattr(Dropout, "mask", lambda *args: masks.append(draw(*args)) or masks[-1])
    if by_steps:
        W_x = stack.layers[0].weight_ih_l0
        nothing = W_x.new_zeros(len(W_x), 1), case.x.new_zeros(len(case.x), N, 1)
        layers, last, hs = UnrolledLayers(stack, state[-1][0], W_x, *nothing), case.state, []
        for t, x in enumerate(case.x):
            h, last = layers(layers.masked(x, t), last, t)
            hs.append(h)
    else:
        hs, last = stack(case.x, case.state)
    assert len(masks) == 2
    for t, x in enumerate(case.x):
        for layer, (own, mask) in enumerate(zip(stack.layers, masks, strict=True)):
            step = getattr(torch, f"{cell}_cell")
            before = state[layer] if cell == "lstm" else state[layer][0]
            after = step(x * mask[t], before, own.weight_ih_l0, own.weight_hh_l0)
            state[layer] = after if cell == "lstm" else (after,)
            x = state[layer][0]
        torch.testing.assert_close(hs[t], x)
    torch.testing.assert_close(flat(last), flat(state))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_a_bidirectional_encoder_equals_torchs_module_over_packed_sentences(cell, reverse):
    """torch pads on the right and skips the padding; ours is on the left."""
    torch.manual_seed(0)
    layers, lengths, M = 2, torch.tensor([5, 1, 3]), 5
    shape = ModelShape(
        cell=cell, layers=layers, size=6, embedding=4, window_D=2, location_slots=2, init=1
    )
    system = System(encoder="bidirectional", reverse=reverse)
    encoder = Bidirectional(system, shape, 9).double()
    for weight in encoder.parameters():
        nn.init.normal_(weight)
    source = torch.randint(3, 9, (3, M))
    columns = torch.arange(M)
    words = columns >= (M - lengths)[:, None]
    h_s, positions, last = encoder(source.where(words, 0), lengths)

    module = {"lstm": nn.LSTM, "gru": nn.GRU}[cell](4, 3, layers, bias=False, bidirectional=True)
    names = [
        f"weight_{kind}_l{layer}{side}"
        for layer in range(layers)
        for side in ("", "_reverse")
        for kind in ("ih", "hh")
    ]
    sides = zip(encoder.first, encoder.second, strict=True)
    stacks = [[*stack.parameters()] for layer in sides for stack in layer]
    weights = dict(zip(names, (weight for pair in stacks for weight in pair), strict=True))
    right = torch.stack([row.roll(int(S) - M) for row, S in zip(source, lengths, strict=True)])
    packed = nn.utils.rnn.pack_padded_sequence(
        encoder.embedding(right), lengths, batch_first=True, enforce_sorted=False
    )
    expected, states = torch.func.functional_call(module, weights, (packed,))
    expected = nn.utils.rnn.pad_packed_sequence(expected, batch_first=True, total_length=M)[0]
    states = states if cell == "lstm" else (states,)
    last_of_torch = [
        torch.hstack((*part[2 * k : 2 * k + 2],)) for k in range(layers) for part in states
    ]

    assert h_s[~words].eq(0).all()
    ordered = (lengths[:, None] - 1 - positions if reverse else positions)[words]
    assert ordered.tolist() == [*range(5), *range(1), *range(3)]
    outputs, theirs = (
        [h_s[words], *flat(last)],
        [expected[columns < lengths[:, None]], *last_of_torch],
    )
    torch.testing.assert_close(outputs, theirs)
    directions = [torch.randn_like(value) for value in theirs]
    parameters = [*encoder.parameters()]
    gradients = [torch.autograd.grad(each, parameters, directions) for each in (outputs, theirs)]
    torch.testing.assert_close(*gradients)
