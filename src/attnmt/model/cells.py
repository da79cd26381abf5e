"""Cells take one step of a recurrent layer. Each is a class that also holds the layer's weights.

N sentences (or hypotheses) are rows; a layer has n cells. What a layer reads may have several parts,
which lie side by side. There are no biases.
"""

from collections.abc import Sequence
from typing import ClassVar

import torch
from torch import Tensor, nn

from attnmt.model.products import Factor

State = tuple[Tensor, ...]  # one layer's h [.., n], and for the LSTM its c [.., n]


class LSTM(nn.LSTM):
    """A layer of LSTM cells (Zaremba et al. 2014), with rows of weights in the order i, f, g, o."""

    parts: ClassVar = 2  # tensors in a state

    def factors(self) -> list[Factor]:
        """Return the weights for the steps of a batch: here one product does for x_t and h_{t-1}."""
        return [Factor(torch.cat([self.weight_ih_l0, self.weight_hh_l0], dim=1))]

    @staticmethod
    def step(W: list[Factor], x: Sequence[Tensor], state: State) -> State:
        """Return h_t and c_t from x_t in parts [.., m], h_{t-1} and c_{t-1}."""
        h, c = state
        sums = W[0](torch.cat([*x, h], dim=-1))
        if h.is_cuda:
            h, c, _ = torch.ops.aten._thnn_fused_lstm_cell(torch.zeros_like(sums), sums, c)
            return h, c
        i, f, g, o = sums.chunk(4, dim=-1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


class GRU(nn.GRU):
    """A layer of GRU cells (Cho et al. 2014), with rows of weights in the order r, z, n."""

    parts: ClassVar = 1

    def factors(self) -> list[Factor]:
        """Return the weights for the steps of a batch, of x_t and of h_{t-1}."""
        return [Factor(self.weight_ih_l0), Factor(self.weight_hh_l0)]

    @staticmethod
    def step(W: list[Factor], x: Sequence[Tensor], state: State) -> State:
        """Return h_t from x_t in parts [.., m] and h_{t-1}."""
        (h,) = state
        r_x, z_x, n_x = W[0](torch.cat([*x], dim=-1)).chunk(3, dim=-1)
        r_h, z_h, n_h = W[1](h).chunk(3, dim=-1)
        r, z = torch.sigmoid(r_x + r_h), torch.sigmoid(z_x + z_h)
        new = torch.tanh(n_x + r * n_h)
        return ((1 - z) * new + z * h,)
