"""One training step: forward, loss, backward, clipping, update."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from attnmt.config import TrainingSettings
from attnmt.model.luong import LuongNMT
from attnmt.text.batches import Batch
from attnmt.training.cuda_graphs import CapturedSteps, captures, padded

LARGEST = torch.finfo(torch.float32).max  # of rates; one above it is infinite


class TrainingStep:
    """Trains a model on one batch at a time.

    The objective is -log p of every target word and ``</s>``, summed over the batch and divided by the
    nominal batch size. On a GPU the host does not wait for a step, and steps are captured
    (``cuda_graphs.py``).
    """

    def __init__(self, model: LuongNMT, settings: TrainingSettings) -> None:
        self.model, self.settings, self.device = model, settings, model.device
        on_gpu, embeddings = self.device.type == "cuda", model.embeddings()
        own = {id(embedding.weight) for embedding in embeddings}
        self.parameters: list[Tensor] = [*model.parameters()]
        self.counted = [
            p for p in self.parameters if settings.clip_embeddings or id(p) not in own
        ]  # in the norm
        self.optimizer: torch.optim.Optimizer
        if settings.optimizer == "adam":
            # Fused, it takes no square root of MKL's, and a GPU's host does not wait to read t.
            options = {"fused": True, "capturable": on_gpu}
            self.optimizer = torch.optim.Adam(self.parameters, betas=(0.9, 0.999), **options)
        else:
            self.optimizer = torch.optim.SGD(self.parameters, fused=self.device.type != "cpu")
        for embedding in embeddings:
            # A batch has few of the vocabulary's words, so sparse gradients save time. But the host
            # would wait for a GPU to list these words, and Adam moves every word at every step.
            tied = embedding.weight is model.softmax_weight
            embedding.sparse = (
                self.device.type == "cpu" and settings.optimizer == "sgd" and not tied
            )
        # With this fault attention sees padding, so more of it would change the model.
        self._padded = "unmasked_padding" not in model.config.system.faults
        self._rate = torch.zeros((), device=self.device)
        self._on_gpu: Callable[[Batch], Tensor] = self._train
        if captures(model):
            self._on_gpu = CapturedSteps(self._on_gpu)

    def __call__(self, batch: Batch, rate: float) -> Tensor:
        """Train on a batch; return its loss, summed over words, on the model's device."""
        cpu = self.device.type == "cpu"
        for group in self.optimizer.param_groups:
            group["lr"] = (rate if rate <= LARGEST else float("inf")) if cpu else self._rate
        if cpu:
            return self._train(batch)
        self._rate.fill_(rate)
        return self._on_gpu(batch_on(self.device, padded(batch) if self._padded else batch))

    def _train(self, batch: Batch) -> Tensor:
        h_tilde, _ = self.model(batch.source, batch.source_lengths, batch.words)
        loss = self.model.loss(h_tilde, batch.next_words, batch.lengths)
        (loss / self.settings.batch_size).backward()
        clip(self.parameters, self.counted, self.settings.clip_norm)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.detach()


@torch.no_grad()
def clip(parameters: Sequence[Tensor], counted: Sequence[Tensor], clip_norm: float) -> None:
    """Scale all gradients by clip_norm / G where G, the L2 norm of those ``counted``, is larger.

    The authors do not count embeddings. The host does not wait for a GPU.
    """
    for parameter in parameters:
        assert parameter.grad is not None, "every parameter takes part in every loss"
        if parameter.grad.is_sparse:
            parameter.grad = parameter.grad.coalesce()
    grads = [g.values() if g.is_sparse else g for p in counted if (g := p.grad) is not None]
    nn.utils.clip_grads_with_norm_(parameters, clip_norm, nn.utils.get_total_norm(grads))


def batch_on(device: torch.device, batch: Batch) -> Batch:
    """Copy a batch to a device. A GPU reads pinned memory by itself, so the host need not wait."""
    if device.type == "cuda":
        batch = Batch(*(part if part.is_cuda else part.pin_memory() for part in batch))
    return batch.to(device)
