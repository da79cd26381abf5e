"""The score v_a . tanh(W_a h_t + U_a k_s), with a key and a value in every source state."""

from torch import Tensor

from attnmt.config import ModelShape, System
from attnmt.model.products import matmul, parameter
from attnmt.model.scores.additive import Additive


class KeyValue(Additive):
    """v_a . tanh(W_a h_t + U_a k_s); the halves of h_s are a key k_s and the value that is averaged.

    This score is from the course report. The report's window of L positions is that of local_m with
    L = 2D + 1. If n is odd, the key has one number more.
    """

    def __init__(self, system: System, shape: ModelShape) -> None:
        super().__init__(system, shape)
        self.context_size = shape.size // 2
        self.key_size = shape.size - self.context_size
        self.U_a = parameter(shape.size, self.key_size)

    def prepare(self, h_s: Tensor) -> tuple[Tensor, Tensor]:
        k_s, values = h_s.split([self.key_size, self.context_size], dim=2)
        return matmul(k_s, self.U_a), values
