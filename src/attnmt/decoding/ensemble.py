"""One model or several as one: their probabilities together, their attention together."""

from collections.abc import Sequence

import torch
from torch import Tensor

from attnmt.config import Average, LinkStep
from attnmt.model.attention import Memory
from attnmt.model.translator import Translator


def log_probabilities(logits: Sequence[Tensor], average: Average) -> Tensor:
    """Return log p, [.., V], of the members' logits, each [.., V].

    ``logits`` averages these before one softmax, as the authors' program does, which is the geometric
    mean of the members' probabilities, normalised; ``probabilities`` averages these.
    """
    if average == "logits":
        total = logits[0]
        for other in logits[1:]:
            total = total + other
        return torch.log_softmax(total / len(logits), dim=-1)
    total = torch.log_softmax(logits[0], dim=-1)
    for other in logits[1:]:
        total = torch.logaddexp(total, torch.log_softmax(other, dim=-1))
    return total - torch.log(torch.tensor(len(logits), dtype=total.dtype, device=total.device))


def averaged(weights: Sequence[Tensor | None]) -> Tensor | None:
    """Return the mean of the weights of the attentional members; None if there is no such member."""
    present = [a for a in weights if a is not None]
    return torch.stack(present).mean(dim=0) if present else None


def attended(weights: Tensor | None, memories: Sequence[Memory | None]) -> list[list[int]]:
    """Return the source position of the largest weight, [N, K] as lists; of equals the first as read.

    Args:
        weights: [N, K, M]; None gives no list.
        memories: of the members, at least one attentional if there are weights.
    """
    memory = next((m for m in memories if m is not None), None)
    if weights is None or memory is None:
        return []
    # With the fault of unmasked padding, padding has weight too, but is no word to link to.
    columns = weights.masked_fill(~memory.words, -1).argmax(dim=-1)
    result: list[list[int]] = memory.positions.gather(1, columns).tolist()
    return result


def link_shift(models: Sequence[Translator], step: LinkStep) -> int:
    """Return which step's weights link word t: 0 for step t, 1 for step t + 1.

    The authors read content scores one step late, where the word has become the input, and location
    at its own step; a mixed ensemble is then read as its content members are. The GRU's weights, which
    come before its step, are read at the step.
    """
    if step == "authors":
        late = any(
            m.config.shape.cell == "lstm" and m.config.system.score not in (None, "location")
            for m in models
        )
        step = "next" if late else "same"
    return 0 if step == "same" else 1
