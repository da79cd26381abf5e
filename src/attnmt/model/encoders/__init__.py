"""Encoders read the source. Each is a module; ``encoder`` of a system in the configuration names one."""

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from attnmt.config import ModelShape, System
from attnmt.model.stack import State


def embedding(words: int, size: int) -> nn.Embedding:
    """Return embeddings without values; the draw of ``nn.Embedding`` would be overwritten.

    Without memory (on ``meta``) that draw would also import torch's compiler, which takes a second.
    """
    made: nn.Embedding = nn.Embedding.from_pretrained(torch.empty(words, size), freeze=False)
    return made


class Encoder(nn.Module, ABC):
    """The base of all encoders: the embedding of the words and the order in which they are read."""

    def __init__(self, system: System, shape: ModelShape, vocabulary: int) -> None:
        super().__init__()
        self.reverse = system.reverse
        self.embedding = embedding(vocabulary, shape.embedding_size)

    def embed(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Return the embeddings [M, N, e], zero at padding, and each column's position [N, M].

        Words have their positions 0 .. S - 1 in the sentence, padding has positions outside this range.
        The arguments are those of ``forward``.
        """
        columns = torch.arange(source.shape[1], device=source.device)
        read = columns - (source.shape[1] - lengths)[:, None]  # 0 .. S - 1 in reading order
        positions = lengths[:, None] - 1 - read if self.reverse else read
        return self.embedding(source.T) * (read >= 0).T[:, :, None], positions

    @abstractmethod
    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, State]:
        """Return the states h_s [N, M, n], zero at padding, their positions [N, M], and the last state.

        The decoder starts from the last state: h [N, n] and, for an LSTM, c [N, n] of every layer.

        Args:
            source: ids as read (the last word first if reversed), padded on the left, [N, M].
            lengths: S, the number of words of each sentence, [N].
        """
