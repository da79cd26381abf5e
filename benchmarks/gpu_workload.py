"""What the GPU benchmark trains and translates: the paper's models, and sentences as long as WMT's."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.flop_counter import FlopCounterMode

from attnmt.config import Params, TrainingSettings
from attnmt.model.luong import LuongNMT, ModelConfig
from attnmt.text.batches import Batch, ParallelText
from attnmt.text.encoded import EncodedText
from attnmt.training.step import Step

LONGEST = 50  # words
LENGTHS = 26, 25  # the mean source and target words of a pair, with </s>
SEED = 1
RATE = 0.0  # the work is the same, and no weight diverges
FIRST_ID = 3  # after <unk>, <s> and </s>
SECONDS = 0.5  # how long a product or a copy is measured


@dataclass(frozen=True)
class Workload:
    """The batches that every system trains on."""

    batches: list[Batch]
    target_words: int  # of all batches

    @classmethod
    def of(cls, text: ParallelText, settings: TrainingSettings, count: int) -> "Workload":
        """Take batches of an epoch, spread evenly over the lengths."""
        options = (settings.batch_size, settings.chunk_batches, settings.shuffle)
        order = text.training_order(1, SEED, *options)
        order.sort(key=lambda rows: int(text.target.lengths[rows].max()))
        places = (np.arange(count) + 0.5) * len(order) / count
        batches = [text.batch(order[int(place)]) for place in places]
        return cls(batches, sum(int(batch.lengths.sum()) for batch in batches))

    def train_once(self, step: Step, device: torch.device) -> tuple[float, float]:
        """Return how many seconds a pass over the batches takes, and how many the host is busy."""
        wait(device)
        started = time.perf_counter()
        for batch in self.batches:
            step(batch, RATE)
        host = time.perf_counter() - started
        wait(device)
        return time.perf_counter() - started, host


def drawn(pairs: int, words: int) -> ParallelText:
    """Return pairs of sentences as long as WMT's, whose words follow Zipf's law."""
    rng = np.random.default_rng(SEED)
    target = rng.gamma(3, LENGTHS[1] / 3, pairs)
    source = 1.06 * target * np.exp(rng.normal(0, 0.2, pairs))

    def side(lengths: NDArray[np.float64]) -> EncodedText:
        counts = np.clip(np.round(lengths), 1, LONGEST).astype(np.int64)
        ranks = (words - FIRST_ID) ** rng.random(counts.sum()) - 1
        offsets = np.concatenate([[0], np.cumsum(counts)])
        return EncodedText((FIRST_ID + ranks).astype(np.int32), offsets)

    return ParallelText(side(source), side(target), reverse=True)


def config(params: Params, system: str, words: int, tiny: bool) -> ModelConfig:
    """Return a model of experiments/wmt14, or with ``tiny`` a small one."""
    shape = params.shape(system)
    if tiny:
        shape = shape.model_copy(update={"layers": 2, "size": 8})
    return ModelConfig(params.training(system).system, shape, words, words)


def flop_a_word(config: ModelConfig) -> float:
    """Return the operations in products that a target word takes, forward and backward."""
    added = {torch.ops.aten.addmm_: lambda _, a, b, **__: 2 * a[0] * a[1] * b[1]}
    source, target = LENGTHS
    with torch.device("meta"), torch.no_grad():
        model = LuongNMT(config).eval()
        words = torch.zeros(1, target, dtype=torch.long)
        with FlopCounterMode(display=False, custom_mapping=added) as counter:
            h_tilde, _ = model(
                torch.zeros(1, source, dtype=torch.long), torch.full((1,), source), words
            )
            model.logits(h_tilde)
    return 3 * float(counter.get_total_flops()) / target


def ceilings(device: torch.device, tiny: bool) -> dict[str, float]:
    """Return GB a second of a copy, read and written, and TFLOP a second of a product by precision."""
    size, count = (64, 1 << 16) if tiny else (8192, 1 << 32)
    here, there = (torch.empty(count, dtype=torch.uint8, device=device) for _ in range(2))
    found = {"copy": 2 * count * _calls_a_second(partial(there.copy_, here), device) / 1e9}
    kinds = [("fp32", torch.float32, "ieee"), ("bf16", torch.bfloat16, "ieee")]
    if device.type == "cuda":
        kinds.insert(1, ("tf32", torch.float32, "tf32"))
    matmul = torch.backends.cuda.matmul
    for name, dtype, precision in kinds:
        left, right = (torch.randn(size, size, device=device).to(dtype) for _ in range(2))
        before, matmul.fp32_precision = matmul.fp32_precision, precision
        try:
            calls = _calls_a_second(partial(torch.mm, left, right), device)
        finally:
            matmul.fp32_precision = before
        found[name] = 2 * size**3 * calls / 1e12
    return found


def _calls_a_second(call: Callable[[], object], device: torch.device) -> float:
    """Return how often a second a device does something."""
    call()
    wait(device)
    count, started, at_once = 0, time.perf_counter(), 10 if device.type == "cuda" else 1
    while (passed := time.perf_counter() - started) < SECONDS:
        for _ in range(at_once):
            call()
        count += at_once
        wait(device)
    return count / passed


def wait(device: torch.device) -> None:
    """Wait until the device has finished its work."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
