"""Cells take the steps of a recurrent layer over a batch. Each is a class.

N sentences (or hypotheses) are rows; a layer has n cells. At step t it reads y_t, which is known for all
steps, and x_t, which a step brings; a GRU may read y_t alone. There are no biases.
"""

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from attnmt.model.products import Factor, matmul

State = tuple[Tensor, ...]  # one layer's h [.., n], and for the LSTM its c [.., n]


class LSTM:
    """LSTM cells (Zaremba et al. 2014), with rows of weights in the order i, f, g, o."""

    module: ClassVar[Any] = nn.LSTM  # which holds the weights
    parts: ClassVar = 2  # tensors in a state

    def __init__(self, W_h: Tensor, W_x: Tensor, W_y: Tensor | None, y: Tensor | None) -> None:
        """Take the weights of h_{t-1} [4n, n], of x_t [4n, m] and of y [T, .., e], [4n, e]."""
        # x_t and h_{t-1} lie side by side, so that a step has one product.
        self.product = Factor(torch.cat([W_x, W_h], dim=1), W_y, y)

    def step(self, x: Tensor, state: State, t: int) -> State:
        """Return h_t and c_t from x_t [.., m], h_{t-1} and c_{t-1}."""
        h, c = state
        sums = self.product(torch.cat([x, h], dim=-1), t)
        if has_kernel(sums):  # for matrices
            sums, rows = sums.flatten(0, -2), c.flatten(0, -2)
            h_t, c_t, _ = torch.ops.aten._thnn_fused_lstm_cell(torch.zeros_like(sums), sums, rows)
            return h_t.view_as(h), c_t.view_as(c)
        i, f, g, o = sums.chunk(4, dim=-1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


def has_kernel(x: Tensor) -> bool:
    """Say whether torch has all of an LSTM's step but its product as one kernel: on a GPU."""
    return x.is_cuda


class GRU:
    """GRU cells (Cho et al. 2014), with rows of weights in the order r, z, n."""

    module: ClassVar[Any] = nn.GRU
    parts: ClassVar = 1

    def __init__(
        self, W_h: Tensor, W_x: Tensor | None, W_y: Tensor | None, y: Tensor | None
    ) -> None:
        """Take the weights of h_{t-1} [3n, n], of x_t [3n, m] and of y [T, .., e], [3n, e]."""
        self.of_h = Factor(W_h)
        self.of_x: Any = None
        self.of_y: Any = None
        if W_x is not None:
            self.of_x = Factor(W_x, W_y, y)
        elif y is not None and W_y is not None:
            self.of_y = matmul(y, W_y)

    def step(self, x: Tensor | None, state: State, t: int) -> State:
        """Return h_t from x_t [.., m] and h_{t-1}."""
        (h,) = state
        sums = self.of_y[t] if self.of_y is not None else self.of_x(x, t)
        r_x, z_x, n_x = sums.chunk(3, dim=-1)
        r_h, z_h, n_h = self.of_h(h, t).chunk(3, dim=-1)
        r, z = torch.sigmoid(r_x + r_h), torch.sigmoid(z_x + z_h)
        new = torch.tanh(n_x + r * n_h)
        return ((1 - z) * new + z * h,)
