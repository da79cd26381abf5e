"""``LSTM.forward`` and ``GRU.forward`` of the reference, for T steps of one layer, with derivatives.

The caller loops over the steps, since what a step reads may come from the step before. Four things make
this faster than autograd:

- One product for all steps gives ``sums``, the part of the gates' sums that is known beforehand.
- A step back does only what depends on the step after it. The derivatives that it multiplies by are
  computed for all steps at once by ``start_backward``, in the memory of the gates.
- The gradients of the gates' sums stay where a step back writes them. A weight's gradient
  sum_t g_t^T x_t is then one product of the steps laid end to end, [g_1; ..; g_T]^T [x_1; ..; x_T].
- No step allocates memory.

Derivatives are written as products with the gradient of the loss: ``grad_x`` is d loss / d x. With
y = tanh(x), dy/dx = 1 - y^2; with y = sigmoid(x), dy/dx = y (1 - y).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from attnmt.model.products import add_product, matmul
from attnmt.model.registry import Part, Registry

LayerState = tuple[Tensor, ...]  # h [N, n], and for the LSTM c [N, n]


class Gates(NamedTuple):
    """The LSTM's gates of one step, each a view [N, n] of the same memory, and i and f together."""

    i_f: Tensor
    i: Tensor
    f: Tensor
    g: Tensor
    o: Tensor


def lstm(gates: Gates, c_before: Tensor, c: Tensor, tanh_c: Tensor, h: Tensor) -> None:
    """Take a step: turn the gates' sums into the gates in place, and write c_t, tanh(c_t) and h_t.

    i, f, o = sigmoid(.), g = tanh(.); c_t = f c_{t-1} + i g; h_t = o tanh(c_t). ``c`` may be the same
    memory as ``c_before``.
    """
    gates.i_f.sigmoid_()
    gates.g.tanh_()
    gates.o.sigmoid_()
    torch.mul(gates.f, c_before, out=c).addcmul_(gates.i, gates.g)
    torch.mul(gates.o, torch.tanh(c, out=tanh_c), out=h)


def gru(sums_x: Tensor, sums_h: Tensor, h_before: Tensor, h: Tensor) -> Tensor:
    """Take a step; write h_t to ``h`` and return it.

    ``sums_x`` is W_x x_t, which the gates r, z and new overwrite. ``sums_h`` is W_h h_{t-1}. For each
    gate, x and u are its parts of these two: r, z = sigmoid(x + u), new = tanh(x + r u),
    h_t = (1 - z) new + z h_{t-1}. ``h`` may be the same memory as ``h_before``.
    """
    n = h.shape[1]
    r_z, new = sums_x.split([2 * n, n], dim=1)
    r_z.add_(sums_h[:, : 2 * n]).sigmoid_()
    new.addcmul_(r_z[:, :n], sums_h[:, 2 * n :]).tanh_()
    return torch.lerp(new, h_before, r_z[:, n:], out=h)


class Steps(Part, ABC, kind="cell"):
    """The steps of a layer, forward and then back, in memory that is taken once.

    Attributes:
        x: what each step brings, a view [N, m] for each step, which the caller fills.
        gates: the gates' sums, [T, N, gates n]. A step turns them into the gates, ``start_backward``
            into derivatives, and a step back into the gradients of the sums.
        hs: the states h with h_0 before them, [T + 1, N, n].
        grads: the gradients of the state before the latest step back; at the end, of the first state.
    """

    x: Sequence[Tensor]
    grads: LayerState

    def __init__(self, sums: Tensor, W: Tensor, first: LayerState, m: int) -> None:
        """Prepare the first step.

        Args:
            sums: the part of the gates' sums that is known beforehand, [T, N, gates n]; overwritten. Its
                values do not matter if nothing is known beforehand.
            W: [W_x W_h], [gates n, m + n]; this W_x multiplies only what a step itself brings.
            first: h_0 and, for the LSTM, c_0, [N, n].
            m: how many numbers a step itself brings; 0 if ``sums`` has all of W_x x_t.
        """
        T, N, _ = sums.shape
        self.gates, self.W, self.m, self.n = sums, W, m, first[0].shape[1]
        self.states = [sums.new_empty(T + 1, N, self.n) for _ in first]
        for states, state in zip(self.states, first, strict=True):
            states[0] = state
        self.hs = self.states[0]

    @classmethod
    def on_gpu(cls) -> "type[Steps]":
        """Return what takes these steps on a GPU."""
        return cls

    def last(self) -> LayerState:
        """Return the state after the last step."""
        return tuple(states[-1].clone() for states in self.states)

    @abstractmethod
    def forward(self, t: int, known: bool) -> Tensor:
        """Take step t, whose input is in ``x[t]``; return h_t, [N, n].

        ``known`` says whether ``gates`` holds a part of the gates' sums.
        """

    @abstractmethod
    def start_backward(self, grads: LayerState) -> None:
        """Compute the derivatives; ``grads`` are the gradients of the last state."""

    @abstractmethod
    def backward(self, t: int, grad_h: Tensor) -> Tensor:
        """Go back over step t; return the gradient of ``x[t]`` [N, m], valid until the next call.

        Args:
            t: T - 1, T - 2, ..
            grad_h: the gradient of h_t, [N, n], without what step t + 1 adds to it.
        """

    @abstractmethod
    def grad_weights(self) -> Tensor:
        """Return the gradient of [W_x W_h], [gates n, m + n], after the last step back."""


STEPS: Registry[Steps] = Steps.known


class LSTMSteps(Steps):
    """The steps of an LSTM layer, with gates in ``torch.nn.LSTM``'s order i, f, g, o."""

    name = "lstm"

    @classmethod
    def on_gpu(cls) -> type[Steps]:
        return FusedLSTMSteps

    def __init__(self, sums: Tensor, W: Tensor, first: LayerState, m: int) -> None:
        super().__init__(sums, W, first, m)
        T, N, _ = sums.shape
        n, (hs, cs) = self.n, self.states
        # x_t and h_{t-1} side by side, so that a step is one product.
        self.inputs = sums.new_empty(T, N, m + n) if m else hs[:T]
        if m:
            self.inputs[0, :, m:] = first[0]
        self.tanh_c = sums.new_empty(T, N, n)
        # The views of every step are made once.
        blocks = sums.view(T, N, 4, n)
        i_f_g_o = (blocks[:, :, k].unbind(0) for k in range(4))
        i_f = sums[:, :, : 2 * n].unbind(0)
        self._gates = [Gates(*views) for views in zip(i_f, *i_f_g_o, strict=True)]
        self._ifg = blocks[:, :, :3].unbind(0)
        self._sums, self._in = sums.unbind(0), self.inputs.unbind(0)
        self._h, self._c, self._tanh_c = hs.unbind(0), cs.unbind(0), self.tanh_c.unbind(0)
        self.x, self._h_in = (part.unbind(0) for part in self.inputs.split([m, n], dim=2))

    def forward(self, t: int, known: bool) -> Tensor:
        if known:
            add_product(self._sums[t], self._in[t], self.W)
        else:
            matmul(self._in[t], self.W, out=self._sums[t])
        h = self._h[t + 1]
        lstm(self._gates[t], self._c[t], self._c[t + 1], self._tanh_c[t], h)
        if self.m and t + 1 < len(self._in):
            self._h_in[t + 1].copy_(h)
        return h

    def start_backward(self, grads: LayerState) -> None:
        """Replace the gates by derivatives.

        With s the sums of the gates: dh_t/dc_t = o (1 - tanh(c_t)^2), dh_t/ds_o = tanh(c_t) o (1 - o),
        dc_t/ds_i = g i (1 - i), dc_t/ds_f = c_{t-1} f (1 - f), dc_t/ds_g = i (1 - g^2).
        """
        i, f, g, o = self.gates.chunk(4, dim=2)
        hs, cs = self.states
        h = hs[1:]
        self._dh_dc = torch.addcmul(o, h, self.tanh_c, value=-1).unbind(0)  # h = o tanh(c)
        self._dc_dc_before = f.clone().unbind(0)
        torch.addcmul(h, h, o, value=-1, out=o)  # dh/ds_o
        ig = i * g
        torch.addcmul(i, ig, g, value=-1, out=g)  # dc/ds_g
        torch.addcmul(ig, ig, i, value=-1, out=i)  # dc/ds_i
        fc = torch.mul(f, cs[:-1], out=ig)
        torch.addcmul(fc, fc, f, value=-1, out=f)  # dc/ds_f
        self.grads = grads[0], grads[1].clone()
        self._total = torch.empty_like(grads[0])

    def backward(self, t: int, grad_h: Tensor) -> Tensor:
        grad_h_after, grad_c = self.grads
        total = torch.add(grad_h, grad_h_after, out=self._total)
        grad_c.addcmul_(total, self._dh_dc[t])
        self._ifg[t].mul_(grad_c[:, None])  # the gradients of s_i, s_f and s_g
        self._gates[t].o.mul_(total)  # that of s_o
        grad_c.mul_(self._dc_dc_before[t])
        self._grad_in = matmul(self._sums[t], self.W.T)  # that of [x_t; h_{t-1}]
        self.grads = self._grad_in[:, self.m :], grad_c
        return self._grad_in[:, : self.m]

    def grad_weights(self) -> Tensor:
        return matmul(self.gates.flatten(0, 1).T, self.inputs.flatten(0, 1).T)


class FusedLSTMSteps(LSTMSteps, abstract=True):
    """The same steps by torch's own kernels, which take all gates at once. They are for GPUs only.

    A step is the product, one kernel and two copies in place of nine kernels; a step back is a sum, one
    kernel, a copy and the product. Until a step back, ``gates`` holds only what was known of the sums.
    """

    def __init__(self, sums: Tensor, W: Tensor, first: LayerState, m: int) -> None:
        super().__init__(sums, W, first, m)
        self._nothing = torch.zeros_like(sums[0])
        self._taken: list[Tensor] = []  # the gates of each step, after sigmoid and tanh
        self._cells = [first[1]]  # c_0, c_1, ..

    def forward(self, t: int, known: bool) -> Tensor:
        sums = self._sums[t] if known else self._nothing
        bias = self._nothing[0]  # torch's kernel takes None, but its count of operations fails then
        h, c, gates = torch.ops.aten._thnn_fused_lstm_cell(
            sums, matmul(self._in[t], self.W), self._cells[t], bias, bias
        )
        self._taken.append(gates)
        self._cells.append(c)
        if self.m and t + 1 < len(self._in):
            self._h_in[t + 1].copy_(h)
        return self._h[t + 1].copy_(h)

    def last(self) -> LayerState:
        return self.hs[-1].clone(), self._cells[-1]

    def start_backward(self, grads: LayerState) -> None:
        self.grads = grads

    def backward(self, t: int, grad_h: Tensor) -> Tensor:
        grad_h_after, grad_c = self.grads
        grad_sums, grad_c, _ = torch.ops.aten._thnn_fused_lstm_cell_backward_impl(
            grad_h + grad_h_after, grad_c, self._cells[t], self._cells[t + 1], self._taken[t], False
        )
        self._sums[t].copy_(grad_sums)
        grad_in = matmul(grad_sums, self.W.T)  # that of [x_t; h_{t-1}]
        self.grads = grad_in[:, self.m :], grad_c
        return grad_in[:, : self.m]


class GRUSteps(Steps):
    """The steps of a GRU layer, with gates in the order r, z, new."""

    name = "gru"

    def __init__(self, sums: Tensor, W: Tensor, first: LayerState, m: int) -> None:
        super().__init__(sums, W, first, m)
        T, N, _ = sums.shape
        self.W_x, self.W_h = (part.contiguous() for part in W.split([m, self.n], dim=1))
        self.sums_h = torch.empty_like(sums)  # W_h h_{t-1}
        self.inputs = sums.new_empty(T, N, m)
        self.x = self.inputs.unbind(0)

    def forward(self, t: int, known: bool) -> Tensor:
        gates, sums_h, h = self.gates[t], self.sums_h[t], self.hs[t]
        if self.m and known:
            add_product(gates, self.x[t], self.W_x)
        elif self.m:
            matmul(self.x[t], self.W_x, out=gates)
        matmul(h, self.W_h, out=sums_h)
        return gru(gates, sums_h, h, self.hs[t + 1])

    def start_backward(self, grads: LayerState) -> None:
        """Put the derivatives of h_t in place of the gates and of W_h h_{t-1}.

        With s_new = x + r u, where x is from W_x x_t and u from W_h h_{t-1}: dh/ds_new = (1 - z)
        (1 - new^2); dh/du = r dh/ds_new; dh/ds_r = u r (1 - r) dh/ds_new; dh/ds_z = (h_{t-1} - new)
        z (1 - z). h_{t-1} itself enters h_t with the factor z.
        """
        r, z, new = self.gates.chunk(3, dim=2)
        self._z = z.clone()
        dh_dnew = (1 - z) * (1 - new * new)
        dh_dr = dh_dnew * self.sums_h[:, :, 2 * self.n :] * (r - r * r)
        dh_dz = (self.hs[:-1] - new) * (z - z * z)
        torch.cat([dh_dr, dh_dz, dh_dnew * r], dim=2, out=self.sums_h)
        torch.cat([dh_dr, dh_dz, dh_dnew], dim=2, out=self.gates)
        self.grads = grads

    def backward(self, t: int, grad_h: Tensor) -> Tensor:
        total = grad_h + self.grads[0]
        self.sums_h[t].view(-1, 3, self.n).mul_(total[:, None])
        self.gates[t].view(-1, 3, self.n).mul_(total[:, None])
        self.grads = (add_product(total.mul_(self._z[t]), self.sums_h[t], self.W_h.T),)
        return matmul(self.gates[t], self.W_x.T)

    def grad_weights(self) -> Tensor:
        grad_W_x = matmul(self.gates.flatten(0, 1).T, self.inputs.flatten(0, 1).T)
        grad_W_h = matmul(self.sums_h.flatten(0, 1).T, self.hs[:-1].flatten(0, 1).T)
        return torch.cat([grad_W_x, grad_W_h], dim=1)
