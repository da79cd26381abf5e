"""T steps of one LSTM or GRU layer, without biases, forward and backward. With sigmoid written s():

- LSTM (Zaremba et al. 2014): i, f, o = s(.), g = tanh(.) of W_x x_t + W_h h_{t-1};
  c_t = f c_{t-1} + i g; h_t = o tanh(c_t).
- GRU (Cho et al. 2014, in the form of ``torch.nn.GRU``): r, z = s(W_x x_t + W_h h_{t-1});
  n = tanh(W_x x_t + r (W_h h_{t-1})); h_t = (1 - z) n + z h_{t-1}.

A layer is stepped by its caller, who brings a part of each step's input; what is known of all steps
beforehand enters as a sum. Three things make it fast:

- A step back does only what depends on the step after it. What its gradients are multiplied by
  (``slopes``) is computed for all steps at once, in place of the gates.
- The gradients of the gates' sums stay where they are written, so that a weight's gradient
  sum_t g_t^T x_t is one product of the steps laid end to end, [g_1; ..; g_T]^T [x_1; ..; x_T].
- Nothing is allocated in a step.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

LayerState = tuple[Tensor, ...]  # h [N, n], and for the LSTM c [N, n]


class LSTMSteps:
    """Gates in ``torch.nn.LSTM``'s order i, f, g, o."""

    def __init__(self, sums: Tensor, W: Tensor, first: Sequence[Tensor], brought: int) -> None:
        """Take the layer before its first step.

        Args:
            sums: what is known of the gates' sums, [T, N, 4n]; overwritten. Where the steps bring all,
                its values mean nothing.
            W: [W_x W_h] with W_x the part for what the steps bring, [4n, m + n].
            first: h_0 and c_0, [N, n].
            brought: m; 0 if all of W_x x_t is in ``sums``.
        """
        T, N, _ = sums.shape
        n = first[0].shape[1]
        self.W, self.m, self.n = W, brought, n
        self.gates = sums
        self.hs = sums.new_empty(T + 1, N, n)
        self.cs = torch.empty_like(self.hs)
        self.tanh_c = sums.new_empty(T, N, n)
        self.hs[0], self.cs[0] = first[0], first[1]
        # Both factors' columns side by side, so that a step is one product.
        self.inputs = self.hs[:T] if not brought else sums.new_empty(T, N, brought + n)
        if brought:
            self.inputs[0, :, brought:] = first[0]
        self._views()

    def _views(self) -> None:
        """Take the views of every step once."""
        T, N, _ = self.gates.shape
        m, n = self.m, self.n
        blocks = self.gates.view(T, N, 4, n)
        self._sums, self._in = self.gates.unbind(0), self.inputs.unbind(0)
        self._i_f = self.gates[:, :, : 2 * n].unbind(0)
        self._ifg = blocks[:, :, :3].unbind(0)
        self._i, self._f, self._g, self._o = (blocks[:, :, k].unbind(0) for k in range(4))
        self._h, self._c, self._tanh_c = (
            part.unbind(0) for part in (self.hs, self.cs, self.tanh_c)
        )
        self.x = self.inputs[:, :, :m].unbind(0)
        self._h_in = self.inputs[:, :, m:].unbind(0)

    def forward(self, t: int, known: bool) -> Tensor:
        """Take step t, whose input is in ``x[t]``; return h_t, [N, n]."""
        if known:
            self._sums[t].addmm_(self._in[t], self.W.T)
        else:
            torch.mm(self._in[t], self.W.T, out=self._sums[t])
        self._i_f[t].sigmoid_()
        self._g[t].tanh_()
        self._o[t].sigmoid_()
        c, h = self._c[t + 1], self._h[t + 1]
        torch.mul(self._f[t], self._c[t], out=c).addcmul_(self._i[t], self._g[t])
        torch.mul(self._o[t], torch.tanh(c, out=self._tanh_c[t]), out=h)
        if self.m and t + 1 < len(self._in):
            self._h_in[t + 1].copy_(h)
        return h

    def last(self) -> LayerState:
        """Return the state after the last step."""
        return self.hs[-1].clone(), self.cs[-1].clone()

    def turn(self, grads: Sequence[Tensor]) -> None:
        """Get ready to go back, from the gradients of the last state."""
        i, f, g, o = self.gates.chunk(4, dim=2)
        h = self.hs[1:]
        # d tanh(x) = 1 - tanh(x)^2; d s(x) = s - s^2
        self._of_c = torch.addcmul(o, h, self.tanh_c, value=-1).unbind(0)  # o (1 - tanh(c)^2)
        self._forget = f.clone().unbind(0)
        torch.addcmul(h, h, o, value=-1, out=o)  # tanh(c) o (1 - o)
        ig = i * g
        torch.addcmul(i, ig, g, value=-1, out=g)  # i (1 - g^2)
        torch.addcmul(ig, ig, i, value=-1, out=i)  # g i (1 - i)
        fc = torch.mul(f, self.cs[:-1], out=ig)
        torch.addcmul(fc, fc, f, value=-1, out=f)  # c f (1 - f)
        self._grad_h, self._grad_c = grads[0], grads[1].clone()
        self._total = torch.empty_like(self._grad_c)
        self._grad_in = self.W.new_empty(len(self._total), self.W.shape[1])

    def backward(self, t: int, grad_h: Tensor) -> Tensor:
        """Go back over step t; return the gradient of ``x[t]`` [N, m], valid until the next call.

        Args:
            t: T - 1, T - 2, ..
            grad_h: of h_t from all but the step after, [N, n].
        """
        grad_c, total = self._grad_c, torch.add(grad_h, self._grad_h, out=self._total)
        grad_c.addcmul_(total, self._of_c[t])
        self._ifg[t].mul_(grad_c[:, None])
        self._o[t].mul_(total)
        grad_c.mul_(self._forget[t])
        torch.mm(self._sums[t], self.W, out=self._grad_in)
        self._grad_h = self._grad_in[:, self.m :]
        return self._grad_in[:, : self.m]

    @property
    def grad_first(self) -> LayerState:
        """The gradients of h_0 and c_0 at the end."""
        return self._grad_h, self._grad_c

    @property
    def grad_sums(self) -> Tensor:
        """The gradient of the gates' sums, [T, N, 4n]."""
        return self.gates

    def grad_weights(self) -> Tensor:
        """Return the gradient of [W_x W_h], [4n, m + n]."""
        return self.gates.flatten(0, 1).T @ self.inputs.flatten(0, 1)


class GRUSteps:
    """Gates in the order r, z, n; as ``LSTMSteps``, whose docstrings say what is not said here."""

    def __init__(self, sums: Tensor, W: Tensor, first: Sequence[Tensor], brought: int) -> None:
        T, N, _ = sums.shape
        n = first[0].shape[1]
        self.m, self.n = brought, n
        self.W_x, self.W_h = W.split([brought, n], dim=1)
        self.gates = sums
        self.of_h = torch.empty_like(sums)  # W_h h_{t-1}
        self.hs = sums.new_empty(T + 1, N, n)
        self.hs[0] = first[0]
        self.brought = sums.new_empty(T, N, brought)
        self.x = self.brought.unbind(0)

    def forward(self, t: int, known: bool) -> Tensor:
        n, gates, of_h, h = self.n, self.gates[t], self.of_h[t], self.hs[t]
        if self.m:
            torch.addmm(gates, self.x[t], self.W_x.T, beta=1 if known else 0, out=gates)
        torch.mm(h, self.W_h.T, out=of_h)
        r_z, new = gates.split([2 * n, n], dim=1)
        r_z.add_(of_h[:, : 2 * n]).sigmoid_()
        new.addcmul_(r_z[:, :n], of_h[:, 2 * n :]).tanh_()
        after: Tensor = torch.lerp(new, h, r_z[:, n:], out=self.hs[t + 1])
        return after

    def last(self) -> LayerState:
        return (self.hs[-1].clone(),)

    def turn(self, grads: Sequence[Tensor]) -> None:
        n = self.n
        r, z, new = self.gates.chunk(3, dim=2)
        self._keep = z.clone()
        of_new = (1 - z) * (1 - new * new)
        of_r = of_new * self.of_h[:, :, 2 * n :] * (r - r * r)
        of_z = (self.hs[:-1] - new) * (z - z * z)
        # Of the sums W_h h_{t-1}, where r stands before the last; those of W_x x_t have none.
        torch.cat([of_r, of_z, of_new * r], dim=2, out=self.of_h)
        torch.cat([of_r, of_z, of_new], dim=2, out=self.gates)
        self._grad_h = grads[0]

    def backward(self, t: int, grad_h: Tensor) -> Tensor:
        n, total = self.n, grad_h + self._grad_h
        self.of_h[t].view(-1, 3, n).mul_(total[:, None])
        self.gates[t].view(-1, 3, n).mul_(total[:, None])
        self._grad_h = torch.addmm(total.mul_(self._keep[t]), self.of_h[t], self.W_h)
        grad_x: Tensor = self.gates[t] @ self.W_x
        return grad_x

    @property
    def grad_first(self) -> LayerState:
        return (self._grad_h,)

    @property
    def grad_sums(self) -> Tensor:
        return self.gates

    def grad_weights(self) -> Tensor:
        of_x = self.gates.flatten(0, 1).T @ self.brought.flatten(0, 1)
        of_h = self.of_h.flatten(0, 1).T @ self.hs[:-1].flatten(0, 1)
        return torch.cat([of_x, of_h], dim=1)


Steps = LSTMSteps | GRUSteps
