"""The stacked LSTM of encoder and decoder: over whole sentences, or stepped."""

from typing import Any

import torch
from torch import Tensor, nn

from attnmt.model.deferred import Product, product

State = tuple[Tensor, Tensor]  # h and c of every layer, each [L, N, n]


class StackedLSTM(nn.Module):
    """LSTM layers without biases, dropout on the input of every layer and nowhere else.

    Cell (Zaremba et al. 2014, without biases): i, f, o = sigmoid, g = tanh of W [x_t; h_{t-1}];
    c_t = f c_{t-1} + i g; h_t = o tanh(c_t). Masks are fresh at every step.
    """

    def __init__(self, inputs: int, size: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        # One module a layer: the dropout between layers then draws from torch's own generator on every
        # device, which a checkpoint holds.
        self.layers = nn.ModuleList(
            nn.LSTM(size if layer else inputs, size, bias=False) for layer in range(layers)
        )

    def forward(self, x: Tensor, state: State | None = None) -> tuple[Tensor, State]:
        """Return the top states [T, N, n] and the last state, from inputs [T, N, inputs].

        ``state`` is the one before the first step; zeros if None.
        """
        last = []
        for i, layer in enumerate(self.layers):
            before = None if state is None else (state[0][i : i + 1], state[1][i : i + 1])
            x, after = layer(self.dropout(x), before)
            last.append(after)
        return x, (torch.cat([h for h, _ in last]), torch.cat([c for _, c in last]))

    def step(self, x: Tensor, state: State, times: Product = product) -> tuple[Tensor, State]:
        """Return the top state [N, n] and the new state after one input [N, inputs].

        ``times`` says how to multiply by a weight matrix.
        """
        new = []
        for layer, h, c in zip(self.layers, *state, strict=True):
            W_x, W_h = (layer.get_parameter(f"weight_{part}_l0") for part in ("ih", "hh"))
            x, c = lstm_cell(times(self.dropout(x), W_x) + times(h, W_h), c)
            new.append((x, c))
        return x, (torch.stack([h for h, _ in new]), torch.stack([c for _, c in new]))


def lstm_cell(gates: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """Return h_t and c_t, each [N, n].

    Args:
        gates: W [x_t; h_{t-1}] in ``torch.nn.LSTM``'s order i, f, g, o, [N, 4n].
        c: c_{t-1}, [N, n].
    """
    result: tuple[Tensor, Tensor] = _Cell.apply(gates, c)
    return result


class _Cell(torch.autograd.Function):
    """The cell with its derivative written out: half the memory and a third of the operations."""

    @staticmethod
    def forward(ctx: Any, gates: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        n = c.shape[1]
        activated = torch.sigmoid(gates)
        activated[:, 2 * n : 3 * n] = torch.tanh(gates[:, 2 * n : 3 * n])
        i, f, g, o = activated.chunk(4, dim=1)
        new_c = torch.addcmul(f * c, i, g)
        tanh_c = torch.tanh(new_c)
        ctx.save_for_backward(activated, c, tanh_c)
        return o * tanh_c, new_c

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor]:
        activated, c, tanh_c = ctx.saved_tensors
        i, f, g, o = activated.chunk(4, dim=1)
        grad_h, grad_c = grads
        # d tanh(x) = 1 - tanh(x)^2; d sigmoid(x) = s - s^2
        grad_c = torch.addcmul(grad_c, grad_h * o, 1 - tanh_c * tanh_c)
        slope = torch.addcmul(activated, activated, activated, value=-1)
        n = c.shape[1]
        slope[:, 2 * n : 3 * n] = 1 - g * g
        back = torch.cat([grad_c * g, grad_c * c, grad_c * i, grad_h * tanh_c], dim=1)
        return back.mul_(slope), grad_c * f
