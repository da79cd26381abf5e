"""The cost of a model, against torch's own count."""

from typing import Any

import pytest
import torch
from small_models import SHAPE, VARIANTS, Variant, translator
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

from attnmt.config import ModelShape, System
from attnmt.model.translator import ModelConfig, Translator
from attnmt.planning.cost import parameters, training_memory, work
from attnmt.planning.text_size import Lengths

PAIRS, SOURCE, TARGET = 3, 6, 4
PAPER = ModelShape(layers=4, size=1000, window_D=10, location_slots=50, init=0.1)


def paper(**system: Any) -> ModelConfig:
    return ModelConfig(System(**system), PAPER, 50000, 50000)


class FlopCounter(TorchDispatchMode):
    """Adds up torch's formulas for every operation, nested back-propagation included."""

    def __init__(self) -> None:
        super().__init__()
        self.flop = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        formula = flop_registry.get(func.overloadpacket)
        if func.overloadpacket is torch.ops.aten.addmm_:  # unknown to torch
            formula = flop_registry[torch.ops.aten.addmm]
        self.flop += formula(*args, **(kwargs or {}), out_val=out) if formula else 0
        return out


def counted_flop(model: Translator) -> int:
    """Return the operations that one batch without padding takes."""
    source = torch.randint(3, 6, (PAIRS, SOURCE))
    words = torch.randint(3, 6, (PAIRS, TARGET))
    lengths = torch.full((PAIRS,), TARGET)
    with FlopCounter() as counter:
        h_tilde, _ = model(source, torch.full((PAIRS,), SOURCE), words)
        model.loss(h_tilde, words, lengths).backward()
    return counter.flop


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_parameters_are_those_of_the_built_model(variant: Variant) -> None:
    model = translator(variant)
    assert parameters(model.config) == sum(p.numel() for p in model.parameters())


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_work_is_what_torch_counts(variant: Variant) -> None:
    model = translator(variant)
    cost = work(model.config, Lengths(SOURCE, TARGET))
    counted = counted_flop(model) / (PAIRS * TARGET)
    # To get the gradients of shared tensors, an unrolled decoder computes attention a second time: up
    # to the contexts, and from them back to the scores.
    repeated = 4 * cost.attention if variant.feeding or variant.cell == "gru" else 0
    assert (
        cost.training_flop * (1 - 1e-12) <= counted <= (cost.training_flop + repeated) * (1 + 1e-12)
    )


def test_the_cost_of_the_papers_base_agrees_with_a_count_by_hand() -> None:
    # 2 embeddings and W_s have 50,000 x 1,000; 2 x 4 layers have 4,000 x 2,000
    assert parameters(paper()) == 3 * 50_000_000 + 8 * 8_000_000
    cost = work(paper(), Lengths(source=20, target=25))
    assert (cost.encoder, cost.decoder) == (0.8 * 4 * 8e6, 4 * 8e6)
    assert (cost.attention, cost.output) == (0, 50e6)
    assert cost.training_flop == 6 * (25.6e6 + 32e6 + 50e6)


def test_the_cost_of_the_papers_best_system_agrees_with_a_count_by_hand() -> None:
    best = paper(attention="local_p", score="general", input_feeding=True)
    # The first layer reads h~ too; W_a and W_p of 1,000 x 1,000, v_p; W_c of 1,000 x 2,000
    assert parameters(best) == parameters(paper()) + 4_000_000 + 2_000_000 + 1_000 + 2_000_000
    cost = work(best, Lengths(source=20, target=25))
    assert cost.decoder == 36e6
    keys, scores, context, position, layer = 0.8 * 1e6, 20e3, 20e3, 1e6, 2e6
    assert cost.attention == keys + scores + context + position + layer


def test_work_grows_with_the_source() -> None:
    config = ModelConfig(System(attention="global", score="dot"), SHAPE, 7, 6)
    short, long = (work(config, Lengths(source, 10)) for source in (10, 20))
    assert long.encoder == 2 * short.encoder
    assert long.attention > short.attention
    assert (long.decoder, long.output) == (short.decoder, short.output)


def test_memory_holds_parameters_gradients_and_the_batch() -> None:
    lengths = Lengths(50, 51)
    base = training_memory(paper(), 128, lengths)
    # Weights and gradients; 8 vectors of 1,000 for each word and layer
    words = 128 * (50 + 51) * 4 * 8 * 1000
    assert base == 4 * (2 * 214_000_000 + words + (1 << 26))
    feeding = training_memory(paper(input_feeding=True), 128, lengths)
    additive = paper(input_feeding=True, attention="global", score="additive")
    assert base < feeding < training_memory(additive, 128, lengths)
    assert base < training_memory(paper(), 256, lengths)
