"""The training step, and its form for a GPU, run on a processor."""

import itertools
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch
from small_models import VARIANTS, Variant, padded_batch, translator
from small_training import FEEDING, RECIPE, encoded, small
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from attnmt.config import System
from attnmt.model.translator import Translator
from attnmt.text.batches import Batch, ParallelText
from attnmt.training import graphs
from attnmt.training.graphs import EAGER_STEPS, GraphedStep, Graphs, widen
from attnmt.training.ranks import ALONE, Ranks
from attnmt.training.sgd import update
from attnmt.training.step import Step

SYSTEMS = {
    "base": System(),
    "location": System(attention="global", score="location", reverse=True, dropout=0.2),
    "local-m": System(attention="local_m", score="dot", dropout=0.2),
    "feed": FEEDING,
}
EACH_SYSTEM = pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)


def random_batch(seed: int, shape: tuple[int, int, int]) -> Batch:
    """Return N sentences of M words with translations of T - 1 words, without padding."""
    rng = np.random.default_rng(seed)
    N, M, T = shape
    source, target = ([rng.integers(3, 8, n) for _ in range(N)] for n in (M, T - 1))
    return ParallelText(encoded(source), encoded(target), reverse=True).batch(np.arange(N))


def weights(model: Translator) -> bytes:
    return b"".join(p.detach().numpy().tobytes() for p in model.parameters())


@EACH_SYSTEM
@pytest.mark.parametrize("clip_embeddings", [False, True])
def test_a_step_is_loss_backward_and_update(system: System, clip_embeddings: bool) -> None:
    recipe = RECIPE.model_copy(update={"clip_embeddings": clip_embeddings, "clip_norm": 0.5})
    model, other = small(system), small(system)
    step, batches = Step(model, recipe), [random_batch(i, (8, 5, 4)) for i in range(3)]
    losses = []
    for either in (model, other):
        either.initialize(1)
        either.train()
        # A processor's step has sparse gradients. Dense ones are added by FMA, which rounds once less.
        either.encoder.embedding.sparse = either.decoder.embedding.sparse = True
    torch.manual_seed(5)
    for batch in batches:
        losses.append(step(batch, 0.7).item())
    torch.manual_seed(5)
    for batch, loss in zip(batches, losses, strict=True):
        h_tilde, _ = other(batch.source, batch.source_lengths, batch.words)
        expected = other.loss(h_tilde, batch.next_words, batch.lengths)
        (expected / 8).backward()
        embeddings = [other.encoder.embedding.weight, other.decoder.embedding.weight]
        dense = [p for n, p in other.named_parameters() if "embedding" not in n]
        counted = [*dense, *embeddings] if clip_embeddings else dense
        update(counted, [] if clip_embeddings else embeddings, 0.7, 0.5)
        assert loss == expected.item()
    assert weights(model) == weights(other)


def test_a_rate_may_be_a_number_or_a_tensor() -> None:
    results = []
    for rate in (0.3, torch.tensor(0.3)):
        value = torch.nn.Parameter(torch.arange(1.0, 7.0))
        value.grad = torch.arange(6.0) / 100
        update([value], [], rate, clip_norm=5.0)
        results.append(value.detach())
    assert torch.equal(*results)
    torch.testing.assert_close(results[0], torch.arange(1.0, 7.0) - 0.3 * torch.arange(6.0) / 100)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_more_padding_changes_nothing_but_rounding(variant: Variant, reverse: bool) -> None:
    model = translator(variant, reverse)
    source, source_lengths, words, next_words, lengths = padded_batch()
    results = []
    for columns in ((1, 1), (8, 5)):
        batch = widen(Batch(source, source_lengths, words, next_words, lengths), *columns)
        h_tilde, _ = model(batch.source, batch.source_lengths, batch.words)
        loss = model.loss(h_tilde, batch.next_words, batch.lengths)
        gradients = torch.autograd.grad(loss, list(model.parameters()))
        results.append((batch.source.shape[1], batch.words.shape[1], loss, *gradients))
    assert [result[:2] for result in results] == [(6, 4), (8, 5)]
    torch.testing.assert_close(results[0][2:], results[1][2:])


@pytest.mark.parametrize(
    ("columns", "width"), [((4, 2), (8, 4)), ((3, 4), (6, 4)), ((1, 1), (5, 3))]
)
def test_columns_are_padded_to_multiples(columns: tuple[int, int], width: tuple[int, int]) -> None:
    batch = random_batch(1, (2, 5, 3))
    wide = widen(batch, *columns)
    assert (wide.source.shape[1], wide.words.shape[1]) == width
    assert wide.next_words.shape == wide.words.shape
    assert torch.equal(wide.source[:, -5:], batch.source)
    assert torch.equal(wide.words[:, :3], batch.words)
    assert torch.equal(wide.next_words[:, :3], batch.next_words)


class FirstOfTwo(Ranks):
    """The first of two processes, without the other."""

    def sum_(self, values: Tensor) -> None:
        """Add nothing."""


EACH_RANKS = pytest.mark.parametrize("ranks", [ALONE, FirstOfTwo(0, 2)], ids=["alone", "of two"])


def step_of_a_gpu(model: Translator, ranks: Ranks) -> Step:
    """Return a step on the processor that has dense gradients of embeddings, as on a GPU."""
    step = Step(model, RECIPE, ranks)
    model.encoder.embedding.sparse = model.decoder.embedding.sparse = False
    return step


@EACH_SYSTEM
@EACH_RANKS
def test_a_step_depends_on_no_value(system: System, ranks: Ranks) -> None:
    """A GPU's graph cannot decide by values. Tensors without values reveal a step that does."""
    with FakeTensorMode():
        model, ones = small(system).train(), torch.ones(8, 5, dtype=torch.int64)
        batch = Batch(ones, ones[:, 0], ones, ones, ones[:, 0])
        loss = step_of_a_gpu(model, ranks)(batch, torch.ones(()))
    assert loss.shape == ()


class TestGraphs:
    """Which steps are captured."""

    def captured(
        self, shapes: str, has_room: Callable[[], bool] = lambda: True
    ) -> tuple[str, list[str]]:
        """Find graphs for batches of shapes a, b, ..; return those replayed and those captured."""
        replayed, captures, books = "", [], Graphs(has_room)

        def capture(batch: Batch) -> Any:
            captures.append("_abcdef"[len(batch.source)])
            return captures[-1]

        for shape in shapes:
            replayed += str(
                books.find(random_batch(1, ("_abcdef".index(shape), 2, 3)), capture) or "."
            )
        return replayed, captures

    def test_a_shape_is_captured_when_it_has_come_often_enough(self) -> None:
        assert EAGER_STEPS == 2
        assert self.captured("aabaabba") == ("...aa.ba", ["a", "b"])

    def test_the_number_of_graphs_is_bounded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(graphs, "MOST_GRAPHS", 2)
        assert self.captured("aaabbbccccabc") == ("..a..b....ab.", ["a", "b"])

    def test_without_room_no_graph_is_captured(self) -> None:
        room = itertools.chain([False, True], itertools.repeat(False))
        assert self.captured("aaaabbbba", lambda: next(room)) == ("...a....a", ["a"])

    def test_every_width_makes_a_different_shape(self) -> None:
        books = Graphs(lambda: True)
        for shape in itertools.product((1, 2), (3, 4), (5, 6)):
            for expected in (None, None, shape):
                assert books.find(random_batch(1, shape), lambda _, s=shape: s) == expected


class Recording(TorchDispatchMode):
    """Stands for a graph: it repeats the operations that it recorded, in the same memory."""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[tuple[Any, ...]] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        self.done.append((func, args, kwargs or {}, tree_leaves(result)))
        return result

    @torch.no_grad()
    def replay(self) -> None:
        for func, args, kwargs, results in self.done:
            for held, new in zip(results, tree_leaves(func(*args, **kwargs)), strict=True):
                if isinstance(held, Tensor) and held is not new:
                    held.copy_(new)


class Stream:
    """Stands for a CUDA stream."""

    main: "Stream"
    current: "Stream"

    def wait_stream(self, other: "Stream") -> None:
        assert other is not self

    @contextmanager
    def made_current(self) -> Iterator[None]:
        before, Stream.current = Stream.current, self
        try:
            yield
        finally:
            Stream.current = before


class Capture:
    """Stands for ``torch.cuda.graph``: a capture leaves the model as it was."""

    model: Translator

    def __init__(self, recording: Recording, stream: Stream, **options: Any) -> None:
        self.recording, self.stream = recording, stream

    def __enter__(self) -> None:
        Stream.current = self.stream
        self.before = {k: v.clone() for k, v in self.model.state_dict().items()}
        self.state = torch.get_rng_state()
        self.recording.__enter__()

    def __exit__(self, *error: Any) -> None:
        try:
            self.recording.__exit__(*error)
            Stream.current = Stream.main  # torch's own does not get this far if it fails
        finally:
            torch.set_rng_state(self.state)
            with torch.no_grad():
                for name, parameter in self.model.named_parameters():
                    parameter.copy_(self.before[name])


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the processor do a GPU's work."""
    Stream.current = Stream.main = Stream()
    doubles = {
        "Stream": lambda device: Stream(),
        "stream": Stream.made_current,
        "current_stream": lambda device: Stream.current,
        "graph_pool_handle": lambda: (0, 1),
        "CUDAGraph": Recording,
        "graph": Capture,
        "mem_get_info": lambda device: (80, 100),
        "memory_reserved": lambda device: 0,
        "memory_allocated": lambda device: 0,
        "memory_snapshot": lambda pool, include_traces: [],
    }
    for name, double in doubles.items():
        monkeypatch.setattr(torch.cuda, name, double)
    monkeypatch.setattr(Tensor, "pin_memory", Tensor.clone)


@EACH_SYSTEM
@EACH_RANKS
def test_graphs_take_the_same_steps(
    system: System, ranks: Ranks, cuda: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Steps of two shapes at changing rates, plain and as graphs, end with the same bytes."""
    shapes = [(8, 4, 4), (8, 8, 6)]
    batches = [random_batch(i, shapes[i % 3 == 2]) for i in range(15)]
    rates = [1.0, 0.5, 0.25] * 5
    results = []
    for graphed in (False, True):
        model = small(system)
        model.initialize(1)
        step = step_of_a_gpu(model.train(), ranks)
        if graphed:
            monkeypatch.setattr(Capture, "model", model, raising=False)
            step.graphed = GraphedStep(step.device, widened=True)
        torch.manual_seed(5)
        losses = [step(batch, rate) for batch, rate in zip(batches, rates, strict=True)]
        results.append((torch.stack(losses).tolist(), weights(model)))
    assert step.graphed is not None
    assert set(step.graphed.graphs.by_shape) == set(shapes)
    assert results[0] == results[1]


class FailsAt(Recording):
    """A graph that cannot be captured: one operation, or the end, is refused."""

    operation: str

    def __torch_dispatch__(self, func: Any, *args: Any) -> Any:
        if func.__name__.startswith(self.operation):
            raise RuntimeError("operation not permitted when stream is capturing\nmore of it")
        return super().__torch_dispatch__(func, *args)

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        if error[0] or self.operation == "end":
            raise RuntimeError("operation failed due to a previous error during capture")


@pytest.mark.parametrize("earlier", [0, 1], ids=["none before", "one before"])
@pytest.mark.parametrize(
    ("ranks", "operation"),
    [
        (ALONE, "embedding"),
        (ALONE, "_fused_sgd_"),  # when gradients exist already
        (ALONE, "end"),
        (FirstOfTwo(0, 2), "copy_"),
        (FirstOfTwo(0, 2), "end"),
    ],
)
def test_a_capture_that_fails_is_the_last_and_changes_nothing(
    ranks: Ranks,
    operation: str,
    earlier: int,
    cuda: None,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The training continues to the same bytes, and replays the graphs captured before."""
    shapes = [(8, 4, 4), (8, 8, 6)]
    order = [0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 0]
    batches = [random_batch(i, shapes[shape]) for i, shape in enumerate(order)]
    monkeypatch.setattr(FailsAt, "operation", operation, raising=False)
    results = []
    for graphed in (False, True):
        model = small(FEEDING)
        model.initialize(1)
        step = step_of_a_gpu(model.train(), ranks)
        if graphed:
            monkeypatch.setattr(Capture, "model", model, raising=False)
            kinds = itertools.chain([Recording] * earlier, itertools.repeat(FailsAt))
            monkeypatch.setattr(torch.cuda, "CUDAGraph", lambda kinds=kinds: next(kinds)())
            step.graphed = GraphedStep(step.device, widened=True)
        torch.manual_seed(5)
        results.append((torch.stack([step(batch, 0.5) for batch in batches]), weights(model)))
    assert step.graphed is not None
    assert list(step.graphed.graphs.by_shape) == shapes[:earlier]
    assert torch.equal(results[0][0], results[1][0])
    assert results[0][1] == results[1][1]
    warnings = [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING]
    assert len(warnings) == 1
    assert "a step could not be captured as a CUDA graph (operation" in warnings[0]
    assert "\n" not in warnings[0]
    assert Stream.current is Stream.main


def test_a_fault_of_the_program_is_not_taken_for_a_capture_that_fails() -> None:
    def capture(batch: Batch) -> Any:
        raise TypeError("a fault")

    books, batch = Graphs(lambda: True), random_batch(1, (1, 2, 3))
    assert [books.find(batch, capture) for _ in range(EAGER_STEPS)] == [None] * EAGER_STEPS
    with pytest.raises(TypeError, match="a fault"):
        books.find(batch, capture)


def test_graphs_can_be_turned_off(cuda: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches are padded as for graphs, so that the weights are the same."""
    model = small(FEEDING)
    model.initialize(1)
    step = step_of_a_gpu(model.train(), ALONE)
    step.graphed = GraphedStep(step.device, widened=True, capturing=False)
    monkeypatch.setattr(torch.cuda, "CUDAGraph", None)
    shapes = []
    monkeypatch.setattr(step, "plain", lambda batch, rate: shapes.append(batch.source.shape))
    for _ in range(EAGER_STEPS + 2):
        step(random_batch(1, (8, 5, 3)), 0.5)
    assert shapes == [(8, 8)] * (EAGER_STEPS + 2)


def test_memory_that_only_graphs_can_use_is_not_counted_as_room(
    cuda: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = GraphedStep(torch.device("cpu"), widened=True)

    def snapshot(pool: object, include_traces: bool) -> list[dict[str, int]]:
        assert pool is step.pool
        return [{"total_size": 30, "allocated_size": 25}, {"total_size": 5, "allocated_size": 0}]

    for free, held, used, room in ((80, 0, 0, True), (20, 0, 0, False), (20, 10, 4, True)):
        monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device, free=free: (free, 100))
        monkeypatch.setattr(torch.cuda, "memory_reserved", lambda device, held=held: held)
        monkeypatch.setattr(torch.cuda, "memory_allocated", lambda device, used=used: used)
        monkeypatch.setattr(torch.cuda, "memory_snapshot", lambda pool, include_traces: [])
        assert step._has_room() == room
    # Of the memory that torch holds, 10 more are free, but only graphs can use them.
    monkeypatch.setattr(torch.cuda, "memory_snapshot", snapshot)
    for held, room in ((10, False), (19, False), (20, True)):
        monkeypatch.setattr(torch.cuda, "memory_reserved", lambda device, held=held: held)
        assert step._has_room() == room


def test_no_padding_is_added_where_it_would_change_the_model(cuda: None) -> None:
    assert GraphedStep(torch.device("cpu"), widened=False).multiples == (1, 1)
