"""One system in a process of its own, which does what it is told and then waits.

It reads commands from standard input and answers on standard output; each is a line with a JSON object.
What the system itself prints goes to standard error.
"""

import json
import os
import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
import typer
from safetensors.torch import save_file

from attnmt.files.atomic import atomic_path
from attnmt.model.instructions import keep_to_avx2
from attnmt.training.machine import keep_freed_memory, peak_memory
from benchmarks import products
from benchmarks.systems import build_decoder, build_trainer, build_whole_trainer
from benchmarks.workload import (
    LEARNING_RATE,
    SEED,
    SIZES,
    TEST,
    Pairs,
    Size,
    Text,
    digest,
    target_words,
)

Answer = dict[str, Any]
CPU = torch.device("cpu")
SCORED = 64  # sentences at once, where a trained model is scored


class TrainingWorker:
    """A worker that trains a model."""

    def __init__(self, name: str, size: Size, tokens: Path, batches: int, dropout: float) -> None:
        self._text = Text(size, tokens)
        self._batches = self._text.batches(batches)
        self._trainer = build_trainer(name, size, dropout)
        self._before = peak_memory(CPU)

    def describe(self) -> Answer:
        """Describe the model and the batches that were loaded."""
        parameters = self._trainer.model.parameters()
        return {
            "parameters": sum(p.numel() for p in parameters if p.requires_grad),
            "batches": digest(self._batches),
        }

    def train(self, first: int, count: int) -> Answer:
        """Train on ``count`` batches from ``first`` on; they are prepared before the clock starts."""
        pairs = self._batches[first : first + count]
        batches = [self._trainer.prepare(batch) for batch in pairs]
        faults, started = _faults(), time.perf_counter()
        losses = [self._trainer.train(batch) for batch in batches]
        return {
            "seconds": time.perf_counter() - started,
            "words": sum(map(target_words, pairs)),
            "losses": [
                loss / target_words(batch) for loss, batch in zip(losses, pairs, strict=True)
            ],
            "page_faults": _faults() - faults,
            "memory": peak_memory(CPU),
            "memory_before": self._before,
        }

    def fit(self, seconds: float, path: str) -> Answer:
        """Train for some time and write the weights."""
        words, started = 0, time.perf_counter()
        for pairs in self._text.epochs():
            if time.perf_counter() - started > seconds:
                break
            self._trainer.train(self._trainer.prepare(pairs))
            words += target_words(pairs)
        with atomic_path(Path(path)) as partial:
            save_file(self._trainer.model.state_dict(), partial)
        return {"words": words}


class WholeWorker:
    """A worker that trains a model to the end, epoch by epoch, and says how good it is."""

    def __init__(self, name: str, size: Size, tokens: Path, dropout: float, seed: int) -> None:
        self._text = Text(size, tokens)
        self._seed = seed
        self._trainer = build_whole_trainer(name, size, dropout, seed)

    def describe(self) -> Answer:
        """Describe the batches of the first epoch."""
        return {"batches": digest(self._text.epoch(1, self._seed))}

    def train(self, epoch: int, rate: float) -> Answer:
        """Train for an epoch; return the number of target words and their mean cost."""
        self._trainer.set_rate(rate)
        loss, words = 0.0, 0
        for pairs in self._text.epoch(epoch, self._seed):
            loss += self._trainer.train(self._trainer.prepare(pairs))
            words += target_words(pairs)
        return {"words": words, "cost": loss / words}

    def cost(self, split: str) -> float:
        """Return the mean -log p of a target word of a set, in nats."""
        pairs, total = self._text.held_out(split), 0.0
        for part in self._parts(pairs):
            total += self._trainer.cost(self._trainer.prepare(part))
        return total / target_words(pairs)

    @staticmethod
    def _parts(pairs: Pairs) -> Iterator[Pairs]:
        for first in range(0, len(pairs.sources), SCORED):
            yield Pairs(*(side[first : first + SCORED] for side in pairs))

    def attended(self) -> list[list[int]]:
        """Return where attention points at each step, given the test set's references."""
        return [
            positions
            for part in self._parts(self._text.held_out(TEST))
            for positions in self._trainer.attended(part)
        ]

    def translate(self) -> list[str]:
        """Translate the test set."""
        text = self._text
        found = self._trainer.decoder().translate(text.sources, text.reference_lengths, SCORED)
        return [text.target_text(ids) for ids in found]


class DecodingWorker:
    """A worker that translates by beam search."""

    def __init__(self, name: str, size: str, tokens: Path, weights: str) -> None:
        self._text = Text(SIZES[size], tokens)
        self._decoder = build_decoder(name, SIZES[size], weights)
        self._before = peak_memory(CPU)

    def describe(self) -> Answer:
        """Return nothing: every decoder reads the same test set."""
        return {}

    def translate(self, batch: int, sentences: int) -> Answer:
        """Translate the first sentences of the test set."""
        sources = self._text.sources[:sentences]
        lengths = self._text.reference_lengths[:sentences]
        started = time.perf_counter()
        translations = self._decoder.translate(sources, lengths, batch)
        return {
            "seconds": time.perf_counter() - started,
            "words": sum(len(words) + 1 for words in translations),
            "translations": translations,
            "memory": peak_memory(CPU),
            "memory_before": self._before,
        }


class ProductsWorker:
    """A worker that only multiplies matrices."""

    def __init__(self, size: str, tokens: Path, batches: int) -> None:
        self._batches = Text(SIZES[size], tokens).batches(batches)
        self._products = products.dominant(SIZES[size], self._batches)

    def describe(self) -> Answer:
        """Return the digest of the batches whose limit is measured."""
        return {"batches": digest(self._batches)}

    def measure(self, precision: str) -> Answer:
        """Measure the speed of each product, in FLOP a second."""
        return products.measure(self._products, precision)


def _faults() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def main(
    name: str,
    size: str,
    tokens: Path,
    batches: int = 0,
    dropout: float = 0.0,
    rate: float = LEARNING_RATE,
    weights: str = "",
    seed: int = 0,
    threads: int = 2,
) -> None:
    """Load a system, describe it, and serve until standard input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print must not come between the answers
    if name in ("ours", "ours-x8"):
        keep_to_avx2()
    torch.set_num_threads(threads)
    torch.manual_seed(SEED)
    keep_freed_memory()
    worker: TrainingWorker | WholeWorker | DecodingWorker | ProductsWorker
    if name == "products":
        worker = ProductsWorker(size, tokens, batches)
    elif seed:
        worker = WholeWorker(name, SIZES[size], tokens, dropout, seed)
    elif weights:
        worker = DecodingWorker(name, size, tokens, weights)
    else:
        worker = TrainingWorker(name, replace(SIZES[size], rate=rate), tokens, batches, dropout)
    print(json.dumps(worker.describe()), file=answers, flush=True)
    for line in sys.stdin:
        command = json.loads(line)
        answer = getattr(worker, command.pop("do"))(**command)
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    typer.run(main)
