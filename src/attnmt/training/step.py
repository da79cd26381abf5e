"""One training step, plain on a CPU; on a GPU captured in CUDA graphs."""

from torch import Tensor

from attnmt.config import Training
from attnmt.data.batches import Batch
from attnmt.model.translator import Translator
from attnmt.training.graphs import GraphedStep
from attnmt.training.sgd import update


class Step:
    """One step of SGD: forward, loss, backward, clipping, update.

    The objective is -log p of every target word and ``</s>``, summed over the batch and divided by the
    nominal batch size.
    """

    def __init__(self, model: Translator, recipe: Training) -> None:
        self.model, self.recipe = model, recipe
        self.device = model.W_s.device
        embeddings = model.embeddings()
        dense: list[Tensor] = [p for p in model.parameters() if all(p is not e for e in embeddings)]
        self._counted, self._unclipped = dense, embeddings
        if recipe.clip_embeddings:
            self._counted, self._unclipped = dense + embeddings, []
        # Where padding takes part in attention, more of it would be another model.
        padded = "unmasked_padding" not in model.config.system.faults
        cuda = self.device.type == "cuda"
        for embedding in (model.encoder.embedding, model.decoder.embedding):
            # A batch has few of the words. To list them would have a GPU wait.
            embedding.sparse = not cuda
        self.graphed = GraphedStep(self.device, widened=padded) if cuda else None

    def __call__(self, batch: Batch, rate: float) -> Tensor:
        """Train on a batch; return its loss, summed over words, on the model's device.

        On a GPU the host does not wait for the step.
        """
        if self.graphed is None:
            return self.plain(batch.to(self.device), rate)
        return self.graphed(self.plain, batch, rate)

    def plain(self, batch: Batch, rate: float | Tensor) -> Tensor:
        """Do the step operation by operation, from a batch on the model's device."""
        h_tilde, _ = self.model(batch.source, batch.source_lengths, batch.words)
        loss = self.model.loss(h_tilde, batch.next_words, batch.lengths)
        (loss / self.recipe.batch_size).backward()
        update(self._counted, self._unclipped, rate, self.recipe.clip_norm)
        return loss.detach()
