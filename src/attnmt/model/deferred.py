"""How a decoder multiplies: by its weights and by what it attends to.

Back-propagation through time adds a small product g_t^T x_t to the gradient of W at every step. The
sum over t is one product of the steps laid end to end, [g_1; ..; g_T]^T [x_1; ..; x_T], which a
processor does several times faster. The same holds for the source's keys and values, which every step
is compared with and averages.
"""

from typing import Any

import torch
from torch import Tensor


class Products:
    """The products of one step or of all steps at once."""

    def matrix(self, x: Tensor, W: Tensor) -> Tensor:
        """Return W x, [.., m], for vectors x in the last dimension and W [m, n]."""
        return x @ W.T

    def tanh_layer(self, x: Tensor, h: Tensor, W: Tensor) -> Tensor:
        """Return tanh(W [x; h]), [.., m]."""
        return torch.tanh(torch.cat([x, h], dim=-1) @ W.T)

    def compare(self, q: Tensor, keys: Tensor) -> Tensor:
        """Return q . k, [N, K, M], of queries q [N, K, n] and keys [N, M, n]."""
        return torch.bmm(q, keys.transpose(1, 2))

    def average(self, a: Tensor, values: Tensor) -> Tensor:
        """Return sum_s a(s) v_s, [N, K, n], for weights a [N, K, M] and values [N, M, n]."""
        return torch.bmm(a, values)

    def shared(self, factor: Tensor, use: str = "matrix") -> "tuple[Tensor, Tape | None]":
        """Return a factor that many steps use, and the tape for what its gradient is made of."""
        return factor, None


class DeferredProducts(Products):
    """The products of one pass over T steps of a recurrence, each shared factor's gradient taken once.

    A shared factor (W, keys, values) is used through one node of the graph, which back-propagation
    reaches after all its uses; by then each use has left its part of the gradient on a tape. The tape
    is then let go, so that a loss can be back-propagated once.
    """

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self._shared: dict[tuple[str, int], tuple[Tensor, Tensor, Tape]] = {}

    def matrix(self, x: Tensor, W: Tensor) -> Tensor:
        result: Tensor = _Matrix.apply(x, *self.shared(W))
        return result

    def tanh_layer(self, x: Tensor, h: Tensor, W: Tensor) -> Tensor:
        result: Tensor = _TanhLayer.apply(x, h, *self.shared(W))
        return result

    def compare(self, q: Tensor, keys: Tensor) -> Tensor:
        result: Tensor = _Compare.apply(q, *self.shared(keys, "compare"))
        return result

    def average(self, a: Tensor, values: Tensor) -> Tensor:
        result: Tensor = _Average.apply(a, *self.shared(values, "average"))
        return result

    def shared(self, factor: Tensor, use: str = "matrix") -> "tuple[Tensor, Tape]":
        key = use, id(factor)
        if key not in self._shared:
            tape = Tape(self.steps)
            # The factor itself is kept too, so that its id stays its own.
            self._shared[key] = factor, _Collect.apply(factor, tape), tape
        return self._shared[key][1:]


class Tape:
    """The two factors of the gradient that each of T uses leaves.

    For a W: its gradient's rows g [R, m] and its inputs x [R, n] at R rows. For keys and values: each
    column's share [N, K, M] and the vectors [N, K, n]. Uses write to their own place on the tape, which
    spares a copy.
    """

    def __init__(self, steps: int) -> None:
        self.steps, self.used = steps, 0

    def claim(self, left: tuple[int, ...], right: tuple[int, ...], like: Tensor) -> int:
        """Return the number of a new use whose factors have these shapes."""
        if not self.used:
            self.left = like.new_empty(self.steps, *left)
            self.right = like.new_empty(self.steps, *right)
            self.missing = set[int]()
        self.used += 1
        self.missing.add(self.used - 1)
        return self.used - 1

    def gradient(self) -> Tensor:
        """Return the factor's gradient once all uses have written, and let the tape go."""
        for use in self.missing:  # uses that back-propagation did not reach
            self.left[use], self.right[use] = 0, 0
        left, right = self.left[: self.used], self.right[: self.used]
        del self.left, self.right
        if left.dim() == 3:
            return left.flatten(0, 1).T @ right.flatten(0, 1)
        return torch.einsum("tnkm,tnkd->nmd", left, right)


class _Collect(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, factor: Tensor, tape: Tape) -> Tensor:
        ctx.set_materialize_grads(False)
        ctx.tape = tape
        return factor.view_as(factor)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> tuple[Tensor, None]:
        return ctx.tape.gradient(), None


class _Matrix(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, W: Tensor, tape: Tape) -> Tensor:
        rows = x.flatten(0, -2)
        ctx.use = tape.claim((len(rows), len(W)), tuple(rows.shape), x)
        tape.right[ctx.use] = rows
        ctx.save_for_backward(W)
        ctx.tape = tape
        return x @ W.T

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        (W,), tape, g = ctx.saved_tensors, ctx.tape, grads[0]
        tape.left[ctx.use] = g.flatten(0, -2)
        tape.missing.remove(ctx.use)
        return g @ W, None, None


class _TanhLayer(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, h: Tensor, W: Tensor, tape: Tape) -> Tensor:
        rows = x[..., 0].numel()
        ctx.use = tape.claim((rows, len(W)), (rows, W.shape[1]), x)
        inputs = tape.right[ctx.use].view(*x.shape[:-1], -1)
        torch.cat([x, h], dim=-1, out=inputs)
        y = (inputs @ W.T).tanh_()
        ctx.save_for_backward(W, y)
        ctx.tape, ctx.parts = tape, (x.shape[-1], h.shape[-1])
        return y

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        (W, y), tape = ctx.saved_tensors, ctx.tape
        g = tape.left[ctx.use].view_as(y)
        torch.addcmul(grads[0], grads[0] * y, y, value=-1, out=g)  # d tanh = 1 - tanh^2
        tape.missing.remove(ctx.use)
        return *(g @ W).split(ctx.parts, dim=-1), None, None


class _Compare(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, q: Tensor, keys: Tensor, tape: Tape) -> Tensor:
        ctx.use = tape.claim((*q.shape[:2], keys.shape[1]), tuple(q.shape), q)
        tape.right[ctx.use] = q
        ctx.save_for_backward(keys)
        ctx.tape = tape
        return torch.bmm(q, keys.transpose(1, 2))

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        (keys,), tape, g = ctx.saved_tensors, ctx.tape, grads[0]
        tape.left[ctx.use] = g
        tape.missing.remove(ctx.use)
        return torch.bmm(g, keys), None, None


class _Average(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, values: Tensor, tape: Tape) -> Tensor:
        ctx.use = tape.claim(tuple(a.shape), (*a.shape[:2], values.shape[2]), a)
        tape.left[ctx.use] = a
        ctx.save_for_backward(values)
        ctx.tape = tape
        return torch.bmm(a, values)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        (values,), tape, g = ctx.saved_tensors, ctx.tape, grads[0]
        tape.right[ctx.use] = g
        tape.missing.remove(ctx.use)
        return torch.bmm(g, values.transpose(1, 2)), None, None
