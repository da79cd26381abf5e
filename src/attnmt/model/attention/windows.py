"""Windows say which source words a step attends to, and turn scores into weights. Each is a class.

A new one is one more class. As in ``scores.py``, ``w`` holds the parameters. Positions s are those of
the **original** sentence, 0 .. S - 1, even where the encoder reads it backwards.
"""

from abc import ABC, abstractmethod
from typing import Any

from torch import Tensor

from attnmt.config import ModelShape, System
from attnmt.model.attention.memory import Memory
from attnmt.model.products import matmul
from attnmt.model.registry import Part, Registry


class Window(Part, ABC, kind="attention"):
    """A window. Those of ``attnmt.config.parts`` have the ``name`` that they have there.

    With the fault ``unmasked_padding``, padding takes part too, with the score that h_s = 0 has.
    """

    def __init__(self, system: System, shape: ModelShape) -> None:
        self.n, self.D = shape.size, system.window_D or shape.window_D
        self.faults = system.faults  # faults of the authors' program that this model has on purpose

    def parameters(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the parameters by name, in the order in which they are drawn."""
        return {}

    def centers(self, w: Any, h: Tensor, memory: Memory, steps: Tensor) -> Tensor | None:
        """Return p_t, [N, K], around which the window stands; None if it holds all words."""
        return None

    @abstractmethod
    def weights(self, w: Any, scores: Tensor, h: Tensor, memory: Memory, steps: Tensor) -> Tensor:
        """Return a_t [N, K, M] from scores [N, K, M] and queries h [N, K, n] of the steps t [K]."""

    def attended(self, memory: Memory) -> Tensor:
        """Return the columns that the window is chosen from, [N, 1, M]: those of words."""
        words = memory.words
        return words.new_ones(words.shape) if "unmasked_padding" in self.faults else words

    def around(self, p: Tensor, memory: Memory) -> Tensor:
        """Return the columns whose positions are in p - D .. p + D, [N, K, M], from p [N, K, 1]."""
        return self.attended(memory) & ((memory.positions[:, None, :] - p).abs() <= self.D)


WINDOWS: Registry[Window] = Window.known


def softmax(scores: Tensor, attended: Tensor) -> Tensor:
    """Return the softmax over the columns that are attended to (equation 7)."""
    return scores.masked_fill(~attended, float("-inf")).softmax(dim=-1)


class Global(Window):
    """All words."""

    name = "global"

    def weights(self, w: Any, scores: Tensor, h: Tensor, memory: Memory, steps: Tensor) -> Tensor:
        return softmax(scores, self.attended(memory))


class LocalM(Window):
    """Monotonic: the words around p_t = min(t, S - 1)."""

    name = "local_m"

    def centers(self, w: Any, h: Tensor, memory: Memory, steps: Tensor) -> Tensor:
        return steps[None, :].minimum(memory.lengths[:, None] - 1)

    def weights(self, w: Any, scores: Tensor, h: Tensor, memory: Memory, steps: Tensor) -> Tensor:
        p = self.centers(w, h, memory, steps)[:, :, None]
        return softmax(scores, self.around(p, memory))


class LocalP(Window):
    """Predictive: the words around floor(p_t), p_t = S sigmoid(v_p . tanh(W_p h_t)) (equation 9).

    Each weight is then multiplied by exp(-(s - p_t)^2 / (2 sigma^2)) and not renormalized (equation 10);
    sigma is D/2. The gradient reaches p_t only through this factor; the fault ``position_gradient``
    halves it.
    """

    name = "local_p"

    def parameters(self) -> dict[str, tuple[int, ...]]:
        return {"W_p": (self.n, self.n), "v_p": (self.n,)}

    def centers(self, w: Any, h: Tensor, memory: Memory, steps: Tensor) -> Tensor:
        p: Tensor = (matmul(h, w.W_p).tanh() @ w.v_p).sigmoid() * memory.lengths[:, None]
        return p

    def weights(self, w: Any, scores: Tensor, h: Tensor, memory: Memory, steps: Tensor) -> Tensor:
        p = self.centers(w, h, memory, steps)
        if "position_gradient" in self.faults:
            p = (p + p.detach()) / 2
        p = p[:, :, None]
        a = softmax(scores, self.around(p.detach().floor(), memory))
        sigma = self.D / 2
        gaussian: Tensor = ((memory.positions[:, None, :] - p) ** 2 * (-1 / (2 * sigma**2))).exp()
        return a * gaussian
