"""The score v_a . tanh(W_a h_s)."""

from torch import Tensor

from attnmt.config import ModelShape, System
from attnmt.model.products import matmul, parameter
from attnmt.model.scores import Score


class Self(Score):
    """v_a . tanh(W_a h_s), whatever h_t is. This score is from the course report."""

    def __init__(self, system: System, shape: ModelShape) -> None:
        super().__init__(system, shape)
        self.W_a, self.v_a = parameter(shape.size, shape.size), parameter(shape.size)

    def prepare(self, h_s: Tensor) -> tuple[Tensor, Tensor]:
        return (matmul(h_s, self.W_a).tanh() @ self.v_a)[:, None], h_s

    def scores(self, h: Tensor, keys: Tensor) -> Tensor:
        return keys.expand(-1, h.shape[1], -1)
