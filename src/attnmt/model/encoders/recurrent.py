"""The paper's encoder."""

from torch import Tensor

from attnmt.config import ModelShape, System
from attnmt.model.encoders import Encoder
from attnmt.model.stack import Stack, State


class Recurrent(Encoder):
    """A stacked LSTM or GRU over the source words, from the zero state.

    Without biases a zero input keeps a zero state, so every sentence starts from zero after the padding
    on its left.
    """

    def __init__(self, system: System, shape: ModelShape, vocabulary: int) -> None:
        super().__init__(system, shape, vocabulary)
        e = shape.embedding_size
        self.stack = Stack(shape.cell, e, shape.size, shape.layers, system.dropout)

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, State]:
        """Return the top states, their positions, and the last state; see ``Encoder.forward``."""
        x, positions = self.embed(source, lengths)
        h, state = self.stack(x)
        return h.transpose(0, 1).contiguous(), positions, state
