"""The reference model, as autograd differentiates it, with torch's own clipping and SGD.

It has our weights and dropout in the same places. Without dropout, our losses must equal its losses.
"""

from torch import nn, optim

from attnmt.model.reference import Reference
from attnmt.text.batches import Batch, make_batch
from benchmarks.systems.ours import build
from benchmarks.workload import CLIP_NORM, Pairs, Size


class PlainTrainer:
    """The training step."""

    def __init__(self, size: Size, dropout: float) -> None:
        ours = build(size, dropout)
        self.model = Reference(ours.config)
        self.model.load_state_dict(ours.state_dict())
        self.model.train()
        self._optimizer = optim.SGD(self.model.parameters(), size.rate)

    def prepare(self, pairs: Pairs) -> Batch:
        return make_batch(pairs.sources, pairs.targets, reverse=False)

    def train(self, batch: Batch) -> float:
        h_tilde, _ = self.model(batch.source, batch.source_lengths, batch.words)
        loss = self.model.loss(h_tilde, batch.next_words, batch.lengths)
        (loss / len(batch.lengths)).backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), CLIP_NORM)
        self._optimizer.step()
        self._optimizer.zero_grad()
        return float(loss.detach())
