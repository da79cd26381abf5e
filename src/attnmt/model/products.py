"""Products of matrices in fp32 that have the same bytes on every x86-64 processor with AVX2.

On a processor, torch multiplies by MKL, which looks at the processor's maker, so that Intel's and AMD's
sum in different orders. oneDNN, which torch brings too, makes its code from the instructions alone, and
:func:`attnmt.model.cpu_isa.keep_to_avx2` fixes these. On a GPU, the products are torch's own.
"""

from typing import Any

import torch
from torch import Tensor

_linear: Any = (
    torch.ops.mkldnn._linear_pointwise.default if torch.backends.mkldnn.is_available() else None
)


class _Product(torch.autograd.Function):
    """x W^T with its derivatives: with G that of the result, G W for x and G^T x for W."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, W: Tensor) -> Tensor:
        ctx.save_for_backward(x, W)
        return _on_processor(x, W)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, Tensor | None]:
        (x, W), (grad,) = ctx.saved_tensors, grads
        grad_x = _on_processor(grad, W.T) if ctx.needs_input_grad[0] else None
        if not ctx.needs_input_grad[1]:
            return grad_x, None
        return grad_x, _on_processor(grad.flatten(0, -2).T, x.flatten(0, -2).T)


def matmul(x: Tensor, W: Tensor, out: Tensor | None = None) -> Tensor:
    """Return x W^T, [.., rows], from x [.., m] and W [rows, m], of which either may be a view.

    ``out`` is memory for the result; autograd does not follow it.
    """
    if not (x.is_cpu and x.dtype == torch.float32 and _linear is not None):
        return torch.matmul(x, W.T, out=out)
    if out is not None:
        return out.copy_(_on_processor(x, W))
    followed = torch.is_grad_enabled() and (x.requires_grad or W.requires_grad)
    result: Tensor = _Product.apply(x, W) if followed else _on_processor(x, W)
    return result


def add_product(sums: Tensor, x: Tensor, W: Tensor) -> Tensor:
    """Add x W^T to sums [N, rows] in place, from x [N, m] and W [rows, m]; autograd does not follow."""
    return sums.add_(matmul(x, W)) if sums.is_cpu else sums.addmm_(x, W.T)


def _on_processor(x: Tensor, W: Tensor) -> Tensor:
    if x.dim() == 2 and not x.is_contiguous() and len(x) * len(W) + W.numel() < x.numel():
        # oneDNN copies a first factor that is a transposed view. Here the result is the smaller copy.
        return _on_processor(W, x).T.contiguous()
    result: Tensor = _linear(_dense(x), _dense(W), None, "none", [], "")
    return result


def _dense(x: Tensor) -> Tensor:
    """Return x, or a copy if its rows have gaps between them; oneDNN would be a hundred times slower."""
    return x if x.is_contiguous() or x.mT.is_contiguous() else x.contiguous()
