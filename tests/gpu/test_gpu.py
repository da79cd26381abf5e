"""Training on a GPU; these tests are skipped where there is no GPU."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest
import torch
from small_models import VARIANTS, loss_and_gradients, translator
from small_training import ADAM, FEEDING, SETTINGS, encoded, run, small

from attnmt.config import System
from attnmt.config.parts import OPTIMIZERS
from attnmt.model.device import best_device
from attnmt.model.luong import LuongNMT
from attnmt.text.batches import Batch, ParallelText
from attnmt.training import cuda_graphs
from attnmt.training.cuda_graphs import SWITCH
from attnmt.training.step import TrainingStep

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")

SYSTEMS = {
    "base": System(),
    "reverse": System(reverse=True),
    "dropout": System(reverse=True, dropout=0.2),
    "location": System(attention="global", score="location", reverse=True, dropout=0.2),
    "feed": System(
        attention="global", score="location", input_feeding=True, reverse=True, dropout=0.2
    ),
    "local-p": FEEDING,
    "local-p without dropout": FEEDING.model_copy(update={"dropout": 0.0}),
}
# Above this number, torch's kernel for the gradient of an embedding sorts the indices first.
MANY_INDICES = 3072
PAIRS, WORDS = 128, 30  # a batch of this size has more indices
WIDE = SETTINGS.model_copy(update={"batch_size": PAIRS})
RATES = {"sgd": 0.5, "adam": 0.01}
EACH_SYSTEM = pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)


def batches(count: int) -> list[Batch]:
    """Return batches of 8 pairs, in three shapes even when they are padded."""
    drawn = []
    for number in range(count):
        rng, longest = np.random.default_rng(number), (2, 9, 17)[number % 3]
        lengths = [longest, *rng.integers(1, longest + 1, 7)]
        sources = [rng.integers(3, 8, n) for n in lengths]
        text = ParallelText(encoded(sources), encoded([s[::-1] for s in sources]), reverse=True)
        drawn.append(text.batch(np.arange(8)))
    return drawn


def wide_batches(count: int) -> list[Batch]:
    """Return batches with more words than an embedding's gradient sums in its usual way."""
    drawn = []
    for number in range(count):
        sources = list(np.random.default_rng(number).integers(3, 8, (PAIRS, WORDS)))
        text = ParallelText(encoded(sources), encoded([s[::-1] for s in sources]), reverse=True)
        drawn.append(text.batch(np.arange(PAIRS)))
    assert drawn[0].source.numel() > MANY_INDICES
    return drawn


def model_on_gpu(system: System, size: int = 16) -> LuongNMT:
    model = small(system, size).to(best_device())
    model.initialize(1)
    return model.train()


def losses(
    step: TrainingStep, count: int, make: Callable[[int], list[Batch]] = batches, rate: float = 0.5
) -> list[float]:
    """Train on some batches and return the losses; the host must not wait for any but the last."""
    torch.manual_seed(5)
    with no_waiting():
        step_losses = [
            step(batch, rate if i < count // 2 else rate / 2) for i, batch in enumerate(make(count))
        ]
    return torch.stack(step_losses).tolist()


@pytest.fixture(autouse=True)
def early_capture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have steps captured after a few batches, two of each shape."""
    monkeypatch.setattr(cuda_graphs, "WATCHED", 6)


@contextmanager
def no_waiting() -> Iterator[None]:
    """Fail where the host waits for the GPU."""
    torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode("default")


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_every_variant_has_the_loss_and_the_gradients_of_a_processor(variant):
    model = translator(variant)
    expected = loss_and_gradients(model)
    loss, gradients = loss_and_gradients(model.to(best_device()))
    found = loss.cpu(), {name: gradient.cpu() for name, gradient in gradients.items()}
    torch.testing.assert_close(found, expected, rtol=1e-8, atol=1e-11)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_gpu_learns_what_a_processor_does(optimizer):
    system = SYSTEMS["local-p without dropout"]
    settings = SETTINGS.model_copy(update={"optimizer": optimizer})
    on_cpu = small(system, 16)
    on_cpu.initialize(1)
    on_cpu.train()
    step, rate = TrainingStep(on_cpu, settings), RATES[optimizer]
    expected = [step(b, rate if i < 10 else rate / 2).item() for i, b in enumerate(batches(20))]
    found = losses(TrainingStep(model_on_gpu(system), settings), 20, rate=rate)
    assert found == pytest.approx(expected, rel=1e-3)


@EACH_SYSTEM
def test_the_same_training_again_has_the_same_bytes(system):
    results = []
    for _ in range(2):
        model = model_on_gpu(system)
        step_losses = losses(TrainingStep(model, WIDE), 10, wide_batches)
        weights = {k: v.cpu().numpy().tobytes() for k, v in model.state_dict().items()}
        results.append((step_losses, weights))
    assert results[0] == results[1]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@EACH_SYSTEM
def test_a_captured_step_has_the_bytes_of_one_that_is_not(system, optimizer, monkeypatch):
    settings, results = SETTINGS.model_copy(update={"optimizer": optimizer}), []
    for switch in ("1", "0"):
        monkeypatch.setenv(SWITCH, switch)
        model = model_on_gpu(system)
        step_losses = losses(TrainingStep(model, settings), 12, rate=RATES[optimizer])
        weights = {k: v.cpu().numpy().tobytes() for k, v in model.state_dict().items()}
        results.append((step_losses, weights, torch.cuda.get_rng_state().tolist()))
    assert results[0] == results[1]


@pytest.mark.parametrize("settings", [SETTINGS, ADAM], ids=["sgd", "adam"])
def test_interruptions_change_no_byte(tmp_path, settings):
    undisturbed = run(tmp_path / "a", device="cuda", settings=settings)
    kills = iter([3, 0, 10, 1, 20])
    assert run(tmp_path / "b", kills, device="cuda", settings=settings) == undisturbed


def test_memory_does_not_grow():
    step = TrainingStep(model_on_gpu(FEEDING, 64), SETTINGS)
    losses(step, 9)
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated(), torch.cuda.memory_reserved()
    for _ in range(10):
        losses(step, 9)
    torch.cuda.synchronize()
    after = torch.cuda.memory_allocated(), torch.cuda.memory_reserved()
    assert after[0] <= before[0] + 2**16
    assert after[1] <= before[1] + 2**22
