"""The predictive window."""

from torch import Tensor

from attnmt.config import ModelShape, System
from attnmt.model.memory import Memory
from attnmt.model.products import matmul, parameter
from attnmt.model.windows import Window, softmax


class LocalP(Window):
    """Predictive: the words around floor(p_t), p_t = S sigmoid(v_p . tanh(W_p h_t)) (equation 9).

    Each weight is then multiplied by exp(-(s - p_t)^2 / (2 sigma^2)), sigma = D/2, and not renormalized
    (equation 10). The gradient reaches p_t only through this factor; the fault ``position_gradient``
    halves it.
    """

    def __init__(self, system: System, shape: ModelShape) -> None:
        super().__init__(system, shape)
        self.W_p, self.v_p = parameter(shape.size, shape.size), parameter(shape.size)

    def centers(self, h: Tensor, memory: Memory, steps: Tensor) -> Tensor:
        p: Tensor = memory.lengths[:, None] * (matmul(h, self.W_p).tanh() @ self.v_p).sigmoid()
        return p

    def weights(self, scores: Tensor, h: Tensor, memory: Memory, steps: Tensor) -> Tensor:
        p, sigma = self.centers(h, memory, steps), self.D / 2
        if "position_gradient" in self.faults:
            p = (p + p.detach()) / 2
        p = p[:, :, None]
        a = softmax(scores, self.around(p.floor(), memory))
        gaussian: Tensor = ((memory.positions[:, None] - p) ** 2 * (-1 / (2 * sigma**2))).exp()
        return a * gaussian
