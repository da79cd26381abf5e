"""One LSTM or GRU layer over all steps of an input that is known beforehand."""

from typing import Any

import torch
from torch import Tensor

from attnmt.model.cells import Steps


class Scan(torch.autograd.Function):
    """From x [T, N, m], W_x [gates n, m], W_h [gates n, n] and the first state to h [T, N, n] and the
    last state. W_x x_t, the gradient of x and those of the weights are one product each for all steps.
    """

    @staticmethod
    def forward(
        ctx: Any, cell: type[Steps], x: Tensor, W_x: Tensor, W_h: Tensor, *first: Tensor
    ) -> tuple[Tensor, ...]:
        sums = (x.flatten(0, 1) @ W_x.T).view(*x.shape[:2], -1)
        steps = cell(sums, W_h, first, brought=0)
        for t in range(len(x)):
            steps.forward(t, known=True)
        ctx.save_for_backward(x, W_x)
        ctx.steps = steps
        return steps.hs[1:], *steps.last()

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        (x, W_x), steps = ctx.saved_tensors, ctx.steps
        del ctx.steps
        grad_hs, *last = grads
        steps.turn(last)
        for t in range(len(x) - 1, -1, -1):
            steps.backward(t, grad_hs[t])
        back = steps.grad_sums.flatten(0, 1)
        grad_x = (back @ W_x).view_as(x) if ctx.needs_input_grad[1] else None
        return None, grad_x, back.T @ x.flatten(0, 1), steps.grad_weights(), *steps.grad_first
