"""Products of matrices in fp32 that have the same bytes on every x86-64 processor with AVX2.

On a processor, torch multiplies by MKL, which looks at the processor's maker, so that Intel's and AMD's
sum in different orders. oneDNN, which torch brings too, makes its code from the instructions alone. With
AVX2 and with AVX-512 it sums up to ``WHOLE`` numbers in one order, and from ``LONG`` on, too; between
them it cuts the sums at other places. So these are cut here. On a GPU, the products are torch's own.
"""

from functools import reduce
from typing import Any

import torch
from torch import Tensor, nn

WHOLE, LONG = 512, 1200

_linear: Any = (
    torch.ops.mkldnn._linear_pointwise.default if torch.backends.mkldnn.is_available() else None
)


class _Product(torch.autograd.Function):
    """x W^T with its derivatives: with G that of the result, G W for x and G^T x for W."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, W: Tensor) -> Tensor:
        ctx.save_for_backward(x, W)
        return _product(x, W)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, Tensor | None]:
        (x, W), (grad,) = ctx.saved_tensors, grads
        of_x, of_W = ctx.needs_input_grad
        grad_W = _product(grad.flatten(0, -2).T, x.flatten(0, -2).T) if of_W else None
        return _product(grad, W.T) if of_x else None, grad_W


class Factor:
    """The matrix W [rows, m] of products W x_t at many steps, to each of which W_y y_t may be added.

    All y_t are known before the first step, so W_y y_t is one product for all steps. Autograd would add
    to the gradients of W and W_y at every step. Here each is one product too, of what all steps leave
    behind. So the steps are taken in order, the loss depends on all of them, and there is one backward
    pass at most.
    """

    def __init__(self, W: Tensor, W_y: Tensor | None = None, y: Tensor | None = None) -> None:
        """Take W, and W_y [rows, e] with y [T, .., e] if there is something to add."""
        given = [one for one in (W, W_y, y) if one is not None]
        self.followed = torch.is_grad_enabled() and any(one.requires_grad for one in given)
        self._steps: list[tuple[Tensor, Tensor]] = []  # x_t and the gradient of the result
        self.W, self.known = W, None  # known: W_y y, [T, .., rows]
        if self.followed:
            self.W, self.known = _Gathered.apply(self._steps, W, W_y, y)
        elif y is not None and W_y is not None:
            self.known = _product(y, W_y)

    def __call__(self, x: Tensor, t: int = 0) -> Tensor:
        """Return W x_t + W_y y_t, [.., rows], from x_t [.., m]."""
        if self.followed:
            result: Tensor = _StepProduct.apply(x, self.W, self.known, t, self._steps)
            return result
        product = _product(x, self.W)
        return product if self.known is None else product.add_(self.known[t])


class _Gathered(torch.autograd.Function):
    """W itself and W_y y, whose gradients come from the steps."""

    @staticmethod
    def forward(
        ctx: Any,
        steps: list[tuple[Tensor, Tensor]],
        W: Tensor,
        W_y: Tensor | None,
        y: Tensor | None,
    ) -> tuple[Tensor, Tensor | None]:
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(W_y, y)
        ctx.steps = steps
        return W.view_as(W), None if y is None or W_y is None else _product(y, W_y)

    @staticmethod
    def backward(ctx: Any, *_: Tensor | None) -> tuple[Tensor | None, ...]:
        x, grad = (torch.stack(part) for part in zip(*reversed(ctx.steps), strict=True))
        ctx.steps.clear()
        W_y, y = ctx.saved_tensors
        columns = grad.flatten(0, -2).T
        grad_W = _product(columns, x.flatten(0, -2).T)
        if y is None:
            return None, grad_W, None, None
        return None, grad_W, _product(columns, y.flatten(0, -2).T), _product(grad, W_y.T)


class _StepProduct(torch.autograd.Function):
    """W x_t + W_y y_t, whose backward pass leaves all gradients but that of x_t to ``_Gathered``."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        W: Tensor,
        known: Tensor | None,
        t: int,
        steps: list[tuple[Tensor, Tensor]],
    ) -> Tensor:
        ctx.save_for_backward(x, W)
        ctx.steps = steps
        product = _product(x, W)
        return product if known is None else product.add_(known[t])

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        (x, W), (grad,) = ctx.saved_tensors, grads
        ctx.steps.append((x, grad))
        grad_x = _product(grad, W.T) if ctx.needs_input_grad[0] else None
        return grad_x, None, None, None, None


def matmul(x: Tensor, W: Tensor) -> Tensor:
    """Return x W^T, [.., rows], from x [.., m] and W [rows, m], of which either may be a view."""
    followed = torch.is_grad_enabled() and (x.requires_grad or W.requires_grad)
    result: Tensor = _Product.apply(x, W) if followed else _product(x, W)
    return result


def _product(x: Tensor, W: Tensor) -> Tensor:
    if x.is_cpu and x.dtype == torch.float32 and _linear is not None:
        return _on_processor(x, W)
    return torch.matmul(x, W.T)


def _on_processor(x: Tensor, W: Tensor) -> Tensor:
    length, x = x.shape[-1], _dense(x)
    if WHOLE < length < LONG:
        parts = zip(x.split(WHOLE, dim=-1), W.split(WHOLE, dim=1), strict=True)
        return reduce(Tensor.add_, (_on_processor(*part) for part in parts))
    if x.dim() == 2 and not x.is_contiguous() and len(x) * len(W) + W.numel() < x.numel():
        # oneDNN copies a first factor that is a transposed view. Here the result is the smaller copy.
        return _on_processor(W, x).T.contiguous()
    # One row times a transposed view has its own order of summation, which the instructions decide.
    W = W.contiguous() if x.numel() == length else _dense(W)
    result: Tensor = _linear(x, W, None, "none", [], "")
    return result


def _dense(x: Tensor) -> Tensor:
    """Return x, or a copy if its rows have gaps between them; oneDNN would be a hundred times slower."""
    return x if x.is_contiguous() or x.mT.is_contiguous() else x.contiguous()


def parameter(*size: int) -> nn.Parameter:
    """Return a parameter without values, which ``LuongNMT.initialize`` gives it."""
    return nn.Parameter(torch.empty(size))
