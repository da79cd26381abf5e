"""One system in a process of its own, which does what it is told and then waits.

It reads commands from standard input and answers on standard output; each is a line with a JSON object.
What the system itself prints goes to standard error.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import torch
import typer
from safetensors.torch import save_file

from attnmt.files.atomic import atomic_path
from attnmt.model.cpu_isa import keep_to_avx2
from attnmt.training.machine import keep_freed_memory, peak_memory
from benchmarks import ours
from benchmarks.workload import DROPOUT, SEED, SIZES, Text, target_words

Answer = dict[str, Any]
CPU = torch.device("cpu")


class TrainingWorker:
    """A worker that trains a model."""

    def __init__(self, name: str, size: str, tokens: Path, batches: int) -> None:
        self._text = Text(SIZES[size], tokens)
        self._batches = self._text.batches(batches)
        self._trainer: Any
        if name == "opennmt":
            from benchmarks.opennmt import OpenNMTTrainer

            self._trainer = OpenNMTTrainer(SIZES[size], DROPOUT)
        else:
            self._trainer = ours.OursTrainer(SIZES[size], DROPOUT)
        self._before = peak_memory(CPU)

    def train(self, first: int, count: int) -> Answer:
        """Train on ``count`` batches from ``first`` on; they are prepared before the clock starts."""
        pairs = self._batches[first : first + count]
        batches = [self._trainer.prepare(batch) for batch in pairs]
        started = time.perf_counter()
        for batch in batches:
            self._trainer.train(batch)
        return {
            "seconds": time.perf_counter() - started,
            "words": sum(map(target_words, pairs)),
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


class DecodingWorker:
    """A worker that translates by beam search."""

    def __init__(self, name: str, size: str, tokens: Path, weights: str) -> None:
        self._text = Text(SIZES[size], tokens)
        self._decoder: Any
        if name == "opennmt":
            from benchmarks.opennmt import OpenNMTDecoder, with_our_weights

            self._decoder = OpenNMTDecoder(SIZES[size], with_our_weights(SIZES[size], weights))
        else:
            self._decoder = ours.OursDecoder(SIZES[size], weights)
        self._before = peak_memory(CPU)

    def translate(self, batch: int, sentences: int) -> Answer:
        """Translate the first sentences of the test set."""
        sources = self._text.sources[:sentences]
        started = time.perf_counter()
        translations = self._decoder.translate(sources, batch)
        return {
            "seconds": time.perf_counter() - started,
            "words": sum(len(words) + 1 for words in translations),
            "memory": peak_memory(CPU),
            "memory_before": self._before,
        }


def main(
    name: str, size: str, tokens: Path, batches: int = 0, weights: str = "", threads: int = 2
) -> None:
    """Load a system, say so, and serve until standard input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print must not come between the answers
    if name == "ours":  # as a training does by default; the others have all instructions
        keep_to_avx2()
    torch.set_num_threads(threads)
    torch.manual_seed(SEED)
    keep_freed_memory()
    worker: TrainingWorker | DecodingWorker
    if weights:
        worker = DecodingWorker(name, size, tokens, weights)
    else:
        worker = TrainingWorker(name, size, tokens, batches)
    print("{}", file=answers, flush=True)  # it is ready
    for line in sys.stdin:
        command = json.loads(line)
        answer = getattr(worker, command.pop("do"))(**command)
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    typer.run(main)
