"""``Encoder`` of the reference: all steps of a layer at once (``stack.py``)."""

import torch
from torch import Tensor, nn

from attnmt.config import ModelShape, System
from attnmt.model.fast.stack import Stack, State


class Encoder(nn.Module):
    """A stacked LSTM or GRU over the source words, from the zero state.

    Without biases a zero input keeps a zero state, so every sentence still starts from zero after the
    padding on its left.
    """

    def __init__(self, system: System, shape: ModelShape, vocabulary: int) -> None:
        super().__init__()
        self.reverse = system.reverse
        e = shape.embedding_size
        self.embedding = nn.Embedding(vocabulary, e)
        self.stack = Stack(shape.cell, e, shape.size, shape.layers, system.dropout)

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, State]:
        """Return the top states [N, M, n], each column's original position [N, M], and the last state.

        Words have the positions 0 to S - 1; padding has positions outside this range.

        Args:
            source: ids as read (the last word first if reversed), padded on the left, [N, M].
            lengths: S, the number of words of each sentence, [N].
        """
        columns = torch.arange(source.shape[1], device=source.device)
        read = columns - (source.shape[1] - lengths)[:, None]  # 0 .. S-1 in reading order
        x = self.embedding(source) * (read >= 0).unsqueeze(-1)
        h, state = self.stack(x.transpose(0, 1))
        positions = lengths[:, None] - 1 - read if self.reverse else read
        return h.transpose(0, 1).contiguous(), positions, state
