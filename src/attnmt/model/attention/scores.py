"""Scores say how well a source state h_s fits the decoder's state h_t (section 3.1). Each is a class.

To add a score, write one more class with a new name. The configuration then accepts this name, attention
computes the score, and ``cost.py`` counts its operations.

The configuration reads this module in commands that start without torch, so nothing here imports torch.
Shapes: N sentences of at most M source words, K queries per sentence, n cells. ``w`` holds the
parameters.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from attnmt.model.attention.registry import register

if TYPE_CHECKING:
    from torch import Tensor

    from attnmt.config import LinkStep, ModelShape
    from attnmt.model.attention.layer import Memory
    from attnmt.model.attention.windows import Window

SCORES: dict[str, type[Score]] = {}


class Operations(NamedTuple):
    """What a score costs: multiply-adds of its matrix products, and numbers that it keeps."""

    source_word: float  # multiply-adds that prepare the state of one source word, once per sentence
    target_word: float  # multiply-adds that compare one query with all source words
    kept: float = 0  # numbers kept for one query to back-propagate: hidden layer and gradient


class Score(ABC):
    """A score. The configuration knows each subclass that has a ``name`` by that name."""

    name: ClassVar[str]
    faults: ClassVar[tuple[str, ...]] = ()  # the authors' faults that ``prepare`` can repeat
    windowed: ClassVar[bool] = True  # False: the score itself gives the weights, for all words
    # The step whose weights link a word in the authors' program.
    authors_step: ClassVar[LinkStep] = "next"

    def __init_subclass__(cls) -> None:
        """Register the score under its name; see :func:`register`."""
        register(cls, SCORES, "score")

    def __init__(self, shape: ModelShape, faults: Collection[str] = ()) -> None:
        self.n, self.slots = shape.size, shape.location_slots
        self.repeated = faults  # faults of the authors' program that this model is to have

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

    @abstractmethod
    def operations(self, S: float) -> Operations:
        """Return what the score costs in sentences of S source words."""


class Location(Score):
    """softmax(W_a h_t) over a fixed number of slots, the first for the word read last (equation 8).

    A sentence of S words uses the first S slots. Their weights are not renormalized.
    """

    name = "location"
    windowed = False
    authors_step = "same"

    def parameters(self) -> dict[str, tuple[int, ...]]:
        return {"W_a": (self.slots, self.n)}

    def scores(self, w: Any, h: Tensor, keys: Tensor) -> Tensor:
        slot_scores: Tensor = h @ w.W_a.T
        return slot_scores

    def weights(self, w: Any, h: Tensor, memory: Memory, window: Window, steps: Tensor) -> Tensor:
        columns = memory.values.shape[1]
        a = self.scores(w, h, memory.keys).softmax(dim=-1)[..., :columns].flip(-1)
        # If a sentence has more words than there are slots, the words read first have no slot.
        by_column = a.new_zeros(*a.shape[:-1], columns)
        by_column[..., columns - a.shape[-1] :] = a
        return by_column * memory.words

    def operations(self, S: float) -> Operations:
        return Operations(0, self.n * self.slots)


class Dot(Score):
    """h_s . h_t."""

    name = "dot"

    def parameters(self) -> dict[str, tuple[int, ...]]:
        return {}

    def scores(self, w: Any, h: Tensor, keys: Tensor) -> Tensor:
        return h.bmm(keys.transpose(1, 2))

    def operations(self, S: float) -> Operations:
        return Operations(0, S * self.n)


class General(Dot):
    """h_s . W_a h_t. W_a is applied once to the source, not to every query."""

    name = "general"
    faults = ("general_gradient",)

    def parameters(self) -> dict[str, tuple[int, ...]]:
        return {"W_a": (self.n, self.n)}

    def prepare(self, w: Any, h_s: Tensor) -> tuple[Tensor, Tensor]:
        if "general_gradient" in self.repeated:
            # h_s gets the gradient h_t, where W_a h_t would be right; the value is the same.
            return h_s.detach() @ w.W_a + (h_s - h_s.detach()), h_s
        return h_s @ w.W_a, h_s

    def operations(self, S: float) -> Operations:
        return Operations(self.n * self.n, S * self.n)


class Additive(Score):
    """v_a . tanh(W_a h_t + h_s): the authors' program's concat, in which no matrix multiplies h_s."""

    name = "additive"

    def parameters(self) -> dict[str, tuple[int, ...]]:
        return {"W_a": (self.n, self.n), "v_a": (self.n,)}

    def scores(self, w: Any, h: Tensor, keys: Tensor) -> Tensor:
        query = (h @ w.W_a.T)[:, :, None, :]
        scores: Tensor = (keys[:, None, :, :] + query).tanh() @ w.v_a
        return scores

    def operations(self, S: float) -> Operations:
        return Operations(0, self.n * self.n, kept=2 * S * self.n)


class Concat(Additive):
    """v_a . tanh(W_a h_t + U_a h_s).

    In the paper this is concat, with one matrix W_a for [h_t; h_s]. In the course report it is the
    additive score.
    """

    name = "concat"

    def parameters(self) -> dict[str, tuple[int, ...]]:
        return {"W_a": (self.n, self.n), "U_a": (self.n, self.n), "v_a": (self.n,)}

    def prepare(self, w: Any, h_s: Tensor) -> tuple[Tensor, Tensor]:
        return h_s @ w.U_a.T, h_s

    def operations(self, S: float) -> Operations:
        return super().operations(S)._replace(source_word=self.n * self.n)


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
        return keys @ w.U_a.T, values

    def operations(self, S: float) -> Operations:
        key = self.n - self.context_size
        return super().operations(S)._replace(source_word=self.n * key)


class Self(Score):
    """v_a . tanh(W_a h_s), whatever h_t is. This score is from the course report."""

    name = "self"

    def parameters(self) -> dict[str, tuple[int, ...]]:
        return {"W_a": (self.n, self.n), "v_a": (self.n,)}

    def prepare(self, w: Any, h_s: Tensor) -> tuple[Tensor, Tensor]:
        return ((h_s @ w.W_a.T).tanh() @ w.v_a).unsqueeze(1), h_s

    def scores(self, w: Any, h: Tensor, keys: Tensor) -> Tensor:
        return keys.expand(-1, h.shape[1], -1)

    def operations(self, S: float) -> Operations:
        return Operations(self.n * self.n, 0)
