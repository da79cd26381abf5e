"""The steps of a search; the finished translations are read back from them."""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

NOWHERE = -1  # the source position of a step that a translation did not take


class Hypothesis(NamedTuple):
    """A finished translation."""

    words: list[int]  # without </s>
    score: float  # sum of log p, </s> included where the search produced it
    links: list[int]  # the source position that each word is linked to; empty without attention


class Step(NamedTuple):
    """One step of N live sentences."""

    sentences: Tensor  # their numbers among all sentences, [N]
    words: Tensor  # the new hypotheses' last words, [N, B]
    parents: Tensor  # the hypotheses that these extend, [N, B]
    attended: Tensor | None  # source positions of the hypotheses before the step, [N, K]


class _Finished(NamedTuple):
    """Hypotheses that finish with the same number of words."""

    length: int
    sentences: Tensor  # the rows' numbers among all sentences, [N]
    which: Tensor  # whether each entry finishes, [N, F]; in a row, from left to right
    hypotheses: Tensor  # [N, F]
    scores: Tensor  # [N, F]


class History:
    """The steps and the finished hypotheses of S sentences, on the device, so that no step waits."""

    def __init__(self, sentences: int) -> None:
        self.sentences = sentences
        self.steps: list[Step] = []
        self._finished: list[_Finished] = []

    def finish(self, sentences: Tensor, which: Tensor, hypotheses: Tensor, scores: Tensor) -> None:
        """Finish some hypotheses with the words of all steps so far; see ``_Finished``."""
        self._finished.append(_Finished(len(self.steps), sentences, which, hypotheses, scores))

    def read_back(self, offset: int) -> list[list[Hypothesis]]:
        """Return each sentence's finished translations, in order of finishing.

        Args:
            offset: 0 links a word by the weights of its own step, 1 by those of the next.
        """
        sentences, k, lengths, scores = self._ends()
        words = np.zeros((len(k), len(self.steps)), dtype=int)
        attended = np.full((len(k), len(self.steps) + 1), NOWHERE)
        place = np.empty(self.sentences, dtype=int)
        for t, step in reversed(list(enumerate(self.steps))):  # from the last words to the first
            place.fill(-1)
            place[_array(step.sentences)] = range(len(step.sentences))
            rows = place[sentences]
            longer = lengths > t
            entries = rows[longer], k[longer]
            words[longer, t] = _array(step.words)[entries]
            k[longer] = _array(step.parents)[entries]
            if step.attended is not None:
                took_step = (lengths >= t) & (rows >= 0)  # the step of </s> attends too
                attended[took_step, t] = _array(step.attended)[rows[took_step], k[took_step]]
        # A translation cut off at the longest length has no step after its last word.
        cut = np.flatnonzero(attended[range(len(k)), lengths] == NOWHERE)
        attended[cut, lengths[cut]] = attended[cut, lengths[cut] - 1]
        candidates: list[list[Hypothesis]] = [[] for _ in range(self.sentences)]
        attends = self.steps[0].attended is not None
        for i, n, row, score, positions in zip(
            *(a.tolist() for a in (sentences, lengths, words, scores, attended)), strict=True
        ):
            links = positions[offset : offset + n] if attends else []
            candidates[i].append(Hypothesis(row[:n], score, links))
        return candidates

    def _ends(self) -> list[NDArray[Any]]:
        """Return the sentences, hypotheses, lengths and scores of all finished translations."""
        parts = []
        for length, sentences, which, hypotheses, scores in self._finished:
            ends = which.nonzero().unbind(1)
            ended = sentences[ends[0]]
            parts.append((ended, hypotheses[ends], torch.full_like(ended, length), scores[ends]))
        return [_array(torch.cat(part)) for part in zip(*parts, strict=True)]


def _array(tensor: Tensor) -> NDArray[Any]:
    return tensor.cpu().numpy()
