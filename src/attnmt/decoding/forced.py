"""Scores, links and attention of given translations (force decoding)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attnmt.config import Average, LinkStep
from attnmt.decoding.ensemble import SHIFTS, attended, averaged, log_probabilities
from attnmt.model.attention.memory import Memory
from attnmt.model.translator import Translator, real_words
from attnmt.text.batches import Batch

CHUNK = 512  # words whose logits are held at once, for each model


class Forced(NamedTuple):
    """What a model, or an ensemble, says about a given translation."""

    score: float  # sum of log p, </s> included
    # The source position with the largest weight at each step, that of </s> included; empty without
    # attention.
    attended: list[int]

    def links(self, step: LinkStep) -> list[int]:
        """Return the source position that the weights of a step link each word to."""
        shift = SHIFTS[step]
        return self.attended[shift : shift + len(self.attended) - 1]


@torch.inference_mode()
def force(models: Sequence[Translator], batch: Batch, average: Average = "logits") -> list[Forced]:
    """Return the score and the attended positions of each pair's target. The models are in eval mode."""
    real = real_words(batch.words, batch.lengths)
    outputs = [_decode(model, batch) for model in models]
    chunks = [output.h_tilde[real].split(CHUNK) for output in outputs]
    log_p = []
    for models_h, words in zip(
        zip(*chunks, strict=True), batch.next_words[real].split(CHUNK), strict=True
    ):
        logits = (model.logits(h) for model, h in zip(models, models_h, strict=True))
        log_p.append(
            log_probabilities(logits, len(models), average).gather(1, words[:, None])[:, 0]
        )
    lengths = batch.lengths.tolist()
    scores = [float(part.sum()) for part in torch.cat(log_p).split(lengths)]
    weights = averaged([output.weights for output in outputs])
    attended_to = attended(weights, [output.memory for output in outputs])
    positions = [[]] * len(scores) if attended_to is None else attended_to.tolist()
    return [
        Forced(score, row[:length])
        for score, row, length in zip(scores, positions, lengths, strict=True)
    ]


@torch.inference_mode()
def attention(models: Sequence[Translator], batch: Batch) -> list[NDArray[np.floating]]:
    """Return the weights a_t of each pair's target, [T, S]; an empty list without attention.

    A row is a target word or ``</s>``. A column is a source word in the order of the sentence, however
    the encoder read it. An ensemble gives the mean over its attentional members. The models are in eval
    mode.
    """
    outputs = [_decode(model, batch) for model in models]
    weights = averaged([output.weights for output in outputs])
    memory = next((output.memory for output in outputs if output.memory is not None), None)
    if weights is None or memory is None:
        return []
    matrices = []
    for i, (T, S) in enumerate(zip(batch.lengths.tolist(), memory.lengths.tolist(), strict=True)):
        columns = memory.words[i, 0]
        a = weights.new_empty(T, S)
        a[:, memory.positions[i, columns]] = weights[i, :T, columns]
        matrices.append(a.cpu().numpy())
    return matrices


class _Output(NamedTuple):
    """What one model computes for a batch of pairs."""

    h_tilde: Tensor  # [N, T, n]
    weights: Tensor | None  # [N, T, M]
    memory: Memory | None


def _decode(model: Translator, batch: Batch) -> _Output:
    memory, state = model.encode(batch.source, batch.source_lengths)
    h_tilde, weights = model.decoder(batch.words, state, memory)
    return _Output(h_tilde, weights, memory)
