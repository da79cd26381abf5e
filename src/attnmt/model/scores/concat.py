"""The score v_a . tanh(W_a h_t + U_a h_s)."""

from torch import Tensor

from attnmt.config import ModelShape, System
from attnmt.model.products import matmul, parameter
from attnmt.model.scores.additive import Additive


class Concat(Additive):
    """v_a . tanh(W_a h_t + U_a h_s).

    In the paper this is concat, with one matrix W_a for [h_t; h_s]. In the course report it is the
    additive score.
    """

    def __init__(self, system: System, shape: ModelShape) -> None:
        super().__init__(system, shape)
        self.U_a = parameter(shape.size, shape.size)

    def prepare(self, h_s: Tensor) -> tuple[Tensor, Tensor]:
        return matmul(h_s, self.U_a), h_s
