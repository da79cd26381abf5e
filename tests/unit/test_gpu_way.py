"""The GPU's way through a training step, on a processor: padded batches, and captured steps.

A graph does its work again here. ``tests/gpu`` compares with real ones.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
import torch
from fake_gpu import fake_gpu, on_the_gpu_only
from small_models import VARIANTS, padded_batch, translator
from small_training import FEEDING, SETTINGS, small
from torch import Tensor

from attnmt.errors import InputError
from attnmt.text.batches import Batch
from attnmt.training import cuda_graphs
from attnmt.training.cuda_graphs import MULTIPLE, CapturedSteps, padded
from attnmt.training.step import TrainingStep

each_variant = pytest.mark.parametrize("variant", VARIANTS, ids=str)


@each_variant
def test_padding_to_a_multiple_changes_no_loss_and_no_gradient(variant):
    model, batch = translator(variant), Batch(*padded_batch())
    results = []
    for one in (batch, padded(batch)):
        h_tilde, _ = model(one.source, one.source_lengths, one.words)
        loss = model.loss(h_tilde, one.next_words, one.lengths)
        names, parameters = zip(*model.named_parameters(), strict=True)
        gradients = torch.autograd.grad(loss, parameters, materialize_grads=True)
        results.append((loss.detach(), dict(zip(names, gradients, strict=True))))
    assert padded(batch).source.shape == padded(batch).words.shape == (3, MULTIPLE)
    torch.testing.assert_close(results[1], results[0], rtol=1e-11, atol=1e-13)
    assert padded(padded(batch)).source.shape == (3, MULTIPLE)


@pytest.mark.parametrize(("faults", "width"), [([], MULTIPLE), (["unmasked_padding"], 3)])
def test_a_gpu_pads_all_but_models_that_attend_to_padding(faults, width):
    with fake_gpu() as gpu:
        with gpu:
            model = small(FEEDING.model_copy(update={"faults": faults}))
            ids, lengths = torch.ones(2, 3, dtype=torch.int64), torch.full((2,), 3)
        widths: list[int] = []
        model.register_forward_pre_hook(lambda _, args: widths.append(args[0].shape[1]))
        step = TrainingStep(model.train(), SETTINGS)
        with on_the_gpu_only():
            step(Batch(ids, lengths, ids, ids, lengths), 0.5)
    assert widths == [width]


class Steps:
    """Stands for training steps, and for graphs on a processor: a replay works with captured memory."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.taken: list[tuple[Batch, Tensor]] = []
        self.error = ""
        monkeypatch.setattr(torch.cuda, "graph_pool_handle", lambda: "pool")
        monkeypatch.setattr(torch.cuda, "CUDAGraph", SimpleNamespace)
        monkeypatch.setattr(torch.cuda, "graph", self.capture)

    def train(self, batch: Batch) -> Tensor:
        self.taken.append((batch, self.loss(batch)))
        return self.taken[-1][1]

    @staticmethod
    def loss(batch: Batch) -> Tensor:
        return batch.source.sum() + 100 * batch.lengths.sum()

    @contextmanager
    def capture(self, graph: SimpleNamespace, pool: str) -> Iterator[None]:
        assert pool == "pool"
        try:
            yield
            if self.error:
                raise RuntimeError(self.error)
        except RuntimeError:
            raise RuntimeError("operation failed due to a previous error") from None
        batch, loss = self.taken[-1]
        loss.zero_()  # a capture computes nothing
        graph.replay = lambda: loss.copy_(self.loss(batch))


def batch_of(number: int, width: int) -> Batch:
    ids = torch.full((2, width), number)
    return Batch(ids, ids[:, 0], ids, ids, ids[:, 0])


def test_shapes_that_come_again_are_captured_the_largest_first_and_not_too_many(monkeypatch):
    monkeypatch.setattr(cuda_graphs, "WATCHED", 5)
    monkeypatch.setattr(cuda_graphs, "MOST", 3)
    widths = (3, 5, 3, 5, 1, 3, 5, 7, 7, 7, 9, 9, 9, 9)
    batches = [batch_of(number, width) for number, width in enumerate(widths)]
    steps = Steps(monkeypatch)
    captured = CapturedSteps(steps.train)
    losses = [captured(batch) for batch in batches]
    assert losses == [steps.loss(batch) for batch in batches]
    shapes = [batch.source.shape[1] for batch, _ in steps.taken]
    # Five are watched, and 5 and 3 captured; then 7 is at its second batch; 9 is one too many.
    assert shapes == [3, 5, 3, 5, 1, 5, 3, 7, 7, 7, 9, 9, 9, 9]


@pytest.mark.parametrize(
    ("error", "key"),
    [
        ("not permitted\nwhen stream is capturing", "captured"),
        ("CUDA out of memory.", "batch_size"),
    ],
)
def test_a_capture_that_fails_names_its_first_cause_and_how_to_go_on(monkeypatch, error, key):
    """As in torch, the end of a capture that has failed is an error, too."""
    monkeypatch.setattr(cuda_graphs, "WATCHED", 2)
    steps = Steps(monkeypatch)
    steps.error = error
    captured = CapturedSteps(steps.train)
    captured(batch_of(1, 3))
    with pytest.raises(InputError, match="set ATTNMT_CUDA_GRAPHS=0") as refused:
        captured(batch_of(2, 3))
    assert " ".join(error.split()) in str(refused.value)
    assert key in str(refused.value)
    assert ("cannot be captured" in str(refused.value)) == (key == "captured")
