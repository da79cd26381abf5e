"""Products with a weight matrix at every time step, their weight gradient taken once at the end.

Back-propagation through time adds a small product g_t^T x_t to the gradient of W at every step. The
sum over t is one product of the steps laid end to end, [g_1; ..; g_T]^T [x_1; ..; x_T], which a
processor does several times faster.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

Tape = list[tuple[Tensor, Tensor]]  # x and the gradient of W x, of every step
Product = Callable[[Tensor, Tensor], Tensor]  # x [.., n] and W [m, n] to W x, [.., m]


def product(x: Tensor, W: Tensor) -> Tensor:
    """Return W x for vectors x in the last dimension."""
    return x @ W.T


class DeferredProducts:
    """``product`` for one pass over the steps of a recurrence.

    Every weight is used through one node of the graph, which back-propagation reaches after all its
    uses; by then the uses have left their x and g on the weight's tape.
    """

    def __init__(self) -> None:
        self._weights: dict[Tensor, tuple[Tensor, Tape]] = {}

    def __call__(self, x: Tensor, W: Tensor) -> Tensor:
        """Return W x, [.., m]."""
        if W not in self._weights:
            tape: Tape = []
            self._weights[W] = _Collect.apply(W, tape), tape
        collected, tape = self._weights[W]
        result: Tensor = _Product.apply(x, collected, tape)
        return result


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, W: Tensor, tape: Tape) -> Tensor:
        ctx.save_for_backward(x, W)
        ctx.tape = tape
        return x @ W.T

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        x, W = ctx.saved_tensors
        g = grads[0]
        ctx.tape.append((x.flatten(0, -2), g.flatten(0, -2)))
        return g @ W, None, None


class _Collect(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, W: Tensor, tape: Tape) -> Tensor:
        ctx.set_materialize_grads(False)
        ctx.tape = tape
        return W.view_as(W)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> tuple[Tensor, None]:
        xs, gs = zip(*ctx.tape, strict=True)
        ctx.tape.clear()
        return torch.cat(gs).T @ torch.cat(xs), None
