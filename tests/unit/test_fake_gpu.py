"""Training on a GPU, without one: no step makes the host wait, or leaves the GPU."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from fake_gpu import fake_gpu, on_the_gpu_only
from small_models import SHAPE, VARIANTS, Variant
from small_training import RECIPE
from torch import Tensor

from attnmt.config import System
from attnmt.model.translator import ModelConfig, Translator
from attnmt.text.batches import Batch
from attnmt.training.optimizers import OPTIMIZERS
from attnmt.training.step import Step

FAULTS = [
    (Variant("lstm", "global", "general", True), "general_gradient"),
    (Variant("lstm", "local_m", "dot", False), "unmasked_padding"),
    (Variant("lstm", "local_p", "general", True), "position_gradient"),
    (Variant("gru", "local_p", "concat", False), "position_gradient"),
]


def train(variant: Variant, faults: list[str]) -> None:
    """Take a step by each optimizer, and evaluate the model, on a fake GPU."""
    system = System(
        attention=variant.attention,
        score=variant.score,
        input_feeding=variant.feeding,
        reverse=True,
        dropout=0.2,
        faults=faults,
    )
    shape = SHAPE.model_copy(update={"cell": variant.cell, "layers": 1})
    with fake_gpu() as gpu:
        with gpu:
            model = Translator(ModelConfig(system, shape, 7, 6)).train()
            source, words = torch.ones(2, 3, dtype=torch.int64), torch.ones(2, 2, dtype=torch.int64)
        batch = Batch(source, source[:, 0], words, words, words[:, 0])
        recipes = [RECIPE.model_copy(update={"optimizer": name}) for name in OPTIMIZERS]
        steps = [Step(model, recipe) for recipe in recipes]
        with on_the_gpu_only():
            for step in steps:
                loss = step(batch, 0.5)
            with torch.inference_mode():
                h_tilde, _ = model.eval()(batch.source, batch.source_lengths, batch.words)
                cost = model.loss(h_tilde, batch.next_words, batch.lengths)
    assert loss.device.type == cost.device.type == gpu.type


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_training_stays_on_the_gpu(variant: Variant) -> None:
    train(variant, [])


@pytest.mark.parametrize(("variant", "fault"), FAULTS, ids=str)
def test_so_does_training_with_a_fault_of_the_authors_program(variant: Variant, fault: str) -> None:
    train(variant, [fault])


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_what_an_optimizer_remembers_stays_on_the_gpu(name: str) -> None:
    with fake_gpu() as gpu:
        parameter = torch.nn.Parameter(torch.ones(2, 3, device=gpu))
        optimizer, factor = OPTIMIZERS[name]([parameter]), torch.ones((), device=gpu)
        with on_the_gpu_only():
            for _ in range(2):  # the second time it finds its state
                parameter.grad = torch.ones_like(parameter)
                optimizer.update(0.5, factor)
    devices = {value.device.type for value in optimizer.state().values()}
    assert devices == ({gpu.type} if name == "adam" else set())


def waits(loss: Tensor) -> None:
    loss.item()


def decides(loss: Tensor) -> None:
    assert not loss.isnan()


def leaves(loss: Tensor) -> None:
    loss.cpu()


def meets_the_processor(loss: Tensor) -> None:
    loss.add_(torch.ones(()))


def is_sorted_by_value(loss: Tensor) -> None:
    loss[loss > 0]


@pytest.mark.parametrize(
    "mistake", [waits, decides, leaves, meets_the_processor, is_sorted_by_value]
)
def test_a_mistake_in_a_step_is_found(
    mistake: Callable[[Tensor], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    trained = Translator.loss

    def loss(self: Translator, *args: Any) -> Tensor:
        total = trained(self, *args)
        mistake(total.detach())
        return total

    monkeypatch.setattr(Translator, "loss", loss)
    with pytest.raises(Exception, match=r"aten\."):
        train(VARIANTS[0], [])
