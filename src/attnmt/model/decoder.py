"""The two decoders: Luong's, where attention follows the recurrence, and Bahdanau's, where it precedes.

Both read a word and give the vector from which the next is predicted. How they do so word by word in a
search is in ``stepper.py``.
"""

import torch
from torch import Tensor, nn

from attnmt.config import ModelShape, System
from attnmt.model.attention import Attention, Memory
from attnmt.model.recurrent import Stack, State
from attnmt.model.unrolled import BahdanauSteps, LuongSteps, Parts, shared


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
        if len(self.parts) == 1:
            h, _ = self.stack(embedded, state)
            return self._attend(h.transpose(0, 1), memory)
        W_e, W_f = self.stack.weights()[0][0].split(self.parts, dim=1)
        of_layers = self.stack.unrolled(W_f, state)
        embedded = self.stack.dropout(embedded)
        T, N, _ = embedded.shape
        parts = Parts(self.stack, self.attention, memory, T, N, self.parts[1])
        of_attention = []
        if self.attention is not None and memory is not None:
            of_attention = [self.W_c, *shared(self.attention, memory)]
        h_tilde, *weights = LuongSteps.apply(parts, embedded, W_e, *of_attention, *of_layers)
        return h_tilde.transpose(0, 1), weights[0] if weights else None

    def _attend(self, h: Tensor, memory: Memory | None) -> tuple[Tensor, Tensor | None]:
        """From the top states of all steps [N, T, n] to h~ [N, T, n] and the weights."""
        if self.attention is None or memory is None:
            return h, None
        steps = torch.arange(h.shape[1], device=h.device)
        context, weights = self.attention(h, memory, steps)
        return torch.tanh(torch.cat([context, h], dim=-1) @ self.W_c.T), weights


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
        W_c, W_e = self.stack.weights()[0][0].split(self.parts, dim=1)
        of_layers = self.stack.unrolled(W_c, state)
        embedded = self.stack.dropout(self.embedding(words.T))  # [T, N, e]
        T, N, _ = embedded.shape
        parts = Parts(self.stack, self.attention, memory, T, N, self.parts[0])
        s, weights = BahdanauSteps.apply(
            parts, embedded, W_e, *shared(self.attention, memory), *of_layers
        )
        return s.transpose(0, 1), weights
