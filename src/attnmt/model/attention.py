"""The attention layer: a score, a window, and the context that they give."""

import torch
from torch import Tensor, nn

from attnmt.config import ModelShape, System
from attnmt.model.memory import Memory
from attnmt.model.parts import part


class Attention(nn.Module):
    """Weights a_t over the source words and the context c_t = sum_s a_t(s) h_s (section 3).

    The query h_t is the decoder's state; in the course report's GRU it is the state before the step.
    """

    def __init__(self, system: System, shape: ModelShape) -> None:
        super().__init__()
        assert system.score is not None, "a system without attention has no such layer"
        self.score = part("score", system.score)(system, shape)
        self.window = part("window", system.attention)(system, shape)

    def remember(self, h_s: Tensor, positions: Tensor, lengths: Tensor) -> Memory:
        """Prepare source states [N, M, n] once for all decoder steps."""
        keys, values = self.score.prepare(h_s)
        words = ((positions >= 0) & (positions < lengths[:, None]))[:, None]
        return Memory(values, keys, positions, lengths, words)

    def forward(self, h: Tensor, memory: Memory, steps: Tensor) -> tuple[Tensor, Tensor]:
        """Return the contexts c_t and the weights of K queries per sentence.

        Args:
            h: h_t, [N, K, n]; the K queries are decoder steps in training, hypotheses in search.
            steps: the decoder step t = 0, 1, .. of each query, [K] (or [1] for all).

        Returns:
            Contexts [N, K, context size] and weights [N, K, M].
        """
        a = self.score.weights(h, memory, self.window, steps)
        return torch.bmm(a, memory.values), a
