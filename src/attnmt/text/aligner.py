"""Word alignment by SIL's Thot: its Eflomal model in both directions, and the links on which both agree.

The model is that of Östling and Tiedemann, "Efficient Word Alignment with Markov Chain Monte Carlo"
(PBML 2016): Gibbs sampling of IBM Model 1, then of an HMM, then of an HMM with fertilities. It stands in
for the paper's Berkeley Aligner, an HMM whose two directions are trained to agree. No package registry
has that aligner.
"""

import signal
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from importlib.metadata import version
from itertools import chain, pairwise
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from thot.alignment import EflomalAlignmentModel

from attnmt.corpora.links import Links
from attnmt.files.progress import Progress

Pair = tuple[list[str], list[str]]  # the tokens of a sentence and its translation
SYSTEM = f"Thot {version('sil-thot')}, Eflomal"
SEED = 2015
LONGEST = 1024  # words of the longest sentence that the model takes
_Worker = tuple[ForkProcess, Connection]  # of one direction, and where it is heard
# How many pairs a direction links, and its links: (pair * LONGEST + source word) * LONGEST + target word
_Linked = tuple[int, NDArray[np.int64]]


def align(
    pairs: Iterable[Pair], others: Sequence[Pair], part: str, folder: Path
) -> Iterator[Links]:
    """Learn from pairs of tokenized sentences; return the links of each, then of other pairs.

    A link must be the most probable one in both directions. Such links are precise rather than
    complete, which suits a dictionary. They depend only on the pairs that are learned from. The
    fewer they are, the more often Thot's sampler visits each of them. A pair has no links if a side is
    empty or has more than ``LONGEST`` words.

    Each direction is learned in a process of its own, because Thot lets no other thread run. Both
    together take some 8 kB of memory for each pair of WMT's length.

    Args:
        part: what ``pairs`` are called where it is said how far the work is.
        folder: where the text lies meanwhile as Thot reads it.

    Raises:
        MemoryError: if a process was killed, as Linux does when memory is short.
    """
    (count, forward), (_, backward) = _both_directions(pairs, others, part, folder)
    links = np.intersect1d(forward, backward, assume_unique=True)
    ends = np.searchsorted(links, np.arange(count + 1) * LONGEST**2).tolist()
    source, target = np.divmod(links % LONGEST**2, LONGEST)
    for begin, end in pairwise(ends):
        yield list(zip(source[begin:end].tolist(), target[begin:end].tolist(), strict=True))


def _both_directions(
    pairs: Iterable[Pair], others: Sequence[Pair], part: str, folder: Path
) -> list[_Linked]:
    """Return what both directions link; say meanwhile how far they are."""
    context = get_context("fork")  # which loads nothing again
    workers: list[_Worker] = []
    try:
        with TemporaryDirectory(dir=folder) as texts:
            files = _write(pairs, Path(texts))
            for step in (1, -1):
                receiver, sender = context.Pipe(duplex=False)
                receivers = [*(other for _, other in workers), receiver]
                args = files[::step], others, step, sender, receivers
                process = context.Process(target=_learn, args=args, daemon=True)
                process.start()
                workers.append((process, receiver))
                sender.close()  # the process has the only copy, so its end is noticed
            iterations = [_received(worker) for worker in workers]
        with Progress(f"{part}, aligning", sum(iterations), "iterations") as said:
            for number in range(max(iterations)):
                for worker, count in zip(workers, iterations, strict=True):
                    if number < count:
                        _received(worker)
                        said.update()
        return [_received(worker) for worker in workers]
    finally:
        for process, _ in workers:
            process.kill()
            process.join()


def _write(pairs: Iterable[Pair], folder: Path) -> tuple[Path, Path]:
    """Write both sides as Thot reads them: one pair at a time, so that no process keeps them."""
    files = folder / "source", folder / "target"
    with (
        files[0].open("w", encoding="utf-8") as source,
        files[1].open("w", encoding="utf-8") as target,
    ):
        for words, translation in pairs:
            source.write(" ".join(words) + "\n")
            target.write(" ".join(translation) + "\n")
    return files


def _received(worker: _Worker) -> Any:
    """Return what a process sends next.

    Raises:
        MemoryError: if the process was killed, as Linux ends what takes too much memory.
        RuntimeError: if it ended otherwise.
    """
    process, receiver = worker
    try:
        message = receiver.recv()
    except EOFError:
        process.join()
        if process.exitcode == -signal.SIGKILL:
            raise MemoryError from None
        raise RuntimeError(f"a process that aligns ended with status {process.exitcode}") from None
    if isinstance(message, Exception):
        raise message
    return message


def _learn(
    files: tuple[Path, Path],
    others: Sequence[Pair],
    step: int,
    sender: Connection,
    receivers: Sequence[Connection],
) -> None:
    """Send the number of iterations, None after each of them, and the links.

    Args:
        files: the side whose words are linked, and the other. They may go when the number is sent.
        step: 1 to link source words to target words, -1 for the other direction.
        receivers: those of the process that started this one. They are closed here, so that nothing
            waits for ever if that process is killed.
    """
    for receiver in receivers:
        receiver.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the process that started this one
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
        signal.signal(number, signal.SIG_DFL)
    try:
        model = _model()
        model.read_sentence_pairs(*map(str, files))
        model.start_training()
        sender.send(model.scheduled_iterations)
        for _ in range(model.scheduled_iterations):
            model.train()
            sender.send(None)
        model.end_training()
        sender.send(_links(model, others, step))
    except Exception as error:
        with suppress(BrokenPipeError):  # nobody is there to hear
            sender.send(error)


def _links(model: EflomalAlignmentModel, others: Sequence[Pair], step: int) -> _Linked:
    """Return what a model that has learned links, in its own pairs and in others."""
    learned = range(model.num_sentence_pairs)
    matrices = chain(
        (model.get_training_alignment(number)[1] for number in learned),
        (model.get_best_alignment(*pair[::step])[1] if _fits(pair) else None for pair in others),
    )
    links = [np.empty(0, np.int64)]
    for number, matrix in enumerate(matrices):
        if matrix is not None:
            source, target = np.nonzero(matrix.to_numpy())[::step]
            links.append((number * LONGEST + source) * LONGEST + target)
    return len(learned) + len(others), np.concatenate(links)


def _fits(pair: Pair) -> bool:
    return min(map(len, pair)) > 0 and max(map(len, pair)) <= LONGEST


def _model() -> EflomalAlignmentModel:
    model = EflomalAlignmentModel()
    model.seed = SEED
    model.deterministic = True
    model.emit_training_alignments = True  # the sampler's links; aligning again is worse
    return model
