"""Windows say which source words a step attends to, and turn scores into weights. Each is a module.

Positions s are those of the **original** sentence, 0 .. S - 1, even where the encoder reads it
backwards.
"""

import torch
from torch import Tensor, nn

from attnmt.config import ModelShape, System
from attnmt.model.memory import Memory


class Window(nn.Module):
    """A window, with its parameters: this one holds all words.

    With the fault ``unmasked_padding``, padding takes part too, with the score that h_s = 0 has.
    """

    def __init__(self, system: System, shape: ModelShape) -> None:
        super().__init__()
        self.D = system.window_D or shape.window_D
        self.faults = system.faults  # faults of the authors' program that this model has on purpose

    def centers(self, h: Tensor, memory: Memory, steps: Tensor) -> Tensor | None:
        """Return p_t, [N, K] or [N, 1], around which the window stands; None if it holds all words."""
        return None

    def weights(self, scores: Tensor, h: Tensor, memory: Memory, steps: Tensor) -> Tensor:
        """Return a_t [N, K, M] from scores [N, K, M] and queries h [N, K, n] of the steps t [K]."""
        return softmax(scores, self.attended(memory))

    def attended(self, memory: Memory) -> Tensor:
        """Return the columns that the window is chosen from, [N, 1, M]: those of words."""
        words = memory.words
        return words.new_ones(words.shape) if "unmasked_padding" in self.faults else words

    def around(self, p: Tensor, memory: Memory) -> Tensor:
        """Return the columns whose positions are in p - D .. p + D, [N, K, M], from p [N, K, 1]."""
        return self.attended(memory) & ((memory.positions[:, None] - p).abs() <= self.D)


def softmax(scores: Tensor, attended: Tensor) -> Tensor:
    """Return the softmax over the columns that are attended to (equation 7)."""
    return scores.masked_fill(~attended, -torch.inf).softmax(dim=-1)
