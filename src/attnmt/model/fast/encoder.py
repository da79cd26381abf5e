"""Encoders read the source. Each is a class; ``encoder`` of a system in the configuration names one.

A new one is one more class. It may be plain torch: autograd computes its gradients.
"""

from typing import Any

import torch
from torch import Tensor, nn

from attnmt.config import ModelShape, System
from attnmt.model.fast.stack import Stack, State, embedding
from attnmt.model.registry import Part, Registry


class Encoder(Part, nn.Module, kind="encoder"):
    """The base of all encoders: the embedding of the words and the order in which they are read."""

    def __init__(self, system: System, shape: ModelShape, vocabulary: int) -> None:
        super().__init__()
        self.reverse = system.reverse
        self.numbers: Any = self.Numbers.of(self.name, system.numbers)
        self.embedding = embedding(vocabulary, shape.embedding_size)

    def embed(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Return the embeddings [N, M, e], zero at padding, and each column's position [N, M].

        Words have their positions 0 .. S - 1 in the sentence, padding has positions outside this range.
        The arguments are those of ``forward``.
        """
        columns = torch.arange(source.shape[1], device=source.device)
        read = columns - (source.shape[1] - lengths)[:, None]  # 0 .. S - 1 in reading order
        positions = lengths[:, None] - 1 - read if self.reverse else read
        return self.embedding(source) * (read >= 0).unsqueeze(-1), positions

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, State]:
        """Return the states h_s [N, M, n], zero at padding, their positions [N, M], and the last state.

        The decoder starts from the last state: h [N, n] and, for an LSTM, c [N, n] of every layer.

        Args:
            source: ids as read (the last word first if reversed), padded on the left, [N, M].
            lengths: S, the number of words of each sentence, [N].
        """
        raise NotImplementedError


ENCODERS: Registry[Encoder] = Encoder.known


class Recurrent(Encoder):
    """The paper's: a stacked LSTM or GRU over the source words, from the zero state.

    It is ``Encoder`` of the reference, with all steps of a layer at once (``stack.py``). Without biases
    a zero input keeps a zero state, so every sentence starts from zero after the padding on its left.
    """

    name = "recurrent"

    def __init__(self, system: System, shape: ModelShape, vocabulary: int) -> None:
        super().__init__(system, shape, vocabulary)
        e = shape.embedding_size
        self.stack = Stack(shape.cell, e, shape.size, shape.layers, system.dropout)

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, State]:
        """Return the top states, their positions, and the last state; see ``Encoder.forward``."""
        x, positions = self.embed(source, lengths)
        h, state = self.stack(x.transpose(0, 1))
        return h.transpose(0, 1).contiguous(), positions, state
