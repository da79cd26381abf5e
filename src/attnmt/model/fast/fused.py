"""``LSTMSteps`` on a GPU: torch's own kernels take all gates of a step at once.

A step is the product, one kernel and two copies, where ``cells.py`` has nine kernels; a step back is a
sum, one kernel, a copy and the product. torch has these kernels for GPUs only.
"""

import torch
from torch import Tensor

from attnmt.model.fast.cells import LayerState, LSTMSteps
from attnmt.model.products import product


class FusedLSTMSteps(LSTMSteps, abstract=True):
    """The same steps. Until a step back, ``gates`` holds only what was known of the gates' sums."""

    def __init__(self, sums: Tensor, W: Tensor, first: LayerState, m: int) -> None:
        super().__init__(sums, W, first, m)
        self._nothing = torch.zeros_like(sums[0])
        self._taken: list[Tensor] = []  # the gates of each step, after sigmoid and tanh
        self._cells = [first[1]]  # c_0, c_1, ..

    def forward(self, t: int, known: bool) -> Tensor:
        sums = self._sums[t] if known else self._nothing
        bias = self._nothing[0]  # torch's kernel takes None, but its count of operations fails then
        h, c, gates = torch.ops.aten._thnn_fused_lstm_cell(
            sums, product(self._in[t], self.W), self._cells[t], bias, bias
        )
        self._taken.append(gates)
        self._cells.append(c)
        if self.m and t + 1 < len(self._in):
            self._h_in[t + 1].copy_(h)
        return self._h[t + 1].copy_(h)

    def last(self) -> LayerState:
        return self.hs[-1].clone(), self._cells[-1]

    def start_backward(self, grads: LayerState) -> None:
        self.grads = grads

    def backward(self, t: int, grad_h: Tensor) -> Tensor:
        grad_h_after, grad_c = self.grads
        grad_sums, grad_c, _ = torch.ops.aten._thnn_fused_lstm_cell_backward_impl(
            grad_h + grad_h_after, grad_c, self._cells[t], self._cells[t + 1], self._taken[t], False
        )
        self._sums[t].copy_(grad_sums)
        grad_in = product(grad_sums, self.W.T)  # that of [x_t; h_{t-1}]
        self.grads = grad_in[:, self.m :], grad_c
        return grad_in[:, : self.m]
