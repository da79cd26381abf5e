"""Scores and links of given translations (force decoding)."""

from typing import NamedTuple

import torch

from attnmt.config import LinkStep
from attnmt.data.batches import Batch
from attnmt.decoding.search import link_shift
from attnmt.model.translator import Translator


class Forced(NamedTuple):
    """What a model says of a given translation."""

    score: float  # sum of log p, </s> included
    links: list[int]  # the source position that each word is linked to; empty without attention


@torch.inference_mode()
def force(model: Translator, batch: Batch, link_step: LinkStep = "same") -> list[Forced]:
    """Return the score and the links of each pair's target. The model is in eval mode.

    A word is linked to the position with the largest weight of the step that ``link_step`` names.
    """
    h_tilde, weights = model(batch.source, batch.source_lengths, batch.words)
    losses = model.losses(h_tilde, batch.next_words, batch.lengths)
    lengths = batch.lengths.tolist()
    scores = [-float(part.sum()) for part in losses.split(lengths)]
    if weights is None:
        return [Forced(score, []) for score in scores]
    # As read, column M - S is the first real word.
    columns = weights.argmax(dim=-1)
    start = batch.source.shape[1] - batch.source_lengths[:, None]
    read = columns - start
    reverse = model.config.system.reverse
    positions = batch.source_lengths[:, None] - 1 - read if reverse else read
    shift = link_shift([model], link_step)
    return [
        Forced(score, row[shift : shift + length - 1])
        for score, row, length in zip(scores, positions.tolist(), lengths, strict=True)
    ]
