"""One training step: forward, loss, backward, clipping, update."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from attnmt.config import TrainingSettings
from attnmt.model.luong import LuongNMT
from attnmt.text.batches import Batch
from attnmt.training.cuda_graphs import CapturedSteps, padded, wanted
from attnmt.training.optimizers import OPTIMIZERS, clipping


class Step:
    """Trains a model on one batch at a time.

    The objective is -log p of every target word and ``</s>``, summed over the batch and divided by the
    nominal batch size. On a GPU the host does not wait for a step, and steps are captured
    (``cuda_graphs.py``).
    """

    def __init__(self, model: LuongNMT, settings: TrainingSettings) -> None:
        self.model, self.settings = model, settings
        self.device = model.W_s.device
        embeddings = model.embeddings()
        dense: list[Tensor] = [p for p in model.parameters() if all(p is not e for e in embeddings)]
        self.counted = dense + embeddings if settings.clip_embeddings else dense
        self.optimizer = OPTIMIZERS[settings.optimizer](dense + embeddings)
        for embedding in (model.encoder.embedding, model.decoder.embedding):
            # A batch has few of the vocabulary's words, so sparse gradients save time. But the host
            # would wait for a GPU to list these words.
            embedding.sparse = self.device.type == "cpu" and self.optimizer.takes_sparse
        # With this fault attention sees padding, so more of it would change the model.
        self._padded = "unmasked_padding" not in model.config.system.faults
        self._rate = torch.zeros((), device=self.device)
        self._on_gpu: Callable[[Batch], Tensor] = partial(self._train, rate=self._rate)
        if self.device.type == "cuda" and self._padded and wanted():
            self._on_gpu = CapturedSteps(self._on_gpu)

    def __call__(self, batch: Batch, rate: float) -> Tensor:
        """Train on a batch; return its loss, summed over words, on the model's device."""
        if self.device.type == "cpu":
            return self._train(batch, rate)
        self._rate.fill_(rate)
        return self._on_gpu(batch_on(self.device, padded(batch) if self._padded else batch))

    def _train(self, batch: Batch, rate: float | Tensor) -> Tensor:
        h_tilde, _ = self.model(batch.source, batch.source_lengths, batch.words)
        loss = self.model.loss(h_tilde, batch.next_words, batch.lengths)
        (loss / self.settings.batch_size).backward()
        self.optimizer.update(rate, clipping(self.counted, self.settings.clip_norm))
        self.model.zero_grad()
        return loss.detach()


def batch_on(device: torch.device, batch: Batch) -> Batch:
    """Copy a batch to a device. A GPU reads pinned memory by itself, so the host need not wait."""
    if device.type == "cuda":
        batch = Batch(*(part if part.is_cuda else part.pin_memory() for part in batch))
    return batch.to(device)
