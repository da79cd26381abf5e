"""Weights by the place of a source word alone, softmax(W_a h_t)."""

from torch import Tensor, nn

from attnmt.config import ModelShape, System
from attnmt.model.memory import Memory
from attnmt.model.products import matmul, parameter
from attnmt.model.scores import Score
from attnmt.model.windows import Window


class Location(Score):
    """softmax(W_a h_t) over a fixed number of slots, the first for the word read last (equation 8).

    A sentence of S words uses the first S slots. Their weights are not renormalized. If there are more
    words than slots, the words read first have no slot.
    """

    def __init__(self, system: System, shape: ModelShape) -> None:
        super().__init__(system, shape)
        self.W_a = parameter(shape.location_slots, shape.size)

    def scores(self, h: Tensor, keys: Tensor) -> Tensor:
        return matmul(h, self.W_a)

    def weights(self, h: Tensor, memory: Memory, window: Window, steps: Tensor) -> Tensor:
        a = self.scores(h, memory.keys).softmax(dim=-1)
        M, slots = memory.positions.shape[1], a.shape[-1]
        return nn.functional.pad(a.flip(-1), (M - slots, 0)) * memory.words
