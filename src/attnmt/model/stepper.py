"""The decoder a word at a time, for the hypotheses of a search; without gradients or dropout."""

import torch
from torch import Tensor

from attnmt.model.attention import Memory
from attnmt.model.decoder import BahdanauDecoder
from attnmt.model.recurrent import State
from attnmt.model.translator import Translator


class Stepper:
    """K hypotheses of each of N sentences: their states, and the step that advances them by a word.

    A hypothesis is a row of one table, [x; h_1 .. h_L; c_1 .. c_L], x being what the first layer reads
    beside its state: [embedding; h~_{t-1}], or [c_t; embedding] in Bahdanau's order. What a layer reads
    then lies side by side, [x; h_1], [h_1; h_2], ..: a product takes it from where it is, the new h_l
    goes where the old one was, and the hypotheses that a search keeps are one gather of rows.
    """

    def __init__(self, model: Translator, memory: Memory | None, state: State) -> None:
        """Take a model in eval mode and what its encoder says of N sentences, each one hypothesis."""
        stack = model.decoder.stack
        self.decoder, self.cell, self.memory = model.decoder, stack.cell, memory
        self.t, self.K = 0, 1
        self.m, self.n = sum(model.decoder.parts), stack.size  # columns of x, of an h
        # The LSTM adds its two products, so that they can be one.
        self._weights: list[tuple[Tensor, ...]] = [
            (torch.cat(pair, dim=1),) if stack.cell == "lstm" else pair for pair in stack.weights()
        ]
        parts = [layer[part] for part in range(stack.parts) for layer in state]
        self._table = torch.cat([parts[0].new_zeros(len(parts[0]), self.m), *parts], dim=1)

    def step(self, words: Tensor) -> tuple[Tensor, Tensor | None]:
        """Advance the hypotheses by their last words [N, K].

        Returns:
            h~ [N, K, n] (s in Bahdanau's order), good until the next step, and the weights [N, K, M] or
            None without attention.
        """
        decoder, memory, embedded = self.decoder, self.memory, self.decoder.embedding(words)
        x = self._table[:, : self.m].view(*words.shape, -1).split(decoder.parts, dim=2)
        steps = torch.full((1,), self.t, device=words.device)
        self.t += 1
        if isinstance(decoder, BahdanauDecoder):
            assert memory is not None, "this decoder always attends"
            context, weights = decoder.attention(self._top(), memory, steps)
            x[0].copy_(context)
            x[1].copy_(embedded)
            return self._recur(), weights
        x[0].copy_(embedded)
        h_tilde, weights = self._recur(), None
        if decoder.attention is not None and memory is not None:
            context, weights = decoder.attention(h_tilde, memory, steps)
            h_tilde = torch.tanh(torch.cat([context, h_tilde], dim=-1) @ decoder.W_c.T)
        for fed in x[1:]:  # none without input feeding
            fed.copy_(h_tilde)
        return h_tilde, weights

    def select(self, sentences: Tensor, parents: Tensor) -> None:
        """Keep ``sentences`` [n], ascending; of each the hypotheses ``parents`` [n, K], in order."""
        rows = sentences[:, None] * self.K + parents
        self.K = parents.shape[1]
        self._table = self._table.index_select(0, rows.flatten())
        if self.memory is not None and len(sentences) < len(self.memory.lengths):
            self.memory = self.memory.select(sentences)

    def _recur(self) -> Tensor:
        """Replace the states of all layers by the next (equations in ``cells.py``); return the top h."""
        inputs = self.m
        for layer, weights in enumerate(self._weights):
            h_at = self.m + layer * self.n
            x_h = self._table[:, h_at - inputs : h_at + self.n]
            if self.cell == "lstm":
                c_at = h_at + len(self._weights) * self.n
                _lstm(x_h, self._table[:, c_at : c_at + self.n], *weights)
            else:
                _gru(x_h, *weights)
            inputs = self.n
        return self._top()

    def _top(self) -> Tensor:
        """Return the top layer's h, [N, K, n]."""
        end = self.m + len(self._weights) * self.n
        return self._table[:, end - self.n : end].view(-1, self.K, self.n)


def _lstm(x_h: Tensor, c: Tensor, W: Tensor) -> None:
    """Replace c and the h of [x; h] by the next."""
    n = c.shape[1]
    gates = x_h @ W.T
    gates[:, : 2 * n].sigmoid_()
    gates[:, 2 * n : 3 * n].tanh_()
    gates[:, 3 * n :].sigmoid_()
    i, f, g, o = gates.chunk(4, dim=1)
    c.mul_(f).addcmul_(i, g)
    torch.mul(o, c.tanh(), out=x_h[:, -n:])


def _gru(x_h: Tensor, W_x: Tensor, W_h: Tensor) -> None:
    """Replace the h of [x; h] by the next."""
    n = W_h.shape[1]
    x, h = x_h.split([x_h.shape[1] - n, n], dim=1)
    of_x, of_h = x @ W_x.T, h @ W_h.T
    r, z = of_x[:, : 2 * n].add_(of_h[:, : 2 * n]).sigmoid_().chunk(2, dim=1)
    new = of_x[:, 2 * n :].addcmul_(r, of_h[:, 2 * n :]).tanh_()
    torch.lerp(new, h, z, out=h)
