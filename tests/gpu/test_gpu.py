"""Training on a GPU; skipped where there is none."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch
from small_training import FEEDING, RECIPE, encoded, reversal, run, small

from attnmt.config import System
from attnmt.data.batches import Batch, ParallelText
from attnmt.model.device import best_device
from attnmt.model.precision import products_in, supported
from attnmt.model.translator import Translator
from attnmt.training.graphs import EAGER_STEPS
from attnmt.training.loop import cost_a_word
from attnmt.training.step import Step

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
EACH_SYSTEM = pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)


def batches(count: int) -> list[Batch]:
    """Batches of 8 pairs of 1 to 6 words, in three shapes as a GPU sees them."""
    found = []
    for number in range(count):
        rng, longest = np.random.default_rng(number), (2, 4, 6)[number % 3]
        lengths = [longest, *rng.integers(1, longest + 1, 7)]
        sources = [rng.integers(3, 8, n) for n in lengths]
        text = ParallelText(encoded(sources), encoded([s[::-1] for s in sources]), reverse=True)
        found.append(text.batch(np.arange(8)))
    return found


def model_on_gpu(system: System, size: int = 16) -> Translator:
    model = small(system, size).to(best_device())
    model.initialise(1)
    return model.train()


def losses(step: Step, count: int) -> list[float]:
    """Train on so many batches and return the losses; the host waits for none before the last."""
    torch.manual_seed(5)
    with no_waiting():
        found = [
            step(batch, 0.5 if i < count // 2 else 0.25) for i, batch in enumerate(batches(count))
        ]
    return torch.stack(found).tolist()


@contextmanager
def no_waiting() -> Iterator[None]:
    """Fail where the host waits for the GPU, but for captures, which do."""
    capture = torch.cuda.graph.__enter__

    def enter(self: torch.cuda.graph) -> None:
        torch.cuda.set_sync_debug_mode("default")
        capture(self)

    leave = torch.cuda.graph.__exit__

    def exit_(self: torch.cuda.graph, *error: object) -> None:
        leave(self, *error)
        torch.cuda.set_sync_debug_mode("error")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.cuda.graph, "__enter__", enter)
        patch.setattr(torch.cuda.graph, "__exit__", exit_)
        torch.cuda.set_sync_debug_mode("error")
        try:
            yield
        finally:
            torch.cuda.set_sync_debug_mode("default")


@EACH_SYSTEM
def test_graphs_take_the_steps_that_eager_operations_take(system: System) -> None:
    """Also with the same masks of dropout, and without the host waiting for either."""
    results = []
    for graphed in (False, True):
        model = model_on_gpu(system)
        step = Step(model, RECIPE)
        assert step.graphed is not None
        if not graphed:
            step.graphed.graphs.has_room = lambda: False
        found = losses(step, 20)
        assert len(step.graphed.graphs.by_shape) == (3 if graphed else 0)
        state = torch.cuda.get_rng_state().tolist()
        results.append((found, state, {k: v.cpu() for k, v in model.state_dict().items()}))
    (eager, eager_state, eager_weights), (graph, graph_state, graph_weights) = results
    assert eager_state == graph_state
    assert graph == pytest.approx(eager, rel=1e-5)
    torch.testing.assert_close(graph_weights, eager_weights, rtol=1e-4, atol=1e-6)


def test_a_gpu_learns_what_a_processor_does() -> None:
    system = SYSTEMS["local-p without dropout"]
    on_cpu = small(system, 16)
    on_cpu.initialise(1)
    on_cpu.train()
    step = Step(on_cpu, RECIPE)
    expected = [step(b, 0.5 if i < 10 else 0.25).item() for i, b in enumerate(batches(20))]
    assert losses(Step(model_on_gpu(system), RECIPE), 20) == pytest.approx(expected, rel=1e-3)


def test_interruptions_change_no_byte(tmp_path: Path) -> None:
    undisturbed = run(tmp_path / "a", device="cuda")
    assert run(tmp_path / "b", iter([3, 0, 10, 1, 20]), device="cuda") == undisturbed


def test_memory_does_not_grow() -> None:
    step = Step(model_on_gpu(FEEDING, 64), RECIPE)
    losses(step, 3 * (EAGER_STEPS + 2))
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated(), torch.cuda.memory_reserved()
    for _ in range(10):
        losses(step, 9)
    torch.cuda.synchronize()
    after = torch.cuda.memory_allocated(), torch.cuda.memory_reserved()
    assert after[0] <= before[0] + 2**16
    assert after[1] <= before[1] + 2**22


@EACH_SYSTEM
def test_rounded_products_learn_nearly_the_same(system: System) -> None:
    results = []
    for precision in supported(best_device()):
        with products_in(precision, best_device()):
            results.append(losses(Step(model_on_gpu(system, 64), RECIPE), 20))
    for rounded in results[1:]:
        assert rounded == pytest.approx(results[0], rel=2e-2)
        assert rounded != results[0]


def test_perplexity_is_that_of_a_processor() -> None:
    text, model = reversal(50, 3, reverse=True), small(FEEDING, 16)
    model.initialise(1)
    expected = cost_a_word(model, text)
    assert cost_a_word(model.to(best_device()), text) == pytest.approx(expected, rel=1e-5)
