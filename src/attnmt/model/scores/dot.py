"""The score h_s . h_t."""

import torch
from torch import Tensor

from attnmt.model.scores import Score


class Dot(Score):
    """h_s . h_t."""

    def scores(self, h: Tensor, keys: Tensor) -> Tensor:
        return torch.bmm(h, keys.mT)
