"""Scores, links and attention of given translations (force decoding)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attnmt.config import Average, LinkStep
from attnmt.decoding.ensemble import SHIFTS, attended, averaged, log_probabilities
from attnmt.model.attention.layer import Memory
from attnmt.model.translator import Translator, real_words
from attnmt.text.batches import Batch

CHUNK = 512  # words whose logits are held at once, for each model


class Forced(NamedTuple):
    """What a model, or an ensemble, says of a given translation."""

    score: float  # sum of log p, </s> included
    # The source position with the largest weight at each step, that of </s> included; empty without
    # attention.
    attended: list[int]

    def links(self, step: LinkStep) -> list[int]:
        """Return the source position of each word, read at a step."""
        shift = SHIFTS[step]
        return self.attended[shift : shift + len(self.attended) - 1]


@torch.inference_mode()
def force(models: Sequence[Translator], batch: Batch, average: Average = "logits") -> list[Forced]:
    """Return the score and the attended positions of each pair's target. The models are in eval mode."""
    real = real_words(batch.words, batch.lengths)
    read = [_read(model, batch) for model in models]
    outputs = [of_model.h_tilde[real].split(CHUNK) for of_model in read]
    found = []
    for of_models, words in zip(
        zip(*outputs, strict=True), batch.next_words[real].split(CHUNK), strict=True
    ):
        logits = (model.logits(h) for model, h in zip(models, of_models, strict=True))
        found.append(
            log_probabilities(logits, len(models), average).gather(1, words[:, None])[:, 0]
        )
    lengths = batch.lengths.tolist()
    scores = [float(part.sum()) for part in torch.cat(found).split(lengths)]
    found_at = attended(averaged([r.weights for r in read]), [r.memory for r in read])
    positions = [[]] * len(scores) if found_at is None else found_at.tolist()
    return [
        Forced(score, row[:length])
        for score, row, length in zip(scores, positions, lengths, strict=True)
    ]


@torch.inference_mode()
def attention(models: Sequence[Translator], batch: Batch) -> list[NDArray[np.floating]]:
    """Return a_t of each pair's target, [T, S]: a row a word, that of ``</s>`` too, a column a source
    word in the order of the sentence, however the encoder read it. Nothing without attention.

    Of an ensemble, the mean over its attentional members. The models are in eval mode.
    """
    read = [_read(model, batch) for model in models]
    weights = averaged([of_model.weights for of_model in read])
    memory = next((of_model.memory for of_model in read if of_model.memory is not None), None)
    if weights is None or memory is None:
        return []
    found = []
    for i, (T, S) in enumerate(zip(batch.lengths.tolist(), memory.lengths.tolist(), strict=True)):
        columns = memory.words[i, 0]
        a = weights.new_empty(T, S)
        a[:, memory.positions[i, columns]] = weights[i, :T, columns]
        found.append(a.cpu().numpy())
    return found


class _Read(NamedTuple):
    """What one model computes of a batch of pairs."""

    h_tilde: Tensor  # [N, T, n]
    weights: Tensor | None  # [N, T, M]
    memory: Memory | None


def _read(model: Translator, batch: Batch) -> _Read:
    memory, state = model.encode(batch.source, batch.source_lengths)
    h_tilde, weights = model.decoder(batch.words, state, memory)
    return _Read(h_tilde, weights, memory)
