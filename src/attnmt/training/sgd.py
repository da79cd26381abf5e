"""Plain SGD as the authors run it: the rate's schedule and the clipping of the gradient."""

from collections.abc import Iterable

import torch
from torch import Tensor

from attnmt.config import Training


def learning_rate(recipe: Training, epoch: int) -> float:
    """Return the rate of an epoch, 1 being the first.

    The paper's text halves it every epoch after ``halve_after``. The authors' program first does so at
    the last batch of epoch ``halve_after`` + 1, so its first slower epoch is one later.
    """
    last_whole = recipe.halve_after + (1 if recipe.schedule == "program" else 0)
    return recipe.learning_rate * float(0.5 ** max(0, epoch - last_whole))


@torch.no_grad()
def update(
    parameters: Iterable[Tensor],
    unclipped: Iterable[Tensor],
    rate: float,
    clip_norm: float,
) -> None:
    """Subtract rate * min(1, clip_norm / G) * gradient from every parameter and clear the gradients.

    G is the L2 norm of the gradient of ``parameters``; ``unclipped`` do not count in it but are scaled
    with the others, as the authors treat embeddings.
    """
    counted = list(parameters)
    every = counted + list(unclipped)
    values: list[Tensor] = [p.detach() for p in every]
    gradients = [p.grad for p in every if p.grad is not None]
    assert len(gradients) == len(every), "every parameter takes part in every loss"
    norms = torch._foreach_norm(gradients[: len(counted)])
    norm: Tensor = torch.linalg.vector_norm(torch.stack(list(norms)))
    torch._foreach_mul_(gradients, (clip_norm / norm).clamp(max=1.0) * -rate)
    torch._foreach_add_(values, gradients)
    for parameter in every:
        parameter.grad = None
