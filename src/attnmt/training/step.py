"""One training step: plain on a CPU, captured in CUDA graphs on a GPU, shared by several processes."""

import torch
from torch import Tensor

from attnmt.config import Training
from attnmt.model.dropout import Dropout
from attnmt.model.translator import Translator
from attnmt.text.batches import Batch
from attnmt.training.graphs import GraphedStep, PlainStep
from attnmt.training.ranks import ALONE, Ranks
from attnmt.training.sgd import update


class Step:
    """One step of SGD: forward, loss, backward, clipping, update.

    The objective is -log p of every target word and ``</s>``, summed over the batch and divided by the
    nominal batch size. If there are several processes, each computes the gradient of its rows. Their
    sum makes the same update in all processes. ``graphs`` says whether a GPU may run the steps as CUDA
    graphs.
    """

    def __init__(
        self, model: Translator, recipe: Training, ranks: Ranks = ALONE, graphs: bool = True
    ) -> None:
        self.model, self.recipe, self.ranks = model, recipe, ranks
        self.device = model.W_s.device
        embeddings = model.embeddings()
        dense: list[Tensor] = [p for p in model.parameters() if all(p is not e for e in embeddings)]
        self._counted, self._unclipped = dense, embeddings
        if recipe.clip_embeddings:
            self._counted, self._unclipped = dense + embeddings, []
        # If padding takes part in attention, more padding would change the model.
        may_widen = "unmasked_padding" not in model.config.system.faults
        cuda = self.device.type == "cuda"
        for embedding in (model.encoder.embedding, model.decoder.embedding):
            # A batch has few of the vocabulary's words, so sparse gradients save time. But the host
            # would wait for a GPU to list these words, and the list differs between ranks.
            embedding.sparse = not cuda and ranks.count == 1
        self.graphed = GraphedStep(self.device, may_widen, graphs) if cuda else None
        if ranks.count > 1:
            self.shared = SharedGradients([*self._counted, *self._unclipped])
            self.dropouts = [part for part in model.modules() if isinstance(part, Dropout)]

    def __call__(self, batch: Batch, rate: float) -> Tensor:
        """Train on a batch; return its loss, summed over words, on the model's device.

        On a GPU the host does not wait for the step.
        """
        if self.ranks.count == 1:
            return self._run(self.plain, batch, rate)
        self._run(self.share, batch, rate)
        # No graph contains the sum: its replay would wait for processes that may be in another graph.
        loss = self.shared.sum_(self.ranks)
        self._update(rate)
        return loss

    def plain(self, batch: Batch, rate: float | Tensor) -> Tensor:
        """Take the step operation by operation, with a batch on the model's device."""
        loss = self._backward(batch)
        self._update(rate)
        return loss

    def share(self, batch: Batch, rate: float | Tensor) -> Tensor:
        """Put the gradients and the loss of this process's rows in the memory that is summed."""
        loss = self._backward(self._own_rows(batch))
        self.shared.take(loss)
        return loss

    def _run(self, step: PlainStep, batch: Batch, rate: float) -> Tensor:
        if self.graphed is None:
            return step(batch.to(self.device), rate)
        return self.graphed(step, batch, rate)

    def _backward(self, batch: Batch) -> Tensor:
        self.model.zero_grad()  # a failed capture may have left gradients
        h_tilde, _ = self.model(batch.source, batch.source_lengths, batch.words)
        loss = self.model.loss(h_tilde, batch.next_words, batch.lengths)
        (loss / self.recipe.batch_size).backward()
        return loss.detach()

    def _update(self, rate: float | Tensor) -> None:
        update(self._counted, self._unclipped, rate, self.recipe.clip_norm)

    def _own_rows(self, batch: Batch) -> Batch:
        """Return this process's sentences, as wide as the batch; masks are drawn for the whole batch."""
        sentences = len(batch.source)
        rows = self.ranks.rows(sentences)
        # A process without a sentence takes the first one and counts none of its words.
        empty = rows.start == rows.stop
        rows = slice(0, 1) if empty else rows
        for dropout in self.dropouts:
            dropout.share = sentences, rows
        share = Batch(*(part[rows] for part in batch))
        return share._replace(lengths=torch.zeros_like(share.lengths)) if empty else share


class SharedGradients:
    """The gradients of all parameters and the loss, end to end in fixed memory, to be summed at once."""

    def __init__(self, parameters: list[Tensor]) -> None:
        self.parameters = parameters
        sizes = [p.numel() for p in parameters]
        self.values = parameters[0].new_zeros(sum(sizes) + 1)
        *parts, self.loss = self.values.split([*sizes, 1])
        self.gradients = [part.view_as(p) for part, p in zip(parts, parameters, strict=True)]

    def take(self, loss: Tensor) -> None:
        """Copy the loss and the gradients, and clear the gradients; a CUDA graph can capture this."""
        for p, gradient in zip(self.parameters, self.gradients, strict=True):
            assert p.grad is not None, "every parameter takes part in every loss"
            gradient.copy_(p.grad)
            p.grad = None
        self.loss.copy_(loss)

    def sum_(self, ranks: Ranks) -> Tensor:
        """Sum over all processes, give the parameters their gradients and return the loss."""
        ranks.sum_(self.values)
        for p, gradient in zip(self.parameters, self.gradients, strict=True):
            p.grad = gradient
        loss: Tensor = self.loss[0].clone()
        return loss
