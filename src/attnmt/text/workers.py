"""Several processes work on one long text; results come in order, and memory is bounded."""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from typing import Any, TypeVar

from attnmt.errors import InputError

Item = TypeVar("Item")
Result = TypeVar("Result")

CHUNK = 10_000  # items of a piece of work
SMALL = 5  # so few chunks are done before processes would have started
# This module imports what workers need. Otherwise each worker would spend half a second on imports.
PRELOADED = "attnmt.text.encode"


def map_chunks(
    work: Callable[[int, list[Item]], Result], items: Iterable[Item], workers: int
) -> Iterator[Result]:
    """Yield what ``work`` makes of each chunk of ``items``, in their order.

    At most two chunks for each worker wait or are worked on. However this process ends, its workers
    end, too.

    Args:
        work: takes the number of a chunk's first item, counted from 1, and the chunk. It is sent to
            each worker once, by pickle.
        workers: processes beside this one; with 1, or few items, this one does the work.

    Raises:
        InputError: if ``work`` raises one, or if the system killed a worker.
    """
    chunks = _chunks(items)
    if workers > 1:
        first = list(islice(chunks, SMALL + 1))
        if len(first) > SMALL:
            return _in_processes(work, chain(first, chunks), workers)
        chunks = iter(first)
    return (work(number, chunk) for number, chunk in chunks)


def _chunks(items: Iterable[Item]) -> Iterator[tuple[int, list[Item]]]:
    remaining, number = iter(items), 1
    while chunk := list(islice(remaining, CHUNK)):
        yield number, chunk
        number += len(chunk)


def _in_processes(
    work: Callable[[int, list[Item]], Result],
    chunks: Iterable[tuple[int, list[Item]]],
    workers: int,
) -> Iterator[Result]:
    # A fork of this process would inherit the locks of its threads. The fork server has no threads.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([PRELOADED])
    pending: deque[Future[Result]] = deque()
    with ProcessPoolExecutor(workers, context, _begin, (work,)) as pool:
        try:
            for number, chunk in chunks:
                pending.append(pool.submit(_work_on, number, chunk))
                if len(pending) == 2 * workers:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        except BrokenProcessPool:
            raise InputError(
                "a worker process was killed, most likely because memory ran out; grant more, or lower "
                "machine.workers"
            ) from None
        finally:
            pool.shutdown(cancel_futures=True)


_work: Callable[[int, list[Any]], Any]


def _begin(work: Callable[[int, list[Any]], Any]) -> None:
    """Take the work that this worker will do."""
    global _work
    _work = work
    # Ctrl-C reaches every process, and the first one ends all others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this worker when its parent is gone. A parent that is killed cannot tell its workers."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work_on(number: int, chunk: list[Any]) -> Any:
    return _work(number, chunk)
