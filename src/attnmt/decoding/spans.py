"""Where a local window of attention stood at each step of a given translation."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from attnmt.decoding.forced import force
from attnmt.decoding.protocol import Ids
from attnmt.model.attention.memory import Memory
from attnmt.model.translator import Translator


class Span(NamedTuple):
    """Where a local window stood at one step."""

    p: float  # p_t, a position in the source, counted from 0; with local-p it may lie between words
    first: int  # the first and the last source position inside the window
    last: int


@torch.inference_mode()
def spans_of(model: Translator, source: Ids, targets: Sequence[Ids]) -> list[list[Span]]:
    """Return the spans of each translation, ``</s>`` included; none where all words are attended to."""
    attention = model.decoder.attention
    seen: list[tuple[Tensor, Memory, Tensor]] = []  # the arguments of each call of attention
    if attention is None:
        return [[] for _ in targets]
    watching = attention.register_forward_pre_hook(lambda _, given: seen.append(given))
    try:
        force([model], [source] * len(targets), targets)
    finally:
        watching.remove()
    parts = []
    for h, memory, steps in seen:
        p = attention.window.centers(attention, h, memory, steps)
        if p is None:
            return [[] for _ in targets]
        # The window of local-p is the one around floor(p_t); that of local-m stands at a whole number.
        inside = attention.window.around(p[:, :, None].floor(), memory) & memory.words
        s, S = memory.positions[:, None], memory.lengths.max()
        first, last = s.masked_fill(~inside, S).amin(2), s.masked_fill(~inside, -1).amax(2)
        parts.append(torch.stack([part.to(h.dtype) for part in (p, first, last)], dim=2))
    return [
        [Span(p, int(first), int(last)) for p, first, last in row[: len(target) + 1]]
        for row, target in zip(torch.cat(parts, dim=1).tolist(), targets, strict=True)
    ]
