"""Every attention learns to copy or to reverse short sequences, and by attending.

At some epoch ``LEARNED`` of the held-out sequences must come out word for word; an untrained model
writes none of them. A model can also learn the tasks without attending, as the one without attention
does. So the others must also fail when their attention is given another sentence's words. All LSTMs with
attention have input feeding, except one, which computes all steps at once.
"""

from collections.abc import Iterator

import numpy as np
import pytest
import small_training
import torch
from numpy.typing import NDArray
from small_models import CONTENT_SCORES, WINDOWS

from attnmt.config import ModelShape, System
from attnmt.decoding.search import Search, search
from attnmt.model.luong import Encoded, LuongNMT, ModelConfig
from attnmt.text.batches import make_batch
from attnmt.text.vocabulary import SPECIAL
from attnmt.training.schedule import learning_rate
from attnmt.training.step import TrainingStep

HELD_OUT = 100  # sequences
# How many must be right after training, and how many may be right if attention misleads.
LEARNED, BROKEN = 90, 20
WORDS = 10  # in the vocabulary, special ones included
SHORTEST, LONGEST = 3, 4  # words in a sequence
BATCHES = 30  # in an epoch
CHANGES = {"batch_size": 64, "learning_rate": 2.0, "epochs": 16, "halve_after": 8, "clip_norm": 1.0}
SETTINGS = small_training.SETTINGS.model_copy(update=CHANGES)
ORDERS = {"copy": slice(None), "reverse": slice(None, None, -1)}
VARIANTS = [
    ("lstm", "none", None),
    ("lstm", "global", "location"),
    ("unfed", "global", "dot"),
    *(("lstm", window, score) for window in WINDOWS for score in CONTENT_SCORES),
    ("gru", "global", "concat"),
    ("gru", "global", "general"),
    ("gru", "global", "self"),
    ("gru", "local_m", "key_value"),
]
# Reversing needs attention more than copying, but local-m's window moves from left to right.
CASES = [
    (*variant, 1 + number % 3, "copy" if variant[1] == "local_m" else "reverse")
    for number, variant in enumerate(VARIANTS)
]
Sequences = list[NDArray[np.int32]]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Use one thread, which keeps sums the same on every machine; small models need no more."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def build(cell: str, attention: str, score: str | None) -> LuongNMT:
    window = 1 if attention == "local_m" else 2
    kind, sizes = "gru" if cell == "gru" else "lstm", {"layers": 1, "size": 48, "window_D": window}
    shape = ModelShape(cell=kind, location_slots=LONGEST, init=0.4, **sizes)
    feeding = cell == "lstm" and attention != "none"
    system = System(attention=attention, score=score, input_feeding=feeding)
    return LuongNMT(ModelConfig(system, shape, WORDS, WORDS))


def draw(rng: np.random.Generator, count: int) -> Sequences:
    """Draw sequences of ``LONGEST`` words."""
    return list(rng.integers(len(SPECIAL), WORDS, (count, LONGEST), dtype=np.int32))


def draw_batch(rng: np.random.Generator, excluded: set[bytes]) -> Sequences:
    """Draw sequences of all lengths for a training batch, without the excluded ones."""
    lengths = rng.integers(SHORTEST, LONGEST + 1, SETTINGS.batch_size)
    sequences = draw(rng, SETTINGS.batch_size)
    cut = (ids[:length] for ids, length in zip(sequences, lengths, strict=True))
    return [ids for ids in cut if ids.tobytes() not in excluded]


def train(model: LuongNMT, order: slice, rng: np.random.Generator, held_out: Sequences) -> int:
    """Train until enough sequences come out right, or to the end; return how many do."""
    excluded = {ids.tobytes() for ids in held_out}
    step, right = TrainingStep(model, SETTINGS), 0
    for epoch in range(1, SETTINGS.epochs + 1):
        model.train()
        for _ in range(BATCHES):
            sources = draw_batch(rng, excluded)
            batch = make_batch(sources, [ids[order] for ids in sources], reverse=False)
            step(batch, learning_rate(SETTINGS, epoch))
        right = count_right(model.eval(), held_out, order)
        if right >= LEARNED:
            break
    return right


def count_right(model: LuongNMT, sequences: Sequences, order: slice) -> int:
    """Return how many sequences greedy search writes word for word."""
    results = search([model], sequences, Search(beam=1, candidates=1))
    pairs = zip(results, sequences, strict=True)
    return sum(candidates[0].words == ids[order].tolist() for candidates, ids in pairs)


@pytest.mark.parametrize(("cell", "attention", "score", "seed", "task"), CASES)
def test_task_is_learned(cell, attention, score, seed, task, monkeypatch):
    rng = np.random.default_rng(seed)
    held_out = draw(rng, HELD_OUT)
    model = build(cell, attention, score)
    model.initialize(seed)
    assert count_right(model, held_out, ORDERS[task]) == 0
    assert train(model, ORDERS[task], rng, held_out) >= LEARNED
    if attention == "none":
        return
    encode = model.encode

    def encode_but_attend_to_another(source: torch.Tensor, lengths: torch.Tensor) -> Encoded:
        memory, state = encode(source, lengths)
        assert memory is not None
        return Encoded(memory.select(torch.arange(len(lengths)).roll(1)), state)

    monkeypatch.setattr(model, "encode", encode_but_attend_to_another)
    assert count_right(model, held_out, ORDERS[task]) <= BROKEN
