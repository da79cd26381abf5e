"""Training and beam search on a GPU, without one: the host does not wait, and nothing leaves the GPU."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from fake_gpu import fake_gpu, on_the_gpu_only
from small_models import SHAPE, VARIANTS
from small_training import RECIPE
from torch import Tensor

from attnmt.config import System, load_params
from attnmt.config.systems import Systems
from attnmt.decoding.history import History
from attnmt.decoding.search import Search, search
from attnmt.model.fast.stepper import Stepper
from attnmt.model.translator import Ids, ModelConfig, Translator
from attnmt.text.batches import Batch
from attnmt.training.optimizers import OPTIMIZERS
from attnmt.training.step import Step

ROOT = Path(__file__).parents[2]
FAMILIES = load_params(ROOT / "params.yaml", ROOT).families
SYSTEMS = Systems.model_validate(yaml.safe_load((ROOT / "systems.yaml").read_text())).systems
CONFIGURATIONS = {
    name: (FAMILIES[system.family].shape.cell, system) for name, system in SYSTEMS.items()
}
TRIED = {(cell, s.attention, s.score, s.input_feeding) for cell, s in CONFIGURATIONS.values()}
# Every score with every kind of decoder, where no system of systems.yaml has it.
CONFIGURATIONS |= {
    str(variant): (
        variant.cell,
        System(attention=variant.attention, score=variant.score, input_feeding=variant.feeding),
    )
    for variant in VARIANTS
    if variant.attention == "global" and variant not in TRIED
}
V = 200  # of the target; the search looks at blocks of 64 words


class OnTheGPU(Translator):
    """A model whose sources are on the GPU already."""

    def start(self, sources: Sequence[Ids]) -> Stepper:
        source = self.W_s.new_ones(len(sources), 3, dtype=torch.int64)
        return Stepper(self.decoder, *self.encode(source, source[:, 0]))


def build(cell: str, system: System) -> Translator:
    shape = SHAPE.model_copy(update={"cell": cell, "layers": 1})
    return OnTheGPU(ModelConfig(system, shape, 7, V))


def train(model: Translator, gpu: torch.device, optimizer: str = "sgd") -> None:
    """Take two steps, and evaluate the model."""
    with gpu:
        source, words = torch.ones(2, 3, dtype=torch.int64), torch.ones(2, 2, dtype=torch.int64)
    batch = Batch(source, source[:, 0], words, words, words[:, 0])
    step = Step(model.train(), RECIPE.model_copy(update={"optimizer": optimizer}))
    with on_the_gpu_only():
        step(batch, 0.5)
        loss = step(batch, 0.5)  # the optimizer has a state by now
        with torch.inference_mode():
            h_tilde, _ = model.eval()(batch.source, batch.source_lengths, batch.words)
            cost = model.loss(h_tilde, batch.next_words, batch.lengths)
    assert loss.device.type == cost.device.type == gpu.type


def translate(models: list[Translator]) -> None:
    """Search with three sentences, of which two go on after the first step and none after the second."""
    sources = [np.ones(3, dtype=np.int32)] * 3
    with pytest.MonkeyPatch.context() as patch, on_the_gpu_only(2, 0) as host:
        patch.setattr(History, "read_back", lambda self, shift: self)
        search(models, sources, Search(beam=3, candidates=20))
        assert not host.answers


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_training_and_search_stay_on_the_gpu(name):
    with fake_gpu() as gpu:
        with gpu:
            model = build(*CONFIGURATIONS[name])
        train(model, gpu)
        translate([model])


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_so_do_every_optimizer_and_an_ensemble(optimizer):
    names = ("base", "local_p_general_feed", "gru_additive")
    with fake_gpu() as gpu:
        with gpu:
            models = [build(*CONFIGURATIONS[name]) for name in names]
        for model in models:
            train(model, gpu, optimizer)
        translate(models)


def waits(loss: Tensor) -> None:
    loss.item()


def leaves(loss: Tensor) -> None:
    loss.cpu()


@pytest.mark.parametrize("mistake", [waits, leaves])
def test_a_mistake_in_a_step_is_found(mistake, monkeypatch):
    trained = Translator.loss

    def loss(self: Translator, *args: Any) -> Tensor:
        total = trained(self, *args)
        mistake(total.detach())
        return total

    monkeypatch.setattr(Translator, "loss", loss)
    with fake_gpu() as gpu:
        with gpu:
            model = build("lstm", System())
        with pytest.raises(Exception, match=r"aten\."):
            train(model, gpu)
