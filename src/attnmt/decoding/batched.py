"""Whole texts through the search and the forced decoder, in batches of similar length."""

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from threading import Barrier, Lock
from typing import TypeVar

import torch

from attnmt.decoding.forced_decoding import Forced, force
from attnmt.decoding.search import Hypothesis, Search, search
from attnmt.files.progress import Progress
from attnmt.model.luong import Ids, LuongNMT

# Held while a pool starts, because torch gives the number that its threads take to all new ones
_SHARED_OUT = Lock()
Result = TypeVar("Result")
SIGNAL_SECONDS = 0.2  # for which a signal may wait
MOST_UNITS = 32_768  # in a batch, padding counted; very long sentences come in small batches


def search_all(
    models: Sequence[LuongNMT], sources: Sequence[Ids], options: Search, batch_size: int
) -> list[list[Hypothesis]]:
    """Return the finished translations of each source sentence, the best first.

    Args:
        models: one, or an ensemble.
        sources: the ids of each sentence in its own order.
        batch_size: sentences at once; it does not change the translations.
    """

    def one_batch(rows: list[int]) -> list[list[Hypothesis]]:
        finished = search(models, [sources[i] for i in rows], options)
        return [sorted(candidates, key=options.rank, reverse=True) for candidates in finished]

    return _by_length(
        [len(ids) for ids in sources], batch_size, one_batch, "translate", models[0].device
    )


def force_all(
    models: Sequence[LuongNMT],
    sources: Sequence[Ids],
    targets: Sequence[Ids],
    batch_size: int,
) -> list[Forced]:
    """Return what the models say about each given translation."""

    def one_batch(rows: list[int]) -> list[Forced]:
        texts = [sources[i] for i in rows], [targets[i] for i in rows]
        return force(models, *texts)

    return _by_length(
        [len(ids) for ids in targets], batch_size, one_batch, "force", models[0].device
    )


def _by_length(
    lengths: Sequence[int],
    batch_size: int,
    one_batch: Callable[[list[int]], list[Result]],
    what: str,
    device: torch.device,
) -> list[Result]:
    """Run ``one_batch`` over rows sorted by length, longest first; return results in the rows' order."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    batches = []
    while order:
        size = min(batch_size, max(1, MOST_UNITS // max(1, lengths[order[0]])))
        batches.append(order[:size])
        order = order[size:]
    results: dict[int, Result] = {}
    side_by_side = _side_by_side(one_batch, batches, device)
    with Progress(what, len(lengths), "sentences") as progress, closing(side_by_side):
        for rows, batch in zip(batches, side_by_side, strict=True):
            results |= zip(rows, batch, strict=True)
            progress.update(len(rows))
    return [results[i] for i in range(len(lengths))]


def _side_by_side(
    one_batch: Callable[[list[int]], Result], batches: Sequence[list[int]], device: torch.device
) -> Generator[Result]:
    """Yield the results of batches in their order.

    On a processor, torch's threads share out the batches. Threads that share an operation wait for each
    other at its end; with batches of their own they never wait. Ctrl-C does not wait for the batches
    that run: they go on until they or the process end, and no other begins.
    """
    if device.type == "cpu" and (pool := _pool(len(batches))):
        wanted = True
        try:
            for result in [pool.submit(one_batch, rows) for rows in batches]:
                # A signal that comes just before a wait begins is seen when it ends.
                while wait([result], SIGNAL_SECONDS).not_done:
                    pass
                yield result.result()
        except (KeyboardInterrupt, SystemExit, GeneratorExit):
            wanted = False
            raise
        finally:
            pool.shutdown(wait=wanted, cancel_futures=True)
    else:
        yield from map(one_batch, batches)


def _keep_few(threads: int) -> None:
    """Let this thread have so many threads of its own, whatever others set later."""
    torch.set_num_threads(threads)
    torch.get_num_threads()  # a thread's first use takes the number that was set last anywhere


def _pool(most: int) -> ThreadPoolExecutor | None:
    """Return up to ``most`` threads that share out torch's; None if there are not two of these."""
    with _SHARED_OUT:
        threads = torch.get_num_threads()
        workers = min(threads, most)
        if workers < 2:
            return None
        few, begun = threads // workers, Barrier(workers + 1)
        pool = ThreadPoolExecutor(workers, initializer=_keep_few, initargs=(few,))
        try:
            for _ in range(workers):
                pool.submit(begun.wait)
            begun.wait()
        except BaseException:
            begun.abort()  # or those that wait would keep the process from ending
            raise
        torch.set_num_threads(threads)  # for threads that start later
        return pool
