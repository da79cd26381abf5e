"""Cells take one step of a recurrent layer. Each is a class that also holds the layer's weights.

N sentences (or hypotheses) are rows; a layer has n cells. There are no biases.
"""

from functools import reduce
from typing import ClassVar

import torch
from torch import Tensor, nn

from attnmt.model.products import Factor

State = tuple[Tensor, ...]  # one layer's h [.., n], and for the LSTM its c [.., n]


class LSTM(nn.LSTM):
    """A layer of LSTM cells (Zaremba et al. 2014), with rows of weights in the order i, f, g, o."""

    parts: ClassVar = 2  # tensors in a state

    @staticmethod
    def factors(W_x: Tensor | None, W_h: Tensor) -> list[Factor]:
        """Return what multiplies x_t [.., m] and h_{t-1} at each step: here one product does both."""
        return [Factor(W_h if W_x is None else torch.cat([W_x, W_h], dim=1))]

    @staticmethod
    def step(W: list[Factor], known: Tensor | None, x: Tensor | None, state: State) -> State:
        """Return h_t and c_t from what is known of W_x x_t [.., 4n], x_t, h_{t-1} and c_{t-1}."""
        h, c = state
        sums = W[0](h if x is None else torch.cat([x, h], dim=-1))
        if h.is_cuda:
            known = torch.zeros_like(sums) if known is None else known
            h, c, _ = torch.ops.aten._thnn_fused_lstm_cell(known, sums, c)
            return h, c
        i, f, g, o = (sums if known is None else known + sums).chunk(4, dim=-1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


class GRU(nn.GRU):
    """A layer of GRU cells (Cho et al. 2014), with rows of weights in the order r, z, n."""

    parts: ClassVar = 1

    @staticmethod
    def factors(W_x: Tensor | None, W_h: Tensor) -> list[Factor]:
        """Return what multiplies h_{t-1} and, unless it is known, x_t."""
        return [Factor(W) for W in (W_h, W_x) if W is not None]

    @staticmethod
    def step(W: list[Factor], known: Tensor | None, x: Tensor | None, state: State) -> State:
        """Return h_t from what is known of W_x x_t [.., 3n], x_t and h_{t-1}."""
        (h,), W_h, *W_x = state, *W
        sums = [known] if known is not None else []
        sums += [product(x) for product in W_x if x is not None]
        r_x, z_x, n_x = reduce(Tensor.add, sums).chunk(3, dim=-1)
        r_h, z_h, n_h = W_h(h).chunk(3, dim=-1)
        r, z = torch.sigmoid(r_x + r_h), torch.sigmoid(z_x + z_h)
        new = torch.tanh(n_x + r * n_h)
        return ((1 - z) * new + z * h,)
