"""Training and beam search on a GPU, without one: the host does not wait, and nothing leaves the GPU."""

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from fake_gpu import fake_gpu, on_the_gpu_only
from small_models import SHAPE, VARIANTS
from small_training import SETTINGS

from attnmt.config import System
from attnmt.config.parts import OPTIMIZERS
from attnmt.decoding.search import Search, search
from attnmt.model.decoders import DecoderState
from attnmt.model.luong import Ids, LuongNMT, ModelConfig
from attnmt.text.batches import Batch
from attnmt.training.step import TrainingStep

CONFIGURATIONS = {
    str(v): (
        v.cell,
        System(attention=v.attention, score=v.score, input_feeding=v.feeding, dropout=0.2),
    )
    for v in VARIANTS
} | {
    f"{cell}-bidirectional": (
        cell,
        System(encoder="bidirectional", attention="global", score="dot", dropout=0.2),
    )
    for cell in ("lstm", "gru")
}
V = 200  # of the target; the search looks at blocks of 64 words


class OnTheGPU(LuongNMT):
    """A model whose sources are on the GPU already."""

    def start(self, sources: Sequence[Ids]) -> DecoderState:
        source = self.softmax_weight.new_ones(len(sources), 3, dtype=torch.int64)
        return DecoderState(self.decoder, *self.encode(source, source[:, 0]))


def build(cell: str, system: System) -> LuongNMT:
    shape = SHAPE.model_copy(update={"cell": cell, "layers": 1})
    return OnTheGPU(ModelConfig(system, shape, 7, V))


def train(model: LuongNMT, gpu: torch.device, optimizer: str = "sgd") -> None:
    """Take two steps, and evaluate the model."""
    with gpu:
        source, words = torch.ones(2, 3, dtype=torch.int64), torch.ones(2, 2, dtype=torch.int64)
    batch = Batch(source, source[:, 0], words, words, words[:, 0])
    step = TrainingStep(model.train(), SETTINGS.model_copy(update={"optimizer": optimizer}))
    with on_the_gpu_only():
        step(batch, 0.5)
        loss = step(batch, 0.5)  # the optimizer has a state by now
        with torch.inference_mode():
            h_tilde, _ = model.eval()(batch.source, batch.source_lengths, batch.words)
            cost = model.loss(h_tilde, batch.next_words, batch.lengths)
    assert loss.device.type == cost.device.type == gpu.type


def translate(models: list[LuongNMT]) -> None:
    """Search with three sentences, of which two go on after the first step and none after the second."""
    sources = [np.ones(3, dtype=np.int32)] * 3
    with pytest.MonkeyPatch.context() as patch, on_the_gpu_only(2, 0) as host:
        patch.setattr("attnmt.decoding.search.read_back", lambda *_: [])
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
    names = ("lstm-none", "lstm-local_p-general-feed", "gru-global-additive")
    with fake_gpu() as gpu:
        with gpu:
            models = [build(*CONFIGURATIONS[name]) for name in names]
        for model in models:
            train(model, gpu, optimizer)
        translate(models)
