"""Plain SGD as the authors run it: the rate's schedule and the clipping of the gradient."""

from collections.abc import Iterable

import torch
from torch import Tensor

from attnmt.config import Training


def learning_rate(recipe: Training, epoch: int) -> float:
    """Return the rate of an epoch, 1 being the first.

    The paper's text halves it every epoch after ``halve_after``. The authors' program first does so at
    the last batch of epoch ``halve_after`` + 1, so its first slower epoch comes one epoch later.
    """
    last_full = recipe.halve_after + (1 if recipe.schedule == "program" else 0)
    return recipe.learning_rate * float(0.5 ** max(0, epoch - last_full))


@torch.no_grad()
def update(
    parameters: Iterable[Tensor],
    unclipped: Iterable[Tensor],
    rate: float | Tensor,
    clip_norm: float,
) -> None:
    """Subtract rate * min(1, clip_norm / G) * gradient from every parameter and clear the gradients.

    G is the L2 norm of the gradient of ``parameters``. The gradients of ``unclipped`` do not count in G,
    but they are scaled with the others; the authors treat embeddings in this way. On a GPU, the factor
    stays there, so the host does not wait for it.
    """
    counted = list(parameters)
    updated = counted + list(unclipped)
    gradients = [p.grad for p in updated if p.grad is not None]
    assert len(gradients) == len(updated), "every parameter takes part in every loss"
    gradients = [g.coalesce() if g.is_sparse else g for g in gradients]
    numbers = [g.values() if g.is_sparse else g for g in gradients[: len(counted)]]
    norm: Tensor = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(numbers)))
    factor = (clip_norm / norm).clamp(max=1.0) * rate
    dense = [i for i, gradient in enumerate(gradients) if not gradient.is_sparse]
    # As torch.optim.SGD(fused=True) does it, in one pass: p -= lr * g.
    torch._fused_sgd_(
        [updated[i].detach() for i in dense],
        [gradients[i] for i in dense],
        [],
        lr=factor,
        weight_decay=0.0,
        momentum=0.0,
        dampening=0.0,
        nesterov=False,
        maximize=False,
        is_first_step=False,
    )
    for parameter, gradient in zip(updated, gradients, strict=True):
        if gradient.is_sparse:
            parameter.add_(gradient, alpha=-float(factor))
        parameter.grad = None
