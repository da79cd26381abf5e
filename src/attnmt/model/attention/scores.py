"""Scores say how well a source state h_s fits the decoder's state h_t (section 3.1). Each is a class.

To add a score, write one more class. The configuration knows it by the name of the class.

Shapes: N sentences of at most M source words, K queries per sentence, n cells. ``w`` holds the
parameters.
"""

from abc import ABC, abstractmethod
from typing import Any

from torch import Tensor

from attnmt.config import ModelShape, System
from attnmt.model.attention.memory import Memory
from attnmt.model.attention.windows import Window
from attnmt.model.products import matmul
from attnmt.model.registry import Part, Registry


class Score(Part, ABC, kind="score"):
    """A score. Those of ``attnmt.config.parts`` have the ``name`` that they have there."""

    def __init__(self, system: System, shape: ModelShape) -> None:
        self.n, self.slots = shape.size, shape.location_slots
        self.faults = system.faults  # faults of the authors' program that this model has on purpose

    @property
    def context_size(self) -> int:
        """The size of the context c_t, the last dimension of the values."""
        return self.n

    @abstractmethod
    def parameters(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the parameters by name, in the order in which they are drawn."""

    def prepare(self, w: Any, h_s: Tensor) -> tuple[Tensor, Tensor]:
        """Return keys, which queries are compared with, and values, which are averaged.

        This happens once for all decoder steps. h_s, [N, M, n], is zero at padding, and the values must
        be zero there, too. Keys may have any shape that begins with N.
        """
        return h_s, h_s

    @abstractmethod
    def scores(self, w: Any, h: Tensor, keys: Tensor) -> Tensor:
        """Return the scores [N, K, M] of queries h [N, K, n]; those of padding mean nothing."""

    def weights(self, w: Any, h: Tensor, memory: Memory, window: Window, steps: Tensor) -> Tensor:
        """Return a_t, [N, K, M]; see ``Attention.forward``."""
        return window.weights(w, self.scores(w, h, memory.keys), h, memory, steps)


SCORES: Registry[Score] = Score.known


class Location(Score):
    """softmax(W_a h_t) over a fixed number of slots, the first for the word read last (equation 8).

    A sentence of S words uses the first S slots. Their weights are not renormalized.
    """

    name = "location"

    def parameters(self) -> dict[str, tuple[int, ...]]:
        return {"W_a": (self.slots, self.n)}

    def scores(self, w: Any, h: Tensor, keys: Tensor) -> Tensor:
        return matmul(h, w.W_a)

    def weights(self, w: Any, h: Tensor, memory: Memory, window: Window, steps: Tensor) -> Tensor:
        columns = memory.values.shape[1]
        a = self.scores(w, h, memory.keys).softmax(dim=-1)[..., :columns].flip(-1)
        # If a sentence has more words than there are slots, the words read first have no slot.
        by_column = a.new_zeros(*a.shape[:-1], columns)
        by_column[..., columns - a.shape[-1] :] = a
        return by_column * memory.words


class Dot(Score):
    """h_s . h_t."""

    name = "dot"

    def parameters(self) -> dict[str, tuple[int, ...]]:
        return {}

    def scores(self, w: Any, h: Tensor, keys: Tensor) -> Tensor:
        return h.bmm(keys.transpose(1, 2))


class General(Dot):
    """h_s . W_a h_t. W_a is applied once to the source, not to every query."""

    name = "general"

    def parameters(self) -> dict[str, tuple[int, ...]]:
        return {"W_a": (self.n, self.n)}

    def prepare(self, w: Any, h_s: Tensor) -> tuple[Tensor, Tensor]:
        if "general_gradient" in self.faults:
            # h_s gets the gradient h_t, where W_a h_t would be right; the value is the same.
            return matmul(h_s.detach(), w.W_a.T) + (h_s - h_s.detach()), h_s
        return matmul(h_s, w.W_a.T), h_s


class Additive(Score):
    """v_a . tanh(W_a h_t + h_s): the authors' program's concat, in which no matrix multiplies h_s."""

    name = "additive"

    def parameters(self) -> dict[str, tuple[int, ...]]:
        return {"W_a": (self.n, self.n), "v_a": (self.n,)}

    def scores(self, w: Any, h: Tensor, keys: Tensor) -> Tensor:
        query = matmul(h, w.W_a)[:, :, None, :]
        scores: Tensor = (keys[:, None, :, :] + query).tanh() @ w.v_a
        return scores


class Concat(Additive):
    """v_a . tanh(W_a h_t + U_a h_s).

    In the paper this is concat, with one matrix W_a for [h_t; h_s]. In the course report it is the
    additive score.
    """

    name = "concat"

    def parameters(self) -> dict[str, tuple[int, ...]]:
        return {"W_a": (self.n, self.n), "U_a": (self.n, self.n), "v_a": (self.n,)}

    def prepare(self, w: Any, h_s: Tensor) -> tuple[Tensor, Tensor]:
        return matmul(h_s, w.U_a), h_s


class KeyValue(Additive):
    """v_a . tanh(W_a h_t + U_a k_s); the halves of h_s are a key k_s and the value that is averaged.

    This score is from the course report. The report's window of L positions is that of local_m with
    L = 2D + 1.
    """

    name = "key_value"

    @property
    def context_size(self) -> int:
        """The size of the values; if n is odd, the key has one number more."""
        return self.n // 2

    def parameters(self) -> dict[str, tuple[int, ...]]:
        key = self.n - self.context_size
        return {"W_a": (self.n, self.n), "U_a": (self.n, key), "v_a": (self.n,)}

    def prepare(self, w: Any, h_s: Tensor) -> tuple[Tensor, Tensor]:
        keys, values = h_s.split([self.n - self.context_size, self.context_size], dim=2)
        return matmul(keys, w.U_a), values


class Self(Score):
    """v_a . tanh(W_a h_s), whatever h_t is. This score is from the course report."""

    name = "self"

    def parameters(self) -> dict[str, tuple[int, ...]]:
        return {"W_a": (self.n, self.n), "v_a": (self.n,)}

    def prepare(self, w: Any, h_s: Tensor) -> tuple[Tensor, Tensor]:
        return (matmul(h_s, w.W_a).tanh() @ w.v_a).unsqueeze(1), h_s

    def scores(self, w: Any, h: Tensor, keys: Tensor) -> Tensor:
        return keys.expand(-1, h.shape[1], -1)
