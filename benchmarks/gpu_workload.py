"""The text that the systems of the GPU benchmark train on: its sentences are as long as WMT's."""

import time
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from attnmt.config import Training
from attnmt.planning.text_size import Lengths
from attnmt.text.batches import Batch, ParallelText
from attnmt.text.encoded import EncodedText
from attnmt.training.step import Step
from benchmarks.products import wait

LONGEST = 50  # words
SEED = 1
RATE = 0.0  # the work is the same, and no weight diverges
FIRST_ID = 3  # after <unk>, <s> and </s>


@dataclass(frozen=True)
class Workload:
    """The batches that every system trains on."""

    batches: list[Batch]
    lengths: Lengths  # means
    target_words: int  # of all batches
    padding: float  # share of the positions that hold no word

    @classmethod
    def of(cls, text: ParallelText, recipe: Training, count: int) -> "Workload":
        """Take batches of an epoch, spread evenly over the lengths."""
        options = (recipe.batch_size, recipe.chunk_batches, recipe.shuffle)
        order = text.training_order(1, SEED, *options)
        order.sort(key=lambda rows: int(text.target.lengths[rows].max()))
        places = (np.arange(count) + 0.5) * len(order) / count
        batches = [text.batch(order[int(place)]) for place in places]
        pairs = sum(len(batch.lengths) for batch in batches)
        source = sum(int(batch.source_lengths.sum()) for batch in batches)
        target = sum(int(batch.lengths.sum()) for batch in batches)
        padding = 1 - (source + target) / sum(b.source.numel() + b.words.numel() for b in batches)
        return cls(batches, Lengths(source / pairs, target / pairs), target, padding)

    def train_once(self, step: Step, device: torch.device) -> tuple[float, float]:
        """Return how many seconds a pass over the batches takes, and how many the host is busy."""
        wait(device)
        started = time.perf_counter()
        for batch in self.batches:
            step(batch, RATE)
        host = time.perf_counter() - started
        wait(device)
        return time.perf_counter() - started, host


def drawn(pairs: int, vocabulary: tuple[int, int]) -> ParallelText:
    """Return pairs of sentences whose words follow Zipf's law.

    They are as long as WMT's: on average 26 source words, and 25 target words with ``</s>``.
    """
    rng = np.random.default_rng(SEED)
    target = rng.gamma(3, 25 / 3, pairs)
    source = 1.06 * target * np.exp(rng.normal(0, 0.2, pairs))

    def side(lengths: NDArray[np.float64], words: int) -> EncodedText:
        counts = np.clip(np.round(lengths), 1, LONGEST).astype(np.int64)
        ranks = (words - FIRST_ID) ** rng.random(counts.sum()) - 1
        offsets = np.concatenate([[0], np.cumsum(counts)])
        return EncodedText((FIRST_ID + ranks).astype(np.int32), offsets)

    return ParallelText(side(source, vocabulary[0]), side(target, vocabulary[1]), reverse=True)
