"""One model, or several that decode as one: their joint probabilities and joint attention."""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce

import torch
from torch import Tensor

from attnmt.model.decoders import DecoderState
from attnmt.model.loss import rows_at_once
from attnmt.model.luong import LuongNMT
from attnmt.text.vocabulary import EOS

FEWEST = 256  # hypotheses whose logits are computed at once; more would only take more memory
BLOCK = 64  # columns of which the maximum is taken


def log_probabilities(logits: Iterable[Tensor], members: int) -> Tensor:
    """Return log p, [.., V], from the members' logits, each [.., V], which are overwritten.

    The mean is taken over the logits, before one softmax, as in the authors' program. It gives the
    normalized geometric mean of the members' probabilities.
    """
    total = reduce(Tensor.add_, logits)
    total = total if members == 1 else total.div_(members)
    return torch.log_softmax(total, dim=-1, out=total)


def _in_chunks(models: Sequence[LuongNMT], h: Sequence[Tensor]) -> Iterator[Tensor]:
    """Yield log p, [.., V], of a few hypotheses at a time: no more than ``rows_at_once`` allows.

    Args:
        h: what each member's step gave, [N, K, n].
    """
    rows = rows_at_once(models[0].target_words, models[0].device, FEWEST)
    for members_h in zip(*(part.flatten(0, 1).split(rows) for part in h), strict=True):
        logits = (model.logits(part) for model, part in zip(models, members_h, strict=True))
        yield log_probabilities(logits, len(models))


def best_words(
    models: Sequence[LuongNMT], h: Sequence[Tensor], count: int, ends: bool
) -> tuple[Tensor, Tensor]:
    """Return log p and ids of the most probable words, the best first, each [N, K, count].

    If the vocabulary has fewer words, all are returned.

    Args:
        h: what each member's step gave, [N, K, n].
        ends: whether ``</s>`` is a word that may follow; if not, its log p is -inf.
    """
    V = models[0].target_words
    chunks = []
    for log_p in _in_chunks(models, h):
        if not ends:
            log_p[:, EOS] = -torch.inf
        chunks.append(largest(log_p, min(count, V)))
        del log_p  # before the next logits take as much memory
    values, words = (torch.cat(parts) for parts in zip(*chunks, strict=True))
    shape = h[0].shape[:2]
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


def joint_attention(
    members: Sequence[DecoderState], weights: Sequence[Tensor | None]
) -> tuple[Tensor, Tensor] | None:
    """Return the mean of the attentional members' weights [N, K, M], and their columns' positions.

    All have the same positions (``DecoderState.positions``). None if no member has attention.
    """
    present = [i for i, a in enumerate(weights) if a is not None]
    if not present or (positions := members[present[0]].positions) is None:
        return None
    stacked = torch.stack([a for a in weights if a is not None])
    return stacked.mean(dim=0), positions


def is_word(positions: Tensor, lengths: Tensor) -> Tensor:
    """Return which columns are words and not padding, [N, M]; ``lengths`` counts the words, [N]."""
    return (positions >= 0) & (positions < lengths[:, None])


def attended(weights: Tensor, positions: Tensor, lengths: Tensor) -> Tensor:
    """Return the source position of the largest weight, [N, K]; among equals, that of the first column.

    Args:
        weights: the members' joint weights, [N, K, M].
        positions: see ``DecoderState.positions``.
        lengths: the words of each sentence, [N].
    """
    # With the fault of unmasked padding, padding has weight too, but no word is linked to it.
    words = is_word(positions, lengths)[:, None]
    return positions.gather(1, weights.masked_fill(~words, -1).argmax(dim=-1))
