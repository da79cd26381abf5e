"""One model, or several that decode as one: their joint probabilities and joint attention."""

import math
from collections.abc import Iterable, Sequence
from functools import reduce

import torch
from torch import Tensor

from attnmt.config import Average, LinkStep
from attnmt.model.attention.memory import Memory
from attnmt.model.logits import rows_at_once
from attnmt.model.translator import Translator

BLOCK = 64  # columns of which the maximum is taken
SHIFTS: dict[LinkStep, int] = {"same": 0, "next": 1}  # word t is linked by step t + shift


def log_probabilities(logits: Iterable[Tensor], members: int, average: Average) -> Tensor:
    """Return log p, [.., V], from the members' logits, each [.., V], which are overwritten.

    The average ``logits`` is taken over the logits, before one softmax, as in the authors' program. It
    gives the normalized geometric mean of the members' probabilities. The average ``probabilities`` is
    taken over the probabilities themselves.
    """
    if average == "logits":
        total = reduce(Tensor.add_, logits)
        total = total if members == 1 else total.div_(members)
        return torch.log_softmax(total, dim=-1, out=total)
    log_p = (torch.log_softmax(part, dim=-1, out=part) for part in logits)
    return reduce(torch.logaddexp, log_p) - math.log(members)


def best_words(
    models: Sequence[Translator],
    h_tilde: Sequence[Tensor],
    average: Average,
    count: int,
    excluded: int | None,
) -> tuple[Tensor, Tensor]:
    """Return log p and ids of the most probable words, the best first, each [N, K, count].

    If the vocabulary has fewer words, all are returned. No more logits are held at once than
    ``rows_at_once`` allows.

    Args:
        h_tilde: the h~ of each member, [N, K, n].
        excluded: the id of a word that must not be returned, or None.
    """
    V = len(models[0].W_s)
    rows = rows_at_once(models[0].W_s)
    chunks = []
    for members_h in zip(*(h.flatten(0, 1).split(rows) for h in h_tilde), strict=True):
        logits = (model.logits(h) for model, h in zip(models, members_h, strict=True))
        log_p = log_probabilities(logits, len(models), average)
        if excluded is not None:
            log_p[:, excluded] = -torch.inf
        chunks.append(largest(log_p, min(count, V)))
    values, words = (torch.cat(parts) for parts in zip(*chunks, strict=True))
    shape = h_tilde[0].shape[:2]
    return values.unflatten(0, shape), words.unflatten(0, shape)


def largest(x: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Return the largest entries of each row of x [R, V] and their columns, each [R, count].

    The entries come in falling order. ``topk`` of whole rows gives the same, but takes several times as
    long as a maximum. So ``topk`` reads only the blocks with the largest maxima, which hold the largest
    entries.
    """
    V = x.shape[1]
    blocks = V // BLOCK
    if blocks <= count:
        values, columns = x.topk(count)
        return values, columns
    whole = x[:, : blocks * BLOCK].unflatten(1, (blocks, BLOCK))
    chosen = whole.amax(dim=2).topk(count, sorted=False).indices
    columns = chosen[:, :, None] * BLOCK + torch.arange(BLOCK, device=x.device)
    after_blocks = torch.arange(blocks * BLOCK, V, device=x.device).expand(len(x), -1)
    columns = torch.cat([columns.flatten(1), after_blocks], dim=1)
    values, places = x.gather(1, columns).topk(count)
    return values, columns.gather(1, places)


def averaged(weights: Sequence[Tensor | None]) -> Tensor | None:
    """Return the mean of the weights of the attentional members; None if there is no such member."""
    present = [a for a in weights if a is not None]
    return torch.stack(present).mean(dim=0) if present else None


def attended(weights: Tensor | None, memories: Sequence[Memory | None]) -> Tensor | None:
    """Return the source position of the largest weight, [N, K]; among equals, that of the first column.

    Args:
        weights: [N, K, M]; None gives None.
        memories: those of the members; at least one is attentional if there are weights.
    """
    memory = next((m for m in memories if m is not None), None)
    if weights is None or memory is None:
        return None
    # With the fault of unmasked padding, padding has weight too, but no word is linked to it.
    columns = weights.masked_fill(~memory.words, -1).argmax(dim=-1)
    return memory.positions.gather(1, columns)


def authors_step(models: Sequence[Translator]) -> LinkStep:
    """Return the step at which the authors' program reads the weights that link a word.

    The score says which one (``Score.authors_step``): the word's own step or the next, where the word
    is the input. An ensemble is read at the next step if any member is. A GRU computes its weights
    before its step, so they are read at the word's own step, whatever the score is.
    """
    late = any(
        model.config.shape.cell == "lstm"
        and model.decoder.attention is not None
        and model.decoder.attention.score.authors_step == "next"
        for model in models
    )
    return "next" if late else "same"
