"""The work, which is the same for every system: model sizes, and batches of Multi30k's sentence pairs.

Ids are ``<unk>``, ``<s>``, ``</s>``, then words by falling frequency. The last id of a vocabulary is
padding and never a word, because OpenNMT-py keeps a row of every matrix for padding.
"""

import itertools
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attnmt.config import ModelShape, System, load_params
from attnmt.errors import InputError
from attnmt.files.text_file import read_lines
from attnmt.layout import Layout
from attnmt.model.luong import ModelConfig
from attnmt.text.batches import ParallelText
from attnmt.text.encoded import EncodedText
from attnmt.text.vocabulary import BOS, EOS, build_vocabulary

Ids = NDArray[np.int32]
FOLDER = Path("data/benchmarks")  # files that the benchmarks write; not in git
EXPERIMENT = Path("experiments/captions/params.yaml")
SOURCE, TARGET = "en", "de"
TEST = "test_2016_flickr"
SEED = 1
# The settings of both programs. The loss is summed over the batch and divided by its sentences.
DROPOUT, INIT, LEARNING_RATE, CLIP_NORM = 0.2, 0.1, 1.0, 5.0
BEAM = 5


@dataclass(frozen=True)
class Size:
    """A model and its batches."""

    layers: int
    cells: int
    words: int  # entries of each vocabulary, with padding
    batch: int  # sentence pairs
    round: int  # batches in a round
    warm_up: int  # batches before the first round

    @property
    def pad(self) -> int:
        """The id of padding."""
        return self.words - 1

    def config(self, dropout: float = DROPOUT) -> ModelConfig:
        """Return a model with Luong's global attention, the general score and input feeding."""
        system = System(attention="global", score="general", input_feeding=True, dropout=dropout)
        shape = ModelShape(
            layers=self.layers, size=self.cells, window_D=10, location_slots=50, init=INIT
        )
        return ModelConfig(system, shape, self.words, self.words)


SIZES = {
    "small": Size(layers=2, cells=256, words=10_000, batch=64, round=20, warm_up=3),
    "medium": Size(layers=2, cells=512, words=10_000, batch=128, round=8, warm_up=2),
    "paper": Size(layers=4, cells=1000, words=50_000, batch=128, round=1, warm_up=1),
}


class Pairs(NamedTuple):
    """The sentence pairs of a batch, without ``<s>`` and ``</s>``."""

    sources: list[Ids]
    targets: list[Ids]


class Padded(NamedTuple):
    """A batch as OpenNMT-py reads it, padded on the right."""

    source: Tensor  # [N, M]
    source_lengths: Tensor  # [N]
    target: Tensor  # <s> y_1 .. y_T </s>, [N, T + 2]


class Text:
    """Multi30k as ids. Both vocabularies have the same size."""

    def __init__(self, size: Size, tokens: Path) -> None:
        """Number the words of the token files in ``tokens``; the last id is left for padding."""
        self.size = size
        lines = {k: read_lines(tokens / f"train.{k}") for k in (SOURCE, TARGET)}
        words = {
            k: build_vocabulary(
                Counter(word for line in lines[k] for word in line.split()), size.words - 1
            )
            for k in (SOURCE, TARGET)
        }
        train = {k: [words[k].encode(line.split()) for line in lines[k]] for k in (SOURCE, TARGET)}
        self.train = ParallelText(_flat(train[SOURCE]), _flat(train[TARGET]), reverse=False)
        test = read_lines(tokens / f"{TEST}.{SOURCE}")
        self.sources = [_ids(words[SOURCE].encode(line.split())) for line in test]

    def epoch(self, number: int) -> list[Pairs]:
        """Return the batches of an epoch, counted from 1; the pairs of a batch have similar lengths."""
        order = self.train.training_order(number, SEED, self.size.batch, 100, "corpus")
        return [self._pairs(rows) for rows in order]

    def batches(self, count: int) -> list[Pairs]:
        """Return the first batches of a training.

        Raises:
            InputError: if an epoch has fewer batches.
        """
        epoch = self.epoch(1)
        if count > len(epoch):
            raise InputError(f"{count} batches asked for, but an epoch has {len(epoch)}")
        return epoch[:count]

    def epochs(self) -> Iterator[Pairs]:
        """Yield the batches of epoch after epoch, without end."""
        for number in itertools.count(1):
            yield from self.epoch(number)

    def _pairs(self, rows: NDArray[np.int64]) -> Pairs:
        source, target = self.train.source, self.train.target
        return Pairs([source[i] for i in rows], [target[i] for i in rows])


def tokens() -> Path:
    """Return the folder of the tokens of captions; if there are none, run the stages that make them."""
    layout = Layout(load_params(EXPERIMENT).experiment)
    if not (layout.tokens / "summary.json").exists():
        for stage in ("corpus", "tokens"):
            subprocess.run([sys.executable, f"stages/{stage}.py", EXPERIMENT], check=True)
    return layout.tokens


def padded(pairs: Pairs, pad: int) -> Padded:
    """Pad both sides on the right."""
    lengths = torch.tensor([len(ids) for ids in pairs.sources])
    targets = [np.array([BOS, *ids, EOS]) for ids in pairs.targets]
    return Padded(pad_right(pairs.sources, pad), lengths, pad_right(targets, pad))


def pad_right(sentences: Sequence[NDArray[np.integer]], pad: int) -> Tensor:
    """Return ids [N, M], padded on the right."""
    rows = [torch.from_numpy(ids.astype(np.int64)) for ids in sentences]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=pad)


def target_words(pairs: Pairs) -> int:
    """Return how many words a batch predicts; ``</s>`` counts, padding does not."""
    return sum(len(ids) + 1 for ids in pairs.targets)


def by_length(lengths: Sequence[int], batch: int) -> list[list[int]]:
    """Return rows in batches of similar length, the longest first."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    return [order[i : i + batch] for i in range(0, len(order), batch)]


def _ids(words: list[int]) -> Ids:
    return np.array(words, dtype=np.int32)


def _flat(lines: list[list[int]]) -> EncodedText:
    offsets = np.cumsum([0, *map(len, lines)], dtype=np.int64)
    return EncodedText(_ids([i for line in lines for i in line]), offsets)
