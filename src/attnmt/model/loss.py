"""The loss, -log p of all target words, without ever holding the logits of all words.

Autograd would keep every word's logits for the backward pass. Here the probabilities of a chunk of words
give the loss and the gradients in the forward pass, and are then freed.
"""

from typing import Any

import torch
from torch import Tensor

from attnmt.model.products import matmul

# Logits at once: few enough for a processor's cache, and enough to keep a GPU busy.
CHUNK = {"cpu": 1 << 21, "cuda": 1 << 26}
FEWEST = 512  # words of a chunk; with fewer, W_s would be read too often


def rows_at_once(words: int, device: torch.device, fewest: int = FEWEST) -> int:
    """Return for how many steps to compute the logits of ``words`` words at once."""
    return max(fewest, CHUNK["cpu" if device.type == "cpu" else "cuda"] // words)


class SummedLoss(torch.autograd.Function):
    """Sum over words of -log softmax(W_s h~)[y]; the forward pass computes its gradients too.

    With p = softmax(W_s h~), the gradient of a word's loss is (p - onehot(y)) W_s for h~ and
    (p - onehot(y)) h~^T for W_s. Each chunk's p serves both and is freed. The sum can be
    back-propagated only once.
    """

    @staticmethod
    def forward(ctx: Any, h_tilde: Tensor, W_s: Tensor, words: Tensor, derive: bool) -> Tensor:
        """Return the sum for h~ [K, n], W_s [V, n] and the words y [K]; gradients if ``derive``.

        A y below 0 is padding and adds nothing. (To select the others, the host would
        have to wait for a GPU.)
        """
        rows = rows_at_once(len(W_s), W_s.device)
        total = torch.zeros((), dtype=torch.float64, device=W_s.device)
        grad_h: list[Tensor] = []
        grad_W = None
        for h, y in zip(h_tilde.split(rows), words.split(rows), strict=True):
            real, y = (y >= 0).to(h.dtype)[:, None], y.clamp(min=0)[:, None]
            logits = matmul(h, W_s)
            y_logits = logits.gather(1, y) - logits.amax(dim=1, keepdim=True)
            p = logits.softmax(dim=1)
            # The largest p is 1 / z, where z is the sum of exp(logit - largest logit).
            log_z = -p.amax(dim=1, keepdim=True).log()
            total += ((log_z - y_logits) * real).sum(dtype=torch.float64)
            if derive:
                p.mul_(real).scatter_add_(1, y, -real)
                grad_h.append(matmul(p, W_s.T))
                if grad_W is None:
                    grad_W = matmul(p.T, h.T)
                else:
                    grad_W += matmul(p.T, h.T)
        if grad_W is not None:
            ctx.save_for_backward(grad_h[0] if len(grad_h) == 1 else torch.cat(grad_h), grad_W)
        return total.to(W_s.dtype)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, None, None]:
        """Multiply the gradients by the gradient of the sum, in place."""
        grad_h, grad_W = ctx.saved_tensors
        return grad_h.mul_(grads[0]), grad_W.mul_(grads[0]), None, None
