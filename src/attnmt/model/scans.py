"""One LSTM or GRU layer over all steps, its derivative written out; equations as in cells.py.

W_x x_t, the gradient of x and those of the weights are one product each for all steps.
"""

from typing import Any

import torch
from torch import Tensor

from attnmt.model.cells import lstm_backward, lstm_forward


class LSTMScan(torch.autograd.Function):
    """From x [T, N, m], W_x [4n, m], W_h [4n, n], h_0 and c_0 [N, n] to h [T, N, n], h_T and c_T."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, W_x: Tensor, W_h: Tensor, h: Tensor, c: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        T, N, n = len(x), *h.shape
        gates = (x.flatten(0, 1) @ W_x.T).view(T, N, 4 * n)
        hs, cs = h.new_empty(T + 1, N, n), h.new_empty(T + 1, N, n)
        tanh_c = h.new_empty(T, N, n)
        hs[0], cs[0] = h, c
        for t in range(T):
            gates[t].addmm_(hs[t], W_h.T)
            lstm_forward(gates[t], cs[t], hs[t + 1], cs[t + 1], tanh_c[t])
        ctx.save_for_backward(x, W_x, W_h, gates, hs, cs, tanh_c)
        return hs[1:], hs[T].clone(), cs[T].clone()

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, ...]:
        x, W_x, W_h, gates, hs, cs, tanh_c = ctx.saved_tensors
        grad_hs, grad_h, grad_c = grads[0], grads[0][-1] + grads[1], grads[2].clone()
        back = torch.empty_like(gates)
        for t in range(len(x) - 1, -1, -1):
            lstm_backward(gates[t], cs[t], tanh_c[t], hs[t + 1], grad_h, grad_c, back[t])
            grad_h = torch.addmm(grad_hs[t - 1], back[t], W_h) if t else back[t] @ W_h
        back = back.flatten(0, 1)
        return (
            (back @ W_x).view_as(x),
            back.T @ x.flatten(0, 1),
            back.T @ hs[:-1].flatten(0, 1),
            grad_h,
            grad_c,
        )


class GRUScan(torch.autograd.Function):
    """From x [T, N, m], W_x [3n, m], W_h [3n, n] and h_0 [N, n] to h [T, N, n]."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, W_x: Tensor, W_h: Tensor, h: Tensor) -> Tensor:
        T, N, n = len(x), *h.shape
        gates = (x.flatten(0, 1) @ W_x.T).view(T, N, 3 * n)
        hs, of_h = h.new_empty(T + 1, N, n), h.new_empty(T, N, 3 * n)
        hs[0] = h
        for t in range(T):
            torch.mm(hs[t], W_h.T, out=of_h[t])
            gates[t, :, : 2 * n].add_(of_h[t, :, : 2 * n]).sigmoid_()
            r, z, new = gates[t].chunk(3, dim=1)
            new.addcmul_(r, of_h[t, :, 2 * n :]).tanh_()
            torch.lerp(new, hs[t], z, out=hs[t + 1])
        ctx.save_for_backward(x, W_x, W_h, gates, hs, of_h)
        return hs[1:]

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, ...]:
        x, W_x, W_h, gates, hs, of_h = ctx.saved_tensors
        (grad_hs,) = grads
        T, N, n = grad_hs.shape
        r, z, new = gates.chunk(3, dim=2)
        # What grad_h is multiplied by to become the gradients of the gates' sums.
        of_new = (1 - z) * (1 - new * new)
        slopes = torch.cat(
            [of_new * of_h[:, :, 2 * n :] * r * (1 - r), (hs[:-1] - new) * z * (1 - z), of_new * r],
            dim=2,
        ).view(T, N, 3, n)
        back = torch.empty_like(slopes)  # gradients of W_h h_{t-1}
        grad_h = grad_hs[-1]
        for t in range(T - 1, -1, -1):
            torch.mul(grad_h[:, None], slopes[t], out=back[t])
            carried = grad_h * z[t]
            of_new[t].mul_(grad_h)
            grad_h = carried.addmm_(back[t].view(N, 3 * n), W_h)
            if t:
                grad_h = grad_h.add_(grad_hs[t - 1])
        flat = back.view(T * N, 3 * n)
        grad_W_h = flat.T @ hs[:-1].flatten(0, 1)
        back[:, :, 2] = of_new  # W_x x_t enters n without r
        return (flat @ W_x).view_as(x), flat.T @ x.flatten(0, 1), grad_W_h, grad_h
