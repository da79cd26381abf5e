"""The score h_s . W_a h_t."""

from torch import Tensor

from attnmt.config import ModelShape, System
from attnmt.model.products import matmul, parameter
from attnmt.model.scores.dot import Dot


class General(Dot):
    """h_s . W_a h_t. W_a is applied once to the source, not to every query.

    With the fault ``general_gradient``, h_s gets the gradient h_t, where W_a h_t would be right.
    """

    def __init__(self, system: System, shape: ModelShape) -> None:
        super().__init__(system, shape)
        self.W_a = parameter(shape.size, shape.size)

    def prepare(self, h_s: Tensor) -> tuple[Tensor, Tensor]:
        if "general_gradient" in self.faults:
            keys = matmul(h_s.detach(), self.W_a.T) + (h_s - h_s.detach())
        else:
            keys = matmul(h_s, self.W_a.T)
        return keys, h_s
