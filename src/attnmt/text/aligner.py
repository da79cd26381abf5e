"""Word alignment by SIL's Thot: its Eflomal model in both directions, and the links on which both agree.

The model is that of Östling and Tiedemann, "Efficient Word Alignment with Markov Chain Monte Carlo"
(PBML 2016): Gibbs sampling of IBM Model 1, then of an HMM, then of an HMM with fertilities. It stands in
for the paper's Berkeley Aligner, an HMM whose two directions are trained to agree. No package registry
has that aligner.
"""

import errno
import os
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from itertools import chain, pairwise
from multiprocessing import connection, get_context
from multiprocessing.context import ForkProcess
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from thot.alignment import EflomalAlignmentModel

from attnmt.corpora.links import Links
from attnmt.errors import FULL
from attnmt.files.progress import progress

Pair = tuple[list[str], list[str]]  # the tokens of a sentence and its translation
SYSTEM = f"Thot {version('sil-thot')}, Eflomal"
SEED = 2015
LONGEST = 1024  # words of the longest sentence that the model takes


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

    Raises:
        MemoryError: if a process was killed, as Linux does when memory is short.
        OSError: if the disk is full.
        RuntimeError: if a process ended otherwise, after it has shown why.
    """
    with TemporaryDirectory(dir=folder) as temporary:
        place = Path(temporary)
        count = _write(pairs, place) + len(others)
        context = get_context("fork")  # which loads nothing again
        workers = [
            context.Process(target=_learn, args=(place, others, step, part)) for step in (1, -1)
        ]
        try:
            for worker in workers:
                worker.start()
            _wait(workers)
        finally:
            for worker in workers:
                if worker.pid:
                    worker.kill()
                    worker.join()
        forward, backward = (
            np.frombuffer((place / f"links{step}").read_bytes(), np.int64) for step in (1, -1)
        )
    links = np.intersect1d(forward, backward, assume_unique=True)
    ends = np.searchsorted(links, np.arange(count + 1) * LONGEST**2).tolist()
    source, target = np.divmod(links % LONGEST**2, LONGEST)
    for begin, end in pairwise(ends):
        yield list(zip(source[begin:end].tolist(), target[begin:end].tolist(), strict=True))


def _write(pairs: Iterable[Pair], folder: Path) -> int:
    """Write both sides as Thot reads them, one pair at a time; return the number of pairs."""
    count = 0
    with (
        (folder / "source").open("w", encoding="utf-8") as source,
        (folder / "target").open("w", encoding="utf-8") as target,
    ):
        for words, translation in pairs:
            count += 1
            source.write(" ".join(words) + "\n")
            target.write(" ".join(translation) + "\n")
    return count


def _wait(workers: Sequence[ForkProcess]) -> None:
    """Wait until all processes have ended well, or one of them has not."""
    running = list(workers)
    while running:
        connection.wait([worker.sentinel for worker in running])
        ended = [worker for worker in running if worker.exitcode is not None]
        for worker in ended:
            code = worker.exitcode
            if code in (-signal.SIGKILL, errno.ENOMEM):
                raise MemoryError
            if code in FULL:
                raise OSError(code, os.strerror(code))
            if code:
                raise RuntimeError(f"a process that aligns ended with status {code}")
        running = [worker for worker in running if worker not in ended]


def _learn(folder: Path, others: Sequence[Pair], step: int, part: str) -> None:
    """Write the links of a direction: (pair * LONGEST + source word) * LONGEST + target word.

    Args:
        step: 1 to link source words to target words, -1 for the other direction.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the process that started this one
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
        signal.signal(number, signal.SIG_DFL)
    try:
        model = _model()
        model.read_sentence_pairs(*(str(folder / side) for side in ("source", "target")[::step]))
        model.start_training()
        total = model.scheduled_iterations
        # The other direction takes as long and is silent.
        said = progress(range(total), f"{part}, aligning", total, "iterations")
        for _ in said if step > 0 else range(total):
            model.train()
        model.end_training()
        (folder / f"links{step}").write_bytes(_links(model, others, step).tobytes())
    except MemoryError:
        sys.exit(errno.ENOMEM)
    except OSError as error:
        sys.exit(error.errno)


def _links(model: EflomalAlignmentModel, others: Sequence[Pair], step: int) -> NDArray[np.int64]:
    """Return what a model that has learned links, in its own pairs and in others."""
    matrices = chain(
        (model.get_training_alignment(number)[1] for number in range(model.num_sentence_pairs)),
        (model.get_best_alignment(*pair[::step])[1] if _fits(pair) else None for pair in others),
    )
    links = [np.empty(0, np.int64)]
    for number, matrix in enumerate(matrices):
        if matrix is not None:
            source, target = np.nonzero(matrix.to_numpy())[::step]
            links.append((number * LONGEST + source) * LONGEST + target)
    return np.concatenate(links)


def _fits(pair: Pair) -> bool:
    return min(map(len, pair)) > 0 and max(map(len, pair)) <= LONGEST


def _model() -> EflomalAlignmentModel:
    model = EflomalAlignmentModel()
    model.seed = SEED
    model.deterministic = True
    model.emit_training_alignments = True  # the sampler's links; aligning again is worse
    return model
