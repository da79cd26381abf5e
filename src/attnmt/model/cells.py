"""One step of an LSTM or a GRU layer, without biases. With sigmoid written s():

- LSTM (Zaremba et al. 2014): i, f, o = s(.), g = tanh(.) of W_x x_t + W_h h_{t-1};
  c_t = f c_{t-1} + i g; h_t = o tanh(c_t).
- GRU (Cho et al. 2014, in the form of ``torch.nn.GRU``): r, z = s(W_x x_t + W_h h_{t-1});
  n = tanh(W_x x_t + r (W_h h_{t-1})); h_t = (1 - z) n + z h_{t-1}.
"""

from typing import Any

import torch
from torch import Tensor

from attnmt.model.deferred import Products, Tape

LayerState = tuple[Tensor, ...]  # h [N, n], and for the LSTM c [N, n]


def lstm_cell(
    x: Tensor,
    mask: Tensor | None,
    known: Tensor | None,
    before: LayerState,
    weights: tuple[Tensor, ...],
    products: Products,
) -> LayerState:
    """Return h_t and c_t, each [N, n].

    Args:
        x: x_t, [N, m].
        mask: of dropout for x, [N, m].
        known: a part of W_x x_t that x lacks, in ``torch.nn.LSTM``'s order i, f, g, o, [N, 4n].
        before: h_{t-1} and c_{t-1}.
        weights: [W_x W_h], [4n, m + n].
        products: how to multiply.
    """
    result: LayerState = _LSTMStep.apply(x, mask, known, *before, *products.shared(weights[0]))
    return result


def gru_cell(
    x: Tensor,
    mask: Tensor | None,
    known: Tensor | None,
    before: LayerState,
    weights: tuple[Tensor, ...],
    products: Products,
) -> LayerState:
    """Return h_t, [N, n]; arguments as of ``lstm_cell``, but gates r, z, n and weights W_x and W_h."""
    (h,), (W_x, W_h) = before, weights
    n = h.shape[1]
    of_x = products.matrix(x if mask is None else x * mask, W_x)
    of_x = of_x if known is None else of_x + known
    of_h = products.matrix(h, W_h)
    r, z = torch.sigmoid(of_x[:, : 2 * n] + of_h[:, : 2 * n]).chunk(2, dim=1)
    new = torch.tanh(torch.addcmul(of_x[:, 2 * n :], r, of_h[:, 2 * n :]))
    return (torch.lerp(new, h, z),)


class _LSTMStep(torch.autograd.Function):
    """One step with its derivative written out; without a tape there is none."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        mask: Tensor | None,
        known: Tensor | None,
        h: Tensor,
        c: Tensor,
        W: Tensor,
        tape: Tape | None,
    ) -> tuple[Tensor, Tensor]:
        N, m = x.shape
        if tape is None:
            inputs = x.new_empty(N, W.shape[1])
        else:
            ctx.use = tape.claim((N, len(W)), (N, W.shape[1]), x)
            inputs = tape.right[ctx.use]
        inputs[:, :m], inputs[:, m:] = x if mask is None else x * mask, h
        gates = inputs @ W.T if known is None else torch.addmm(known, inputs, W.T)
        new_h, new_c, tanh_c = torch.empty_like(h), torch.empty_like(h), torch.empty_like(h)
        lstm_forward(gates, c, new_h, new_c, tanh_c)
        ctx.save_for_backward(mask, c, W, gates, tanh_c, new_h)
        ctx.tape, ctx.known = tape, known is not None
        return new_h, new_c

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        mask, c, W, gates, tanh_c, new_h = ctx.saved_tensors
        tape, n = ctx.tape, c.shape[1]
        g = tape.left[ctx.use]
        grad_c = lstm_backward(gates, c, tanh_c, new_h, grads[0], grads[1].clone(), g)
        tape.missing.remove(ctx.use)
        grad_x, grad_h = (g @ W).split([W.shape[1] - n, n], dim=1)
        grad_x = grad_x if mask is None else grad_x * mask
        return grad_x, None, g.clone() if ctx.known else None, grad_h, grad_c, None, None


def lstm_forward(gates: Tensor, c: Tensor, new_h: Tensor, new_c: Tensor, tanh_c: Tensor) -> None:
    """Turn the sums of the gates [N, 4n] into the gates; write h_t, c_t and tanh c_t, each [N, n]."""
    i, f, g, o = gates.chunk(4, dim=1)
    torch.tanh(g, out=tanh_c)  # a place for the moment
    gates.sigmoid_()
    g.copy_(tanh_c)
    torch.mul(f, c, out=new_c).addcmul_(i, g)
    torch.tanh(new_c, out=tanh_c)
    torch.mul(o, tanh_c, out=new_h)


def lstm_backward(
    gates: Tensor,
    c: Tensor,
    tanh_c: Tensor,
    h: Tensor,
    grad_h: Tensor,
    grad_c: Tensor,
    back: Tensor,
) -> Tensor:
    """Write the gradients of the gates' sums to ``back`` [N, 4n]; turn grad c_t into grad c_{t-1}."""
    i, f, g, o = gates.chunk(4, dim=1)
    of_i, of_f, of_g, of_o = back.chunk(4, dim=1)
    # d tanh(x) = 1 - tanh(x)^2; d s(x) = s - s^2; h_t = o tanh c_t
    grad_c.addcmul_(grad_h, torch.addcmul(o, h, tanh_c, value=-1))
    torch.addcmul(gates, gates, gates, value=-1, out=back)
    torch.addcmul(gates.new_ones(()), g, g, value=-1, out=of_g)
    of_i.mul_(g)
    of_f.mul_(c)
    of_g.mul_(i)
    of_o.mul_(tanh_c).mul_(grad_h)
    n = c.shape[1]
    back[:, : 3 * n].unflatten(1, (3, n)).mul_(grad_c[:, None])
    return grad_c.mul_(f)
