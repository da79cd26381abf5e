"""Scores, links and attention of given translations (force decoding)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.utils.rnn import pad_sequence

from attnmt.decoding.ensemble import (
    attended,
    is_word,
    joint_attention,
    log_probabilities,
)
from attnmt.model.luong import Ids, LuongNMT
from attnmt.text.vocabulary import BOS, EOS

CHUNK = 512  # words whose logits are held at once, for each model


class Forced(NamedTuple):
    """What a model, or an ensemble, says about a given translation of T words, </s> included."""

    score: float  # the sum of log_p
    log_p: list[float]  # of each word
    # The source position with the largest weight at each step; empty without attention.
    attended: list[int]
    # The weights of each step, [T, S], in the order of the sentence, however the model read it. Those of
    # an ensemble are the mean over its attentional members. S is 0 without attention.
    weights: NDArray[np.floating]

    def links(self, offset: int) -> list[int]:
        """Return the source position that the weights ``offset`` steps later link each word to."""
        return self.attended[offset : offset + len(self.attended) - 1]


@torch.inference_mode()
def force(
    models: Sequence[LuongNMT],
    sources: Sequence[Ids],
    targets: Sequence[Ids],
) -> list[Forced]:
    """Return what the models say about a translation of each sentence. They are in eval mode.

    Args:
        models: one, or an ensemble with the same vocabularies and reading direction.
        sources: the ids of each sentence in its own order.
        targets: the ids of its translation, without ``</s>``.
    """
    device = models[0].device
    start, end = torch.tensor([BOS]), torch.tensor([EOS])
    ids = [torch.tensor(target, dtype=torch.long) for target in targets]
    words = pad_sequence([torch.cat([start, one]) for one in ids], True, EOS).to(device)
    next_words = torch.cat([part for one in ids for part in (one, end)]).to(device)
    T, S = ([len(one) + extra for one in text] for text, extra in ((targets, 1), (sources, 0)))
    target_lengths, source_lengths = (torch.tensor(part, device=device) for part in (T, S))
    real = torch.arange(words.shape[1], device=device) < target_lengths[:, None]

    members = [model.start(sources) for model in models]
    outputs, weights = zip(*(member.follow(words) for member in members), strict=True)
    log_p = []
    for *members_h, y in zip(
        *(h[real].split(CHUNK) for h in outputs), next_words.split(CHUNK), strict=True
    ):
        logits = (model.logits(h) for model, h in zip(models, members_h, strict=True))
        rated = log_probabilities(logits, len(models))
        log_p.append(rated.gather(1, y[:, None])[:, 0])
    by_sentence = torch.cat(log_p).split(T)

    joint = joint_attention(members, weights)
    if joint is None:
        nothing = np.zeros((words.shape[1], 0))
        return [Forced(float(p.sum()), p.tolist(), [], nothing[: len(p)]) for p in by_sentence]
    a, positions = joint
    links = attended(a, positions, source_lengths).tolist()
    order = positions.where(is_word(positions, source_lengths), positions.shape[1]).argsort(1)
    weights_of = a.gather(2, order[:, None].expand_as(a)).cpu().numpy()
    return [
        Forced(float(p.sum()), p.tolist(), links[i][: T[i]], weights_of[i, : T[i], : S[i]])
        for i, p in enumerate(by_sentence)
    ]
