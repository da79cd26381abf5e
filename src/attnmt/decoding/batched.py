"""Whole texts through the search and the forced decoder, in batches of similar length."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from attnmt.config import Average
from attnmt.decoding.ensemble import Shares
from attnmt.decoding.forced import Forced, force
from attnmt.decoding.history import Candidate
from attnmt.decoding.search import Search, search
from attnmt.files.progress import Progress
from attnmt.model.translator import Ids, Translator

Result = TypeVar("Result")
MOST_UNITS = 32_768  # in a batch, padding counted; very long sentences come in small batches


def search_all(
    models: Sequence[Translator], sources: Sequence[Ids], options: Search, batch_size: int
) -> list[list[Candidate]]:
    """Return the finished translations of each source sentence, the best first.

    Args:
        models: one, or an ensemble.
        sources: the ids of each sentence in its own order.
        batch_size: sentences at once; it does not change the translations.
    """

    def one_batch(rows: list[int]) -> list[list[Candidate]]:
        finished = search(models, [sources[i] for i in rows], options)
        return [sorted(candidates, key=options.rank, reverse=True) for candidates in finished]

    return _by_length([len(ids) for ids in sources], batch_size, one_batch, "translate")


def force_all(
    models: Sequence[Translator],
    sources: Sequence[Ids],
    targets: Sequence[Ids],
    batch_size: int,
    average: Average = "logits",
    shares: Shares | None = None,
) -> list[Forced]:
    """Return what the models say about each given translation."""

    def one_batch(rows: list[int]) -> list[Forced]:
        texts = [sources[i] for i in rows], [targets[i] for i in rows]
        return force(models, *texts, average, shares)

    return _by_length([len(ids) for ids in targets], batch_size, one_batch, "force")


def _by_length(
    lengths: Sequence[int],
    batch_size: int,
    one_batch: Callable[[list[int]], list[Result]],
    what: str,
) -> list[Result]:
    """Run ``one_batch`` over rows sorted by length, longest first; return results in the rows' order."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    results: dict[int, Result] = {}
    with Progress(what, len(order), "sentences") as progress:
        while len(results) < len(order):
            start = len(results)
            longest = max(1, lengths[order[start]])
            rows = order[start : start + min(batch_size, max(1, MOST_UNITS // longest))]
            results |= zip(rows, one_batch(rows), strict=True)
            progress.update(len(rows))
    return [results[i] for i in range(len(lengths))]
