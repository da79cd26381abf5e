"""An encoder that reads the source from both ends."""

import torch
from torch import Tensor, nn

from attnmt.config import ModelShape, System
from attnmt.model.dropout import Dropout
from attnmt.model.encoders import Encoder
from attnmt.model.stack import Stack, State


class Bidirectional(Encoder):
    """Half of each layer's cells read from one end, half from the other (Schuster and Paliwal 1997).

    A state h_s joins what both halves know at word s, so it has read the words on both sides of it. The
    last state joins the halves' last states. It is ``torch.nn.LSTM(bidirectional=True)`` without biases,
    with one mask of dropout for the input of both halves.
    """

    def __init__(self, system: System, shape: ModelShape, vocabulary: int) -> None:
        super().__init__(system, shape, vocabulary)
        n, e = shape.size, shape.embedding_size
        self.dropout = Dropout(system.dropout)
        inputs = [e] + [n] * (shape.layers - 1)

        def halves(cells: int) -> nn.ModuleList:
            return nn.ModuleList(Stack(shape.cell, m, cells, layers=1, dropout=0.0) for m in inputs)

        self.first, self.second = halves(n - n // 2), halves(n // 2)  # one of each in every layer

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, State]:
        """Return the top states, their positions, and the last state; see ``Encoder.forward``."""
        x, positions = self.embed(source, lengths)
        M, padding = len(x), len(x) - lengths
        columns = torch.arange(M, device=source.device)[:, None]
        # The words of each sentence the other way round, while padding stays on the left, [M, N].
        turned = torch.where(columns < padding, columns, padding + M - 1 - columns)
        state = []
        for first, second in zip(self.first, self.second, strict=True):
            x = self.dropout(x)
            h, (last,) = first(x)
            h_turned, (last_turned,) = second(_rows(x, turned))
            x = torch.cat([h, _rows(h_turned, turned)], dim=2)
            state.append(tuple(map(torch.hstack, zip(last, last_turned, strict=True))))
        return x.transpose(0, 1).contiguous(), positions, tuple(state)


def _rows(x: Tensor, columns: Tensor) -> Tensor:
    """Return x [M, N, m] with the columns [M, N] of each sentence in the given order."""
    return x.gather(0, columns[:, :, None].expand_as(x))
