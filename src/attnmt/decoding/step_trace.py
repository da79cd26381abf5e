"""A given translation taken step by step: log p of each word, the weights, and where a window stood.

``forced.py`` computes scores and weights of many pairs at once and does not keep the decoder's states.
Here each step is taken alone, as a search takes it, so that its query h_t can be read.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from attnmt.config import Average
from attnmt.decoding.ensemble import averaged, log_probabilities
from attnmt.model.attention.layer import Attention
from attnmt.model.attention.memory import Memory
from attnmt.model.fast.decoders import BahdanauDecoder
from attnmt.model.fast.stepper import Stepper
from attnmt.model.translator import Translator
from attnmt.text.batches import Batch


class Span(NamedTuple):
    """Where a local window stood at one step."""

    p: float  # p_t, a position in the source, counted from 0; with local-p it may lie between words
    first: int  # the first and the last source position inside the window
    last: int


class Trace(NamedTuple):
    """What a model, or an ensemble, does at each step of a translation; the last step is ``</s>``."""

    log_p: list[float]  # one number for each unit, [T]
    # a_t in the order of the sentence, [T, S]; an ensemble's is the mean; empty without attention
    weights: list[list[float]]
    # One for each step; empty where all words are attended to, and for an ensemble, whose members'
    # windows differ.
    spans: list[Span]


@torch.inference_mode()
def trace(models: Sequence[Translator], batch: Batch, average: Average = "logits") -> list[Trace]:
    """Take the steps of each pair's target; return a trace of each. The models must be in eval mode."""
    steppers = [
        _Watched(model.decoder, *model.encode(batch.source, batch.source_lengths))
        for model in models
    ]
    log_p, weights, spans = [], [], []
    for t in range(batch.words.shape[1]):
        outputs = [stepper.step(batch.words[:, t : t + 1]) for stepper in steppers]
        logits = (model.logits(h[:, 0]) for model, (h, _) in zip(models, outputs, strict=True))
        step_log_p = log_probabilities(logits, len(models), average)
        log_p.append(step_log_p.gather(1, batch.next_words[:, t : t + 1])[:, 0])
        weights.append(averaged([a for _, a in outputs]))
        spans.append(steppers[0].span(t) if len(models) == 1 else None)
    memory = next((stepper.memory for stepper in steppers if stepper.memory is not None), None)
    return [
        Trace(
            [float(step[i]) for step in log_p[:T]],
            [_in_order(a[i, 0], memory, i) for a in weights[:T] if a is not None and memory],
            [
                Span(float(p[i]), int(first[i]), int(last[i]))
                for p, first, last in (span for span in spans[:T] if span is not None)
            ],
        )
        for i, T in enumerate(batch.lengths.tolist())
    ]


class _Watched(Stepper):
    """A stepper that keeps the query of its last step."""

    query: Tensor  # h_t, [N, K, n]; in Bahdanau's order the state before the step

    def step(self, words: Tensor) -> tuple[Tensor, Tensor | None]:
        before = self._top().clone()
        output = super().step(words)
        self.query = before if isinstance(self.decoder, BahdanauDecoder) else self._top()
        return output

    def span(self, t: int) -> tuple[Tensor, Tensor, Tensor] | None:
        """Return p, first and last of ``Span`` at step t for N sentences, each [N]."""
        attention, memory = self.decoder.attention, self.memory
        if attention is None or memory is None:
            return None
        p = position(attention, self.query, memory, t)
        if p is None:
            return None
        # The window of local-p is the one around floor(p_t); that of local-m stands at a whole number.
        inside = attention.window.around(p[:, :, None].floor(), memory) & memory.words
        S = memory.lengths.max()
        first = memory.positions[:, None, :].masked_fill(~inside, S).amin(2)
        last = memory.positions[:, None, :].masked_fill(~inside, -1).amax(2)
        return p[:, 0], first[:, 0], last[:, 0]


def position(attention: Attention, h: Tensor, memory: Memory, t: int) -> Tensor | None:
    """Return p_t of queries h [N, K, n] at step t, [N, K]; None if the window has no position.

    local-m has p_t = min(t, S - 1), and local-p has p_t = S sigmoid(v_p . tanh(W_p h_t)) (section 3.2,
    equation 9). The windows of ``windows.py`` compute the same and keep it to themselves.
    """
    S, w = memory.lengths[:, None], attention.get_parameter
    match attention.window.name:
        case "local_m":
            return (S - 1).clamp(max=t).expand(h.shape[:2]).to(h.dtype)
        case "local_p":
            return ((h @ w("W_p").T).tanh() @ w("v_p")).sigmoid() * S
    return None


def _in_order(a: Tensor, memory: Memory, i: int) -> list[float]:
    """Return the weights [M] of sentence i's words in the order of the sentence."""
    words = memory.words[i, 0]
    ordered = a.new_empty(int(memory.lengths[i]))
    ordered[memory.positions[i, words]] = a[words]
    weights: list[float] = ordered.tolist()
    return weights
