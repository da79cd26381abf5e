"""Scores and links of given translations (force decoding)."""

from typing import NamedTuple

import torch

from attnmt.data.batches import Batch
from attnmt.model.translator import Translator


class Forced(NamedTuple):
    """What a model says of a given translation."""

    score: float  # sum of log p, </s> included
    # The source position with the largest weight at each step, that of </s> included; of equals the
    # first as read. Empty without attention.
    attended: list[int]

    def links(self, shift: int) -> list[int]:
        """Return the source position of each word, ``shift`` being what ``link_shift`` returns."""
        return self.attended[shift : shift + len(self.attended) - 1]


@torch.inference_mode()
def force(model: Translator, batch: Batch) -> list[Forced]:
    """Return the score and the attended positions of each pair's target. The model is in eval mode."""
    memory, state = model.encode(batch.source, batch.source_lengths)
    h_tilde, weights = model.decoder(batch.words, state, memory)
    losses = model.losses(h_tilde, batch.next_words, batch.lengths)
    lengths = batch.lengths.tolist()
    scores = [-float(part.sum()) for part in losses.split(lengths)]
    if weights is None or memory is None:
        return [Forced(score, []) for score in scores]
    attended = memory.positions.gather(1, weights.argmax(dim=-1)).tolist()
    return [
        Forced(score, row[:length])
        for score, row, length in zip(scores, attended, lengths, strict=True)
    ]
