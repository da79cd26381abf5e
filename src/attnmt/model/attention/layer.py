"""The attention layer: a score and a window, their parameters, and the context that they give."""

import torch
from torch import Tensor, nn

from attnmt.config import ModelShape, System
from attnmt.model.attention.memory import Memory
from attnmt.model.attention.scores import SCORES
from attnmt.model.attention.windows import WINDOWS


class Attention(nn.Module):
    """Weights a_t over the source words and the context c_t = sum_s a_t(s) h_s (section 3).

    The query h_t is the decoder's state; in the course report's GRU it is the state before the step.
    """

    def __init__(self, system: System, shape: ModelShape) -> None:
        super().__init__()
        assert system.score is not None, "a system without attention has no such layer"
        self.score = SCORES[system.score](system, shape)
        self.window = WINDOWS[system.attention](system, shape)
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
