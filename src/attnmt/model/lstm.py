"""The LSTM cell for a recurrence that has to be stepped."""

from typing import Any

import torch
from torch import Tensor


def lstm_cell(gates: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """Return h_t and c_t, each [K, n]: c_t = f c_{t-1} + i g, h_t = o tanh(c_t).

    Args:
        gates: W [x_t; h_{t-1}] in ``torch.nn.LSTM``'s order i, f, g, o, [K, 4n].
        c: c_{t-1}, [K, n].
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
