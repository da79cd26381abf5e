"""Encoders read the source. Each is a class; ``encoder`` of a system in the configuration names one.

A new one is one more class. It may be plain torch: autograd computes its gradients.
"""

import torch
from torch import Tensor, nn

from attnmt.config import ModelShape, System
from attnmt.model.dropout import Dropout
from attnmt.model.fast.stack import Stack, State, embedding
from attnmt.model.registry import Part, Registry


class Encoder(Part, nn.Module, kind="encoder"):
    """The base of all encoders: the embedding of the words and the order in which they are read."""

    def __init__(self, system: System, shape: ModelShape, vocabulary: int) -> None:
        super().__init__()
        self.reverse = system.reverse
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


class Bidirectional(Encoder):
    """Half of each layer's cells read from one end, half from the other (Schuster and Paliwal 1997).

    A state h_s joins what both halves know at word s, so it has read the words on both sides of it. The
    last state joins the halves' last states. It is ``torch.nn.LSTM(bidirectional=True)`` without biases,
    with one mask of dropout for the input of both halves.
    """

    name = "bidirectional"

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
        x = x.transpose(0, 1)  # [M, N, e]
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
