"""Scores and links of given translations (force decoding)."""

from collections.abc import Sequence
from typing import NamedTuple

import torch

from attnmt.config import Average
from attnmt.data.batches import Batch
from attnmt.decoding.ensemble import attended, log_probabilities, summed
from attnmt.model.translator import Translator, real_words

CHUNK = 512  # words whose logits are held at once, for each model


class Forced(NamedTuple):
    """What a model, or an ensemble, says of a given translation."""

    score: float  # sum of log p, </s> included
    # The source position with the largest weight at each step, that of </s> included; empty without
    # attention.
    attended: list[int]

    def links(self, shift: int) -> list[int]:
        """Return the source position of each word, ``shift`` being what ``link_shift`` returns."""
        return self.attended[shift : shift + len(self.attended) - 1]


@torch.inference_mode()
def force(models: Sequence[Translator], batch: Batch, average: Average = "logits") -> list[Forced]:
    """Return the score and the attended positions of each pair's target. The models are in eval mode."""
    real = real_words(batch.words, batch.lengths)
    outputs, weights, memories = [], [], []
    for model in models:
        memory, state = model.encode(batch.source, batch.source_lengths)
        h_tilde, a = model.decoder(batch.words, state, memory)
        outputs.append(h_tilde[real].split(CHUNK))
        weights.append(a)
        memories.append(memory)
    found = []
    for of_models, words in zip(
        zip(*outputs, strict=True), batch.next_words[real].split(CHUNK), strict=True
    ):
        logits = [model.logits(h) for model, h in zip(models, of_models, strict=True)]
        found.append(log_probabilities(logits, average).gather(1, words[:, None])[:, 0])
    lengths = batch.lengths.tolist()
    scores = [float(part.sum()) for part in torch.cat(found).split(lengths)]
    positions = attended(summed(weights), memories) or [[]] * len(scores)
    return [
        Forced(score, row[:length])
        for score, row, length in zip(scores, positions, lengths, strict=True)
    ]
