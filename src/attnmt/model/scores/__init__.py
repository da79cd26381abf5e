"""Scores say how well a source state h_s fits the decoder's state h_t (section 3.1). Each is a module.

Shapes: N sentences of at most M source words, K queries for each, n cells. matmul(x, W) is W x
for each row x.
"""

from abc import ABC, abstractmethod

from torch import Tensor, nn

from attnmt.config import ModelShape, System
from attnmt.model.memory import Memory
from attnmt.model.windows import Window


class Score(nn.Module, ABC):
    """A score, with its parameters."""

    def __init__(self, system: System, shape: ModelShape) -> None:
        super().__init__()
        self.context_size = shape.size  # of c_t, the last dimension of the values
        self.faults = system.faults  # faults of the authors' program that this model has on purpose

    def prepare(self, h_s: Tensor) -> tuple[Tensor, Tensor]:
        """Return keys, which queries are compared with, and values [N, M, context size].

        This happens once for all decoder steps. h_s, [N, M, n], is zero at padding, and the values must
        be zero there, too. Keys may have any shape that begins with N.
        """
        return h_s, h_s

    @abstractmethod
    def scores(self, h: Tensor, keys: Tensor) -> Tensor:
        """Return the scores [N, K, M] of queries h [N, K, n]; those of padding mean nothing."""

    def weights(self, h: Tensor, memory: Memory, window: Window, steps: Tensor) -> Tensor:
        """Return a_t, [N, K, M]; see ``Attention.forward``."""
        return window.weights(self.scores(h, memory.keys), h, memory, steps)
