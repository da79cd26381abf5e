"""The score v_a . tanh(W_a h_t + h_s)."""

from torch import Tensor

from attnmt.config import ModelShape, System
from attnmt.model.products import matmul, parameter
from attnmt.model.scores import Score


class Additive(Score):
    """v_a . tanh(W_a h_t + h_s): the authors' program's concat, in which no matrix multiplies h_s."""

    def __init__(self, system: System, shape: ModelShape) -> None:
        super().__init__(system, shape)
        self.W_a, self.v_a = parameter(shape.size, shape.size), parameter(shape.size)

    def scores(self, h: Tensor, keys: Tensor) -> Tensor:
        query = matmul(h, self.W_a)
        return (query[:, :, None] + keys[:, None]).tanh() @ self.v_a  # [N, K, M, n] before v_a
