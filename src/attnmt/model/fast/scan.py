"""The reference's loop over the steps of a layer as one operation, if all input is known beforehand.

The encoder is such a loop, and so is a decoder without input feeding. W_x x_t, the gradient of x and
those of the weights are each one product for all steps. Only the recurrence goes step by step
(``cells.py``).
"""

from typing import Any

import torch
from torch import Tensor

from attnmt.model.fast.cells import Steps


class Scan(torch.autograd.Function):
    """Computes h [T, N, n] and the last state from x [T, N, m] and the first state.

    The weights are W_x [gates n, m] and W_h [gates n, n].
    """

    @staticmethod
    def forward(
        ctx: Any, cell: type[Steps], x: Tensor, W_x: Tensor, W_h: Tensor, *first: Tensor
    ) -> tuple[Tensor, ...]:
        sums = (x.flatten(0, 1) @ W_x.T).view(*x.shape[:2], -1)
        steps = cell(sums, W_h, first, m=0)
        for t in range(len(x)):
            steps.forward(t, known=True)
        ctx.save_for_backward(x, W_x)
        ctx.steps = steps
        return steps.hs[1:], *steps.last()

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        (x, W_x), steps = ctx.saved_tensors, ctx.steps
        del ctx.steps
        grad_hs, *grad_last = grads
        steps.start_backward(grad_last)
        for t in range(len(x) - 1, -1, -1):
            steps.backward(t, grad_hs[t])
        grad_sums = steps.grad_sums.flatten(0, 1)
        grad_x = (grad_sums @ W_x).view_as(x) if ctx.needs_input_grad[1] else None
        grad_W_x = grad_sums.T @ x.flatten(0, 1)
        return None, grad_x, grad_W_x, steps.grad_weights(), *steps.grad_first
