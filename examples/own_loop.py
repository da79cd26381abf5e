"""Train the model in a loop of your own: each kind of attention learns to write sentences backward.

    python examples/own_loop.py                        # all of them, some seconds each
    python examples/own_loop.py global-location        # one of them

A word is a number, and a sentence is four words. docs/extending.md explains each name of attnmt here.
"""

import sys

import numpy as np
import torch
from numpy.typing import NDArray

from attnmt.config import Cell, ModelShape, System
from attnmt.decoding.search import Search, search
from attnmt.model.luong import LuongNMT, ModelConfig
from attnmt.text.batches import Batch, make_batch
from attnmt.text.vocabulary import SPECIAL

WORDS, LENGTH, STEPS = 10, 4, 150  # entries of the vocabulary; words of a sentence; batches
Sentences = list[NDArray[np.int32]]
# The names of the command line: cell, attention, score.
KINDS: dict[str, tuple[Cell, str, str]] = {
    "global-dot": ("lstm", "global", "dot"),
    "global-general": ("lstm", "global", "general"),
    "global-concat": ("lstm", "global", "concat"),
    "global-location": ("lstm", "global", "location"),
    "local-m": ("lstm", "local_m", "general"),
    "local-p": ("lstm", "local_p", "general"),
    "gru": ("gru", "global", "concat"),
}


def build(cell: Cell, attention: str, score: str) -> LuongNMT:
    """Return a small model with random weights."""
    # The window of local-m moves from left to right, so it must hold the whole sentence here.
    shape = ModelShape(
        cell=cell, layers=1, size=48, window_D=LENGTH, location_slots=LENGTH, init=0.3
    )
    system = System(attention=attention, score=score, input_feeding=cell == "lstm")
    model = LuongNMT(ModelConfig(system, shape, source_words=WORDS, target_words=WORDS))
    model.initialize(seed=1)
    return model


def draw(rng: np.random.Generator, sentences: int) -> Sentences:
    """Return sentences as ids; the first ids of a vocabulary are <unk>, <s> and </s>."""
    return list(rng.integers(len(SPECIAL), WORDS, (sentences, LENGTH), dtype=np.int32))


def train(model: LuongNMT, rng: np.random.Generator) -> None:
    """The loop: predict each next word, and let PyTorch do the rest."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(STEPS):
        sources = draw(rng, 64)
        batch: Batch = make_batch(sources, [ids[::-1] for ids in sources], reverse=False)
        h_tilde, _ = model(batch.source, batch.source_lengths, batch.words)
        loss = model.loss(h_tilde, batch.next_words, batch.lengths)
        optimizer.zero_grad()
        (loss / len(sources)).backward()
        optimizer.step()


def share_right(model: LuongNMT, sources: Sentences) -> float:
    """Return the share of sentences that beam search writes backward, word for word."""
    found = search([model.eval()], sources, Search(beam=3, candidates=3))
    best = [max(candidates, key=lambda one: one.score).words for candidates in found]
    pairs = zip(best, sources, strict=True)
    right = [words == ids[::-1].tolist() for words, ids in pairs]
    return right.count(True) / len(right)


if __name__ == "__main__":
    torch.set_num_threads(1)  # several threads of so small a model mostly wait for each other
    for name in sys.argv[1:] or KINDS:
        rng = np.random.default_rng(1)
        sentences = draw(rng, 200)
        model = build(*KINDS[name])
        print(f"{name:16} {share_right(model, sentences):5.0%} right before, ", end="", flush=True)
        train(model, rng)
        print(f"{share_right(model, sentences):5.0%} after")
