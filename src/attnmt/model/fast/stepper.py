"""A step of the reference's decoders for the hypotheses of a search, without gradients or dropout.

All hypotheses of all sentences are rows of one product. States lie where the next product reads them, so
that a step copies and allocates little.
"""

import torch
from torch import Tensor

from attnmt.model.attention.memory import Memory
from attnmt.model.fast.cells import Gates, gru, lstm
from attnmt.model.fast.decoders import BahdanauDecoder, LuongDecoder
from attnmt.model.fast.stack import State
from attnmt.model.fast.unrolled import attentional
from attnmt.model.products import matmul

ROWS = 1024  # of a product on a processor, whose cells' gates are then held at once


class Stepper:
    """K hypotheses of each of N sentences: their states, and the step that advances them by a word.

    Each hypothesis is one row of two tables, [x; h_1 .. h_L] and [c_1 .. c_L]. Here x is what the first
    layer reads in addition to its state: [embedding; h~_{t-1}], or [c_t; embedding] in Bahdanau's order.
    What a layer reads then lies side by side ([x; h_1], [h_1; h_2], ..). The new h_l replaces the old
    one. A gather of rows keeps some hypotheses and drops the others.
    """

    def __init__(
        self, decoder: LuongDecoder | BahdanauDecoder, memory: Memory | None, state: State
    ) -> None:
        """Start with one hypothesis for each of N encoded sentences; the decoder is in eval mode."""
        stack = decoder.stack
        self.decoder, self.cell, self.memory, self._first = decoder, stack.cell, memory, state
        self.t, self.K = 0, 1
        self.m, self.n = sum(decoder.parts), stack.size  # columns of x, of an h
        # The LSTM only adds its two products, so they can be one.
        self._weights: list[tuple[Tensor, ...]] = [
            (torch.cat(pair, dim=1),) if stack.cell == "lstm" else pair for pair in stack.weights()
        ]
        h = [layer[0] for layer in state]
        self._x_h = torch.cat([h[0].new_zeros(len(h[0]), self.m), *h], dim=1)
        self._c = torch.cat([h[0][:, :0], *(c for layer in state for c in layer[1:])], dim=1)

    @property
    def positions(self) -> Tensor | None:
        """The source position of each column of the weights, [N, M]; None without attention.

        In a sentence of S words, a column is a word if its position is in 0 .. S - 1, or else padding.
        """
        return None if self.memory is None else self.memory.positions

    def follow(self, words: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return what ``step`` does, [N, T, n] and [N, T, M], for all words [N, T] of one hypothesis."""
        h_tilde, weights = self.decoder(words, self._first, self.memory)
        return h_tilde, weights

    def step(self, words: Tensor) -> tuple[Tensor, Tensor | None]:
        """Advance the hypotheses by their last words [N, K].

        Returns:
            h~ [N, K, n] (s in Bahdanau's order), valid until the next step, and the weights [N, K, M],
            or None without attention.
        """
        decoder, memory, embedded = self.decoder, self.memory, self.decoder.embedding(words)
        x = self._x_h[:, : self.m].view(*words.shape, -1).split(decoder.parts, dim=2)
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
            h_tilde = attentional(decoder.W_c, context, h_tilde)
        for fed in x[1:]:  # none without input feeding
            fed.copy_(h_tilde)
        return h_tilde, weights

    def reorder(self, sentences: Tensor, parents: Tensor) -> None:
        """Keep ``sentences`` [n], ascending, and their hypotheses ``parents`` [n, K] in this order."""
        rows = sentences[:, None] * self.K + parents
        self.K = parents.shape[1]
        self._x_h = self._x_h.index_select(0, rows.flatten())
        self._c = self._c.index_select(0, rows.flatten())
        if self.memory is not None and len(sentences) < len(self.memory.lengths):
            self.memory = self.memory.select(sentences)

    def _recur(self) -> Tensor:
        """Replace the states of all layers by the next ones (``cells.py``); return the top h."""
        # The parts are of one size, so that none is a single row, which oneDNN would sum otherwise.
        parts = -(-len(self._x_h) // ROWS) if self._x_h.is_cpu else 1
        for x_h, c in zip(self._x_h.chunk(parts), self._c.chunk(parts), strict=True):
            self._recur_part(x_h, c)
        return self._top()

    def _recur_part(self, table: Tensor, c_table: Tensor) -> None:
        """Do this for some rows of both tables."""
        inputs, n = self.m, self.n
        for layer, weights in enumerate(self._weights):
            h_at = self.m + layer * n
            x_h = table[:, h_at - inputs : h_at + n]
            x, h = x_h.split([inputs, n], dim=1)
            if self.cell == "lstm":
                c = c_table[:, layer * n : (layer + 1) * n]
                sums = matmul(x_h, weights[0])
                gates = Gates(sums[:, : 2 * n], *sums.chunk(4, dim=1))
                lstm(gates, c, c, torch.empty_like(c), h)
            else:
                W_x, W_h = weights
                gru(matmul(x, W_x), matmul(h, W_h), h, h)
            inputs = n

    def _top(self) -> Tensor:
        """Return the top layer's h, [N, K, n]."""
        return self._x_h[:, -self.n :].view(-1, self.K, self.n)
