"""The monotonic window."""

from torch import Tensor

from attnmt.model.memory import Memory
from attnmt.model.windows import Window, softmax


class LocalM(Window):
    """Monotonic: the words around p_t = min(t, S - 1) (section 3.2)."""

    def centers(self, h: Tensor, memory: Memory, steps: Tensor) -> Tensor:
        return steps.minimum(memory.lengths[:, None] - 1)

    def weights(self, scores: Tensor, h: Tensor, memory: Memory, steps: Tensor) -> Tensor:
        p = self.centers(h, memory, steps)[:, :, None]
        return softmax(scores, self.around(p, memory))
