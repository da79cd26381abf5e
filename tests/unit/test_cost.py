"""The cost of a model: what torch counts is what the model's shapes say."""

from typing import Any

import pytest
import torch
from small_models import SHAPE
from small_training import FEEDING, SETTINGS, small

from attnmt.config import ModelShape, System
from attnmt.model.luong import ModelConfig, parameter_count
from attnmt.planning.cost import Work, checkpoint_bytes, work
from attnmt.planning.text_size import Lengths
from attnmt.training.checkpoint import Checkpoints
from attnmt.training.optimizers import OPTIMIZERS
from attnmt.training.state import TrainingState

PAPER = ModelShape(layers=4, size=1000, window_D=10, location_slots=50, init=0.1)


def paper(**system: Any) -> ModelConfig:
    return ModelConfig(System(**system), PAPER, 50000, 50000)


def test_the_cost_of_the_papers_base_agrees_with_a_count_by_hand():
    # 2 embeddings and W_s have 50,000 x 1,000; 2 x 4 layers have 4,000 x 2,000
    assert parameter_count(paper()) == 3 * 50_000_000 + 8 * 8_000_000
    cost = work(paper())
    assert cost == Work(
        source_word=2 * 4 * 8_000_000, target_word=2 * (4 * 8_000_000 + 50_000_000), both=0
    )
    assert cost.training(Lengths(source=20, target=25)) == 6 * (0.8 * 32e6 + 32e6 + 50e6)


def test_the_cost_of_the_papers_best_system_agrees_with_a_count_by_hand():
    best = paper(attention="local_p", score="general", input_feeding=True)
    # The first layer reads h~ too; W_a and W_p of 1,000 x 1,000, v_p; W_c of 1,000 x 2,000
    assert (
        parameter_count(best)
        == parameter_count(paper()) + 4_000_000 + 2_000_000 + 1_000 + 2_000_000
    )
    keys, position, layer = 1_000_000, 1_000_000, 2_000_000
    assert work(best) == Work(
        source_word=2 * (32_000_000 + keys),
        target_word=2 * (36_000_000 + position + layer + 50_000_000),
        both=2 * (1000 + 1000),  # a score and a share of the context
    )


def test_the_work_of_a_training_grows_with_the_source():
    cost = work(ModelConfig(System(attention="global", score="dot"), SHAPE, 7, 6))
    more = cost.training(Lengths(20, 10)) - cost.training(Lengths(10, 10))
    assert more == 3 * (cost.source_word + 10 * cost.both)


@pytest.mark.parametrize("changes", [{}, {"optimizer": "adam"}], ids=str)
def test_a_checkpoint_has_the_size_that_is_planned(tmp_path, changes):
    settings, model = SETTINGS.model_copy(update=changes), small(FEEDING, 64)
    optimizer = OPTIMIZERS[settings.optimizer](list(model.parameters()))
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimizer.update(0.1, torch.ones(()))
    Checkpoints(tmp_path, 0).save(model, optimizer, TrainingState(step=1, best_step=1))
    written = (tmp_path / "last.safetensors").stat().st_size
    others = 20_000  # the random numbers' state and the header
    assert 0 < written - checkpoint_bytes(model.config, settings) < others
