"""The attention layer: a score and a window, their parameters, and the context that they give."""

from typing import NamedTuple, Self

import torch
from torch import Tensor, nn

from attnmt.config import ModelShape, System
from attnmt.model.attention.scores import SCORES, Score
from attnmt.model.attention.windows import WINDOWS, Window


class Memory(NamedTuple):
    """What the decoder attends to, for N sentences of at most M source words.

    Batches are padded on the left, and the encoder may read a sentence backwards.
    """

    values: Tensor  # h_s, or the part that is averaged, [N, M, context size]; zero at padding
    keys: Tensor  # what h_t is compared with, as the score prepares it, [N, ..]
    positions: Tensor  # each column's position in the sentence, [N, M]; 0 .. S - 1 at words only
    lengths: Tensor  # S, the number of source words, [N]
    words: Tensor  # which columns hold words, [N, 1, M]

    def select(self, rows: Tensor) -> Self:
        """Keep the sentences ``rows``."""
        return type(self)(*(part[rows] for part in self))


class Attention(nn.Module):
    """Weights a_t over the source words and the context c_t = sum_s a_t(s) h_s (section 3).

    The query h_t is the decoder's state; in the course report's GRU it is the state before the step.
    """

    def __init__(self, system: System, shape: ModelShape) -> None:
        super().__init__()
        self.score, self.window = parts(system, shape)
        self.context_size = self.score.context_size
        for name, size in (self.score.parameters() | self.window.parameters()).items():
            self.register_parameter(name, nn.Parameter(torch.empty(size)))

    def remember(self, h_s: Tensor, positions: Tensor, lengths: Tensor) -> Memory:
        """Prepare source states [N, M, n] once for all decoder steps."""
        keys, values = self.score.prepare(self, h_s)
        words = ((positions >= 0) & (positions < lengths[:, None])).unsqueeze(1)
        return Memory(values, keys, positions, lengths, words)

    def forward(self, h: Tensor, memory: Memory, steps: Tensor) -> tuple[Tensor, Tensor]:
        """Return the contexts c_t and the weights of K queries per sentence.

        Args:
            h: h_t, [N, K, n]; the K queries are decoder steps in training, hypotheses in search.
            steps: the decoder step t = 0, 1, .. of each query, [K] (or [1] for all).

        Returns:
            Contexts [N, K, context size] and weights [N, K, M].
        """
        weights = self.score.weights(self, h, memory, self.window, steps)
        return torch.bmm(weights, memory.values), weights


def parts(system: System, shape: ModelShape) -> tuple[Score, Window]:
    """Return the score and the window of a system that has attention."""
    assert system.score is not None, "a system without attention has no such parts"
    score, window = SCORES[system.score], WINDOWS[system.attention]
    return score(shape, system.faults), window(shape, system.faults)
