"""``LuongDecoder`` and ``BahdanauDecoder`` of the reference, for training, where all words are known.

Without input feeding, no step waits for attention: each layer computes all steps at once
(``stack.py``), and attention takes the queries of all steps in one product. Otherwise, the steps are
unrolled (``unrolled.py``). A search takes one word at a time (``stepper.py``).
"""

import torch
from torch import Tensor, nn

from attnmt.config import ModelShape, System
from attnmt.model.attention.layer import Attention
from attnmt.model.attention.memory import Memory
from attnmt.model.fast.stack import Stack, State, embedding
from attnmt.model.fast.unrolled import (
    BahdanauSteps,
    LuongSteps,
    PlainSteps,
    SteppedAttention,
    SteppedLayers,
    attentional,
)


class LuongDecoder(nn.Module):
    """Computes the attentional vector h~_t from the words so far (equation 5).

    Without attention, h~_t is the top state h_t itself. With input feeding, the first layer reads
    [embedding; h~_{t-1}], and h~ is zero before the first step (section 3.3).
    """

    def __init__(self, system: System, shape: ModelShape, vocabulary: int) -> None:
        super().__init__()
        n, e = shape.size, shape.embedding_size
        self.parts = [e, n] if system.input_feeding else [e]  # sizes of the first layer's inputs
        self.embedding = embedding(vocabulary, e)
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
            state: the encoder's state after its last word.
            memory: the encoded source; None without attention.
        """
        T = words.shape[1]
        embedded = self.embedding(words.T)  # [T, N, e]
        if len(self.parts) > 1:
            W_y, W_x = self.stack.weights()[0][0].split(self.parts, dim=1)
            layers = SteppedLayers(self.stack, self.stack.dropout(embedded), W_y, W_x, state)
            if self.attention is None or memory is None:
                return PlainSteps(layers).unroll()
            attention = SteppedAttention(self.attention, memory, T)
            return LuongSteps(layers, attention, self.W_c).unroll()
        h = self.stack(embedded, state)[0].transpose(0, 1)
        if self.attention is None or memory is None:
            return h, None
        context, weights = self.attention(h, memory, torch.arange(T, device=h.device))
        return attentional(self.W_c, context, h), weights


class BahdanauDecoder(nn.Module):
    """Computes the state s_t = cell([c_t; embedding], s_{t-1}) from the words so far.

    The query of the context c_t is the top state s_{t-1}, so attention comes before the recurrence
    (Bahdanau et al. 2015).
    """

    def __init__(self, system: System, shape: ModelShape, vocabulary: int) -> None:
        super().__init__()
        self.embedding = embedding(vocabulary, shape.embedding_size)
        self.attention = Attention(system, shape)
        self.parts = [self.attention.context_size, shape.embedding_size]  # sizes of inputs
        self.stack = Stack(shape.cell, sum(self.parts), shape.size, shape.layers, system.dropout)

    def forward(
        self, words: Tensor, state: State, memory: Memory | None
    ) -> tuple[Tensor, Tensor | None]:
        """Return s [N, T, n] and the weights [N, T, M]; the arguments are ``LuongDecoder``'s."""
        assert memory is not None, "this decoder always attends"
        W_x, W_y = self.stack.weights()[0][0].split(self.parts, dim=1)
        y = self.stack.dropout(self.embedding(words.T))  # [T, N, e]
        layers = SteppedLayers(self.stack, y, W_y, W_x, state)
        return BahdanauSteps(layers, SteppedAttention(self.attention, memory, len(y))).unroll()
