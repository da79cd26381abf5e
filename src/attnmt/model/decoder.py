"""The two decoders: Luong's, where attention follows the recurrence, and Bahdanau's, where it precedes.

Both read a word and give the vector from which the next is predicted; they share one interface.
"""

import torch
from torch import Tensor, nn

from attnmt.config import ModelShape, System
from attnmt.model.attention import Attention, Memory
from attnmt.model.deferred import DeferredProducts, Products
from attnmt.model.recurrent import Stack, State

PLAIN = Products()


class LuongDecoder(nn.Module):
    """From the words so far to the attentional vector h~_t = tanh(W_c [c_t; h_t]) (equation 5).

    Without attention h~_t is the top state h_t itself. With input feeding the first layer reads
    [embedding; h~_{t-1}], h~ being zero before the first step (section 3.3).
    """

    def __init__(self, system: System, shape: ModelShape, vocabulary: int) -> None:
        super().__init__()
        n, e = shape.size, shape.embedding_size
        self.parts = [e, n] if system.input_feeding else [e]  # of the first layer's input
        self.embedding = nn.Embedding(vocabulary, e)
        self.stack = Stack(shape.cell, sum(self.parts), n, shape.layers, system.dropout)
        self.attention = Attention(system, shape) if system.attention != "none" else None
        if self.attention is not None:
            self.W_c = nn.Parameter(torch.empty(n, n + self.attention.context_size))

    def forward(
        self, words: Tensor, state: State, memory: Memory | None
    ) -> tuple[Tensor, Tensor | None]:
        """Return h~ [N, T, n] and the weights [N, T, M] of all steps, given the words before each.

        Args:
            words: decoder inputs, ``<s>`` first, [N, T].
            state: of the encoder after its last word.
            memory: of the source; None without attention.
        """
        embedded = self.embedding(words.T)  # [T, N, e]
        steps = torch.arange(len(embedded), device=words.device)
        if len(self.parts) == 1:
            h, _ = self.stack(embedded, state)
            return self._attend(h.transpose(0, 1), memory, steps)
        products = DeferredProducts(len(steps)) if torch.is_grad_enabled() else PLAIN
        W_e, W_f = self.stack.weights()[0][0].split(self.parts, dim=1)
        of_words = self.stack.dropout(embedded) @ W_e.T  # the words' part of W_x x_t, of all steps
        stack = self.stack.stepped(W_f, len(steps), len(words), products)
        fed = embedded.new_zeros(len(words), self.parts[1])
        outputs, attended = [], []
        for t, gates in enumerate(of_words):
            h, state = stack.step(t, fed, gates, state)
            h_tilde, a = self._attend(h.unsqueeze(1), memory, steps[t : t + 1], products)
            fed = h_tilde.squeeze(1)
            outputs.append(fed)
            attended.append(a)
        every = None if memory is None else torch.cat([a for a in attended if a is not None], dim=1)
        return torch.stack(outputs, dim=1), every

    def step(
        self, words: Tensor, fed: Tensor | None, state: State, memory: Memory | None, t: int
    ) -> tuple[Tensor, State, Tensor | None]:
        """Advance K hypotheses of each of N sentences by one word, in eval mode and without gradients.

        Args:
            words: the last word of each hypothesis, [N, K].
            fed: h~_{t-1}, [N, K, n]; None at the first step.
            state: of every layer, each part [N * K, n].
            memory: of the N sentences; None without attention.
            t: the step, 0 at the first.

        Returns:
            h~ [N, K, n], the new state, the weights [N, K, M] or None without attention.
        """
        e, n = self.parts[0], sum(self.parts[1:])  # n is 0 where nothing is fed
        W_e, W_f = self.stack.weights()[0][0].split([e, n], dim=1)
        gates = self.embedding(words.flatten()) @ W_e.T
        x = fed.flatten(0, 1) if n and fed is not None else gates.new_zeros(len(gates), n)
        stack = self.stack.stepped(W_f, 1, len(gates), PLAIN)
        h, state = stack.step(0, x, gates, state)
        steps = torch.full((1,), t, device=words.device)
        h_tilde, attended = self._attend(h.view(*words.shape, -1), memory, steps)
        return h_tilde, state, attended

    def _attend(
        self, h: Tensor, memory: Memory | None, steps: Tensor, products: Products = PLAIN
    ) -> tuple[Tensor, Tensor | None]:
        """From top states [N, K, n] to h~ [N, K, n] and the weights."""
        if self.attention is None or memory is None:
            return h, None
        context, weights = self.attention(h, memory, steps, products)
        return products.tanh_layer(context, h, self.W_c), weights


class BahdanauDecoder(nn.Module):
    """From the words so far to the state s_t = cell([c_t; embedding], s_{t-1}) (Bahdanau et al. 2015).

    The context c_t is that of the top state s_{t-1}, so attention comes before the recurrence.
    """

    def __init__(self, system: System, shape: ModelShape, vocabulary: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, shape.embedding_size)
        self.attention = Attention(system, shape)
        self.parts = [self.attention.context_size, shape.embedding_size]  # of the cell's input
        self.stack = Stack(shape.cell, sum(self.parts), shape.size, shape.layers, system.dropout)

    def forward(self, words: Tensor, state: State, memory: Memory | None) -> tuple[Tensor, Tensor]:
        """Return s [N, T, n] and the weights [N, T, M]; arguments as of ``LuongDecoder``."""
        assert memory is not None, "this decoder always attends"
        embedded = self.embedding(words.T)  # [T, N, e]
        steps = torch.arange(len(embedded), device=words.device)
        products = DeferredProducts(len(steps)) if torch.is_grad_enabled() else PLAIN
        W_c, W_e = self.stack.weights()[0][0].split(self.parts, dim=1)
        of_words = self.stack.dropout(embedded) @ W_e.T
        stack = self.stack.stepped(W_c, len(steps), len(words), products)
        outputs, attended = [], []
        for t, gates in enumerate(of_words):
            query = state[-1][0].unsqueeze(1)
            context, a = self.attention(query, memory, steps[t : t + 1], products)
            s, state = stack.step(t, context.squeeze(1), gates, state)
            outputs.append(s)
            attended.append(a)
        return torch.stack(outputs, dim=1), torch.cat(attended, dim=1)

    def step(
        self, words: Tensor, fed: Tensor | None, state: State, memory: Memory | None, t: int
    ) -> tuple[Tensor, State, Tensor]:
        """Advance K hypotheses of each of N sentences; as ``LuongDecoder.step``, nothing being fed."""
        assert memory is not None, "this decoder always attends"
        W_c, W_e = self.stack.weights()[0][0].split(self.parts, dim=1)
        steps = torch.full((1,), t, device=words.device)
        query = state[-1][0].view(*words.shape, -1)
        context, attended = self.attention(query, memory, steps, PLAIN)
        gates = self.embedding(words.flatten()) @ W_e.T
        stack = self.stack.stepped(W_c, 1, len(gates), PLAIN)
        s, state = stack.step(0, context.flatten(0, 1), gates, state)
        return s.view(*words.shape, -1), state, attended
