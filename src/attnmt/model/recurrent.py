"""The stacked LSTM and GRU of encoder and decoder: over whole sentences, or stepped.

No layer has biases. Equations, with sigmoid written s():

- LSTM (Zaremba et al. 2014): i, f, o = s(.), g = tanh(.) of W_x x_t + W_h h_{t-1};
  c_t = f c_{t-1} + i g; h_t = o tanh(c_t).
- GRU (Cho et al. 2014, in the form of ``torch.nn.GRU``): r, z = s(W_x x_t + W_h h_{t-1});
  n = tanh(W_x x_t + r (W_h h_{t-1})); h_t = (1 - z) n + z h_{t-1}.
"""

from typing import Any

import torch
from torch import Tensor, nn

from attnmt.config import Cell
from attnmt.model.deferred import Products, Tape
from attnmt.model.dropout import Dropout

LayerState = tuple[Tensor, ...]  # h [N, n], and for the LSTM c [N, n]
State = tuple[LayerState, ...]  # of every layer, the first first
Weights = tuple[Tensor, Tensor]  # W_x [gates n, inputs], W_h [gates n, n]


class Stack(nn.Module):
    """Recurrent layers, dropout on the input of every layer and nowhere else, fresh at every step."""

    def __init__(self, cell: Cell, inputs: int, size: int, layers: int, dropout: float) -> None:
        super().__init__()
        kind = {"lstm": nn.LSTM, "gru": nn.GRU}[cell]
        self.cell = cell
        self.parts = {"lstm": 2, "gru": 1}[cell]
        self.size = size
        self.dropout = Dropout(dropout)
        # torch's modules hold the weights and are the GPU's path. One module a layer: the dropout
        # between layers then draws from torch's own generator, which a checkpoint holds.
        self.layers = nn.ModuleList(
            kind(size if layer else inputs, size, bias=False) for layer in range(layers)
        )

    def weights(self) -> list[Weights]:
        """Return W_x and W_h of every layer."""
        return [
            (layer.get_parameter("weight_ih_l0"), layer.get_parameter("weight_hh_l0"))
            for layer in self.layers
        ]

    def zeros(self, like: Tensor) -> State:
        """Return the zero state for inputs [.., N, inputs]."""
        zero = like.new_zeros(like.shape[-2], self.size)
        return ((zero,) * self.parts,) * len(self.layers)

    def forward(self, x: Tensor, state: State | None = None) -> tuple[Tensor, State]:
        """Return the top states [T, N, n] and the last state, from inputs [T, N, inputs].

        ``state`` is the one before the first step; zeros if None.
        """
        last = []
        for layer, weights, before in zip(
            self.layers, self.weights(), state or self.zeros(x), strict=True
        ):
            scan = self._scan_gpu if x.is_cuda else self._scan_cpu
            x, after = scan(layer, self.dropout(x), weights, before)
            last.append(after)
        return x, tuple(last)

    def stepped(self, W_x: Tensor, steps: int, rows: int, products: Products) -> "Stepped":
        """Return the layers ready for ``steps`` steps of ``rows`` rows.

        Args:
            W_x: of the first layer, for that part of its input that each step brings, [gates n, m].
            steps: how many.
            rows: sentences, or hypotheses of sentences.
            products: how to multiply.
        """
        weights = [(W_x, self.weights()[0][1]), *self.weights()[1:]]
        masks = [self.dropout.mask((steps, rows, W.shape[1]), W_x) for W, _ in weights]
        return Stepped(self.cell, weights, masks, products)

    def _scan_cpu(
        self, layer: nn.Module, x: Tensor, weights: Weights, before: LayerState
    ) -> tuple[Tensor, LayerState]:
        if self.parts == 2:
            h, *after = _LSTMScan.apply(x, *weights, *before)
            return h, tuple(after)
        h = _GRUScan.apply(x, *weights, *before)
        return h, (h[-1],)

    def _scan_gpu(
        self, layer: nn.Module, x: Tensor, weights: Weights, before: LayerState
    ) -> tuple[Tensor, LayerState]:
        first = tuple(part.unsqueeze(0).contiguous() for part in before)
        h, last = layer(x, first if self.parts == 2 else first[0])
        return h, tuple(part[0] for part in (last if self.parts == 2 else (last,)))


class Stepped:
    """The layers stepped: what all steps share is prepared once."""

    def __init__(
        self,
        cell: Cell,
        weights: list[Weights],
        masks: list[Tensor | None],
        products: Products,
    ) -> None:
        self.cell = {"lstm": lstm_cell, "gru": gru_cell}[cell]
        # The LSTM adds its two products, so that they can be one.
        self.weights = (
            [(torch.cat(pair, dim=1),) for pair in weights] if cell == "lstm" else weights
        )
        self.masks = masks
        self.products = products

    def step(self, t: int, x: Tensor, gates: Tensor, state: State) -> tuple[Tensor, State]:
        """Return the top state [N, n] and the new state after step t.

        Args:
            t: 0, 1, ..
            x: what the step brings to the first layer, [N, m].
            gates: the part of its W_x x_t that is known already, [N, gates n].
            state: before the step.
        """
        new: list[LayerState] = []
        known: Tensor | None = gates
        for weights, mask, before in zip(self.weights, self.masks, state, strict=True):
            dropped = None if mask is None else mask[t]
            new.append(self.cell(x, dropped, known, before, weights, self.products))
            x, known = new[-1][0], None
        return x, tuple(new)


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
        _lstm_forward(gates, c, new_h, new_c, tanh_c)
        ctx.save_for_backward(mask, c, W, gates, tanh_c, new_h)
        ctx.tape, ctx.known = tape, known is not None
        return new_h, new_c

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        mask, c, W, gates, tanh_c, new_h = ctx.saved_tensors
        tape, n = ctx.tape, c.shape[1]
        g = tape.left[ctx.use]
        grad_c = _lstm_backward(gates, c, tanh_c, new_h, grads[0], grads[1].clone(), g)
        tape.missing.remove(ctx.use)
        grad_x, grad_h = (g @ W).split([W.shape[1] - n, n], dim=1)
        grad_x = grad_x if mask is None else grad_x * mask
        return grad_x, None, g.clone() if ctx.known else None, grad_h, grad_c, None, None


def _lstm_forward(gates: Tensor, c: Tensor, new_h: Tensor, new_c: Tensor, tanh_c: Tensor) -> None:
    """Turn the sums of the gates [N, 4n] into the gates; write h_t, c_t and tanh c_t, each [N, n]."""
    i, f, g, o = gates.chunk(4, dim=1)
    torch.tanh(g, out=tanh_c)  # a place for the moment
    gates.sigmoid_()
    g.copy_(tanh_c)
    torch.mul(f, c, out=new_c).addcmul_(i, g)
    torch.tanh(new_c, out=tanh_c)
    torch.mul(o, tanh_c, out=new_h)


def _lstm_backward(
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


class _LSTMScan(torch.autograd.Function):
    """One layer over all steps: W_x x_t, the gradient of x and those of the weights are one product
    each for all steps.
    """

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
            _lstm_forward(gates[t], cs[t], hs[t + 1], cs[t + 1], tanh_c[t])
        ctx.save_for_backward(x, W_x, W_h, gates, hs, cs, tanh_c)
        return hs[1:], hs[T].clone(), cs[T].clone()

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, ...]:
        x, W_x, W_h, gates, hs, cs, tanh_c = ctx.saved_tensors
        grad_hs, grad_h, grad_c = grads[0], grads[0][-1] + grads[1], grads[2].clone()
        back = torch.empty_like(gates)
        for t in range(len(x) - 1, -1, -1):
            _lstm_backward(gates[t], cs[t], tanh_c[t], hs[t + 1], grad_h, grad_c, back[t])
            grad_h = torch.addmm(grad_hs[t - 1], back[t], W_h) if t else back[t] @ W_h
        back = back.flatten(0, 1)
        return (
            (back @ W_x).view_as(x),
            back.T @ x.flatten(0, 1),
            back.T @ hs[:-1].flatten(0, 1),
            grad_h,
            grad_c,
        )


class _GRUScan(torch.autograd.Function):
    """As ``_LSTMScan``."""

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
