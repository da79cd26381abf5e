"""Small trainings, and products, whose bytes are the same on every x86-64 processor with AVX2.

`python tests/support/same_bytes.py` prints their digests, as tests/golden/bytes.json has them; with
`avx512` as an argument, products use AVX-512.
"""

import hashlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from small_training import ADAM, SETTINGS, reversal

from attnmt.config import ModelShape, System, TrainingSettings
from attnmt.decoding.batched import force_all, search_all
from attnmt.decoding.search import Search
from attnmt.model.cpu_isa import keep_to_avx2
from attnmt.model.luong import LuongNMT, ModelConfig
from attnmt.model.products import matmul
from attnmt.model.stack import Stack
from attnmt.training.checkpoint import Checkpoints
from attnmt.training.loop import train

WORDS = 61
# Rows, columns and numbers in each sum. oneDNN cuts sums of so many numbers, elsewhere with AVX-512.
LONG_SUMS = [(1, 64, 1024), (2, 37, 1000), (64, 7, 1030), (5, 37, 3000)]
LONG_LAYERS = [(14, 64, 256), (3, 5, 520)]  # T, N, n; a weight's gradient sums T N numbers
# The cell, the system and the settings of each: every window, both cells, both optimizers.
TRAININGS: dict[str, tuple[str, System, TrainingSettings]] = {
    "no attention": ("lstm", System(dropout=0.2), SETTINGS),
    "location": ("lstm", System(attention="global", score="location", reverse=True), SETTINGS),
    "global": ("lstm", System(attention="global", score="dot", input_feeding=True), SETTINGS),
    "local-m": (
        "lstm",
        System(attention="local_m", score="additive", input_feeding=True),
        SETTINGS,
    ),
    "local-p": (
        "lstm",
        System(attention="local_p", score="general", input_feeding=True, reverse=True, dropout=0.2),
        SETTINGS,
    ),
    "local-p, Adam": ("lstm", System(attention="local_p", score="concat"), ADAM),
    "GRU, global": ("gru", System(attention="global", score="concat"), SETTINGS),
    "of today": (
        "lstm",
        System(
            attention="global",
            score="general",
            input_feeding=True,
            encoder="bidirectional",
            output_dropout=0.2,
            dropout=0.2,
        ),
        ADAM,
    ),
    "GRU, self": ("gru", System(attention="global", score="self"), SETTINGS),
    "GRU, local-m": ("gru", System(attention="local_m", score="key_value"), ADAM),
}


def digests() -> dict[str, dict[str, str]]:
    """Train each; return the SHA-256 of its weights, its costs, its translations and its links.

    The last entry, ``long sums``, has those of products and of an LSTM's layers.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        trained = {name: _digests(*training) for name, training in TRAININGS.items()}
        return trained | {"long sums": {"products": _products(), "layers": _layers()}}
    finally:
        torch.set_num_threads(threads)


def _digests(cell: str, system: System, settings: TrainingSettings) -> dict[str, str]:
    shape = ModelShape(
        layers=2, size=37, embedding=29, window_D=3, location_slots=20, init=0.1, cell=cell
    )
    model = LuongNMT(ModelConfig(system, shape, WORDS, WORDS))
    text, dev = reversal(400, 1, system.reverse, WORDS), reversal(30, 2, system.reverse, WORDS)
    settings = settings.model_copy(update={"batch_size": 20, "evaluate_every": 20})
    with TemporaryDirectory() as folder:
        trained = train(
            model, text, {"dev": dev}, settings, 1, Checkpoints(Path(folder), 60), lambda row: None
        )
    sources = [dev.source[i] for i in range(len(dev))]
    targets = [dev.target[i] for i in range(len(dev))]
    found = search_all([model], sources, Search(beam=4, candidates=4).n_best(2), 16)
    forced = force_all([model], sources, targets, 16)
    return {
        "weights": _sha256(value.numpy().tobytes() for value in model.state_dict().values()),
        "costs": _sha256(repr(row["dev_cost"]).encode() for row in trained.progress.history),
        "translations": _sha256(repr([*map(tuple, n_best)]).encode() for n_best in found),
        "links": _sha256(
            one.weights.tobytes() + repr((one.log_p, one.attended)).encode() for one in forced
        ),
    }


def _products() -> str:
    generator = torch.Generator().manual_seed(1)
    factors = [
        [torch.randn(rows, length, generator=generator) for rows in sides]
        for *sides, length in LONG_SUMS
    ]
    return _sha256(matmul(x, W).numpy().tobytes() for x, W in factors)


def _layers() -> str:
    torch.manual_seed(1)
    results = []
    for T, N, n in LONG_LAYERS:
        stack = Stack("lstm", n, n, 1, dropout=0.0)
        x = torch.randn(T, N, n, requires_grad=True)
        h, _ = stack(x)
        h.square().sum().backward()
        results += [h.detach(), x.grad, *(weight.grad for weight in stack.parameters())]
    return _sha256(one.contiguous().numpy().tobytes() for one in results)


def _sha256(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()[:16]


if __name__ == "__main__":
    keep_to_avx2(*sys.argv[1:])
    print(json.dumps(digests(), indent=2))
