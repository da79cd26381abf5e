"""Whole texts through the search and the forced decoder, in batches of similar length."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from attnmt.config import Average
from attnmt.decoding.forced import Forced, attention, force
from attnmt.decoding.history import Candidate
from attnmt.decoding.search import Search, search
from attnmt.model.translator import Translator
from attnmt.text.batches import Batch, make_batch, pad_source

Ids = NDArray[np.int32]
Result = TypeVar("Result")
MOST_UNITS = 32_768  # in a batch, padding counted; very long sentences come in small batches


def translate(
    models: Sequence[Translator], sources: Sequence[Ids], options: Search, batch_size: int
) -> list[list[Candidate]]:
    """Return the finished translations of each source sentence, the best first.

    Args:
        models: one, or an ensemble.
        sources: the ids of each sentence in its own order.
        batch_size: sentences at once; it does not change the translations.
    """
    reverse, device = models[0].config.system.reverse, models[0].W_s.device

    def one_batch(rows: list[int]) -> list[list[Candidate]]:
        source, lengths = pad_source([sources[i] for i in rows], reverse)
        finished = search(models, source.to(device), lengths.to(device), options)
        return [sorted(candidates, key=lambda c: -c.score) for candidates in finished]

    size = _size(models, batch_size)
    return _by_length([len(ids) for ids in sources], size, one_batch, "translate")


def force_all(
    models: Sequence[Translator],
    sources: Sequence[Ids],
    targets: Sequence[Ids],
    batch_size: int,
    average: Average = "logits",
) -> list[Forced]:
    """Return the score and the attended positions of each given translation."""

    def one_batch(batch: Batch) -> list[Forced]:
        return force(models, batch, average)

    return _over_pairs(models, sources, targets, batch_size, one_batch)


def attention_of_all(
    models: Sequence[Translator], sources: Sequence[Ids], targets: Sequence[Ids], batch_size: int
) -> list[NDArray[np.floating]]:
    """Return the weights of each given translation, [T, S]; the models have attention."""

    def one_batch(batch: Batch) -> list[NDArray[np.floating]]:
        return attention(models, batch)

    return _over_pairs(models, sources, targets, batch_size, one_batch)


def _over_pairs(
    models: Sequence[Translator],
    sources: Sequence[Ids],
    targets: Sequence[Ids],
    batch_size: int,
    one_batch: Callable[[Batch], list[Result]],
) -> list[Result]:
    reverse, device = models[0].config.system.reverse, models[0].W_s.device

    def one_batch_of_rows(rows: list[int]) -> list[Result]:
        pairs = [sources[i] for i in rows], [targets[i] for i in rows]
        return one_batch(make_batch(*pairs, reverse).to(device))

    size = _size(models, batch_size)
    return _by_length([len(ids) for ids in targets], size, one_batch_of_rows, "force")


def _size(models: Sequence[Translator], batch_size: int) -> int:
    """Return the size of batches: one sentence if a model would otherwise attend to padding."""
    faulty = any("unmasked_padding" in model.config.system.faults for model in models)
    return 1 if faulty else batch_size


def _by_length(
    lengths: Sequence[int],
    batch_size: int,
    one_batch: Callable[[list[int]], list[Result]],
    what: str,
) -> list[Result]:
    """Run ``one_batch`` over rows sorted by length, longest first; return results in the rows' order."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    results: dict[int, Result] = {}
    # Inside a caller's bar, this one is cleared when full. Work of less than a second shows no bar.
    bar = tqdm(desc=what, total=len(order), unit="sentence", disable=None, leave=None, delay=1)
    with bar:
        while len(results) < len(order):
            start = len(results)
            longest = max(1, lengths[order[start]])
            rows = order[start : start + min(batch_size, max(1, MOST_UNITS // longest))]
            results |= zip(rows, one_batch(rows), strict=True)
            bar.update(len(rows))
    return [results[i] for i in range(len(lengths))]
