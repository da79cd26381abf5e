"""What a model costs: the operations of training it, counted by torch.

The model is built without storage. Torch counts what the fast model computes, and not ``reference.py``,
which repeats at each step what some scores need only once. Only products of matrices count; a backward
pass has two for each of the forward pass.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import torch
from torch.utils.flop_counter import FlopCounterMode

from attnmt.config import Params, TrainingSettings
from attnmt.model.luong import LuongNMT, ModelConfig, parameter_count
from attnmt.planning.text_size import Lengths, TextSize, in_direction
from attnmt.training.optimizers import OPTIMIZERS


@dataclass(frozen=True)
class Work:
    """Floating-point operations of the forward pass; a multiply-add counts as two."""

    source_word: int
    target_word: int
    both: int  # of attention, for each source word at each target word

    def training(self, lengths: Lengths) -> float:
        """Return what a target word costs, forward and backward, in sentences of these lengths."""
        forward = self.source_word * lengths.source / lengths.target
        forward += self.target_word + self.both * lengths.source
        return 3 * forward


def config_of(params: Params, name: str, text: TextSize | None) -> ModelConfig:
    """Return what builds a model; a vocabulary that is not chosen yet has the size that it may have."""
    training = params.training(name)
    largest = params.families[training.family].encoding.vocabulary
    words = in_direction(text.vocabulary, training) if text else [largest, largest]
    return ModelConfig(training.system, params.shape(name), *words)


def training_costs(
    params: Params, names: Iterable[str], sizes: Mapping[str, TextSize]
) -> dict[str, float]:
    """Return the operations of training a target word, by training; ``sizes`` has all their families."""
    counted: dict[str, Work] = {}  # by system; its seeds cost the same
    costs = {}
    for name in names:
        training = params.training(name)
        system, text = training.system_name, sizes[training.family]
        if system not in counted:
            counted[system] = work(config_of(params, name, text))
        costs[name] = counted[system].training(text.lengths(training.system))
    return costs


def checkpoint_bytes(config: ModelConfig, settings: TrainingSettings) -> int:
    """Return the bytes of a checkpoint: weights, and what the optimizer remembers."""
    numbers = 1 + OPTIMIZERS[settings.optimizer].remembered
    return 4 * parameter_count(config) * numbers


def work(config: ModelConfig) -> Work:
    """Count the operations of sentence pairs of one and two words; they say it for all lengths."""
    with torch.device("meta"), torch.no_grad():
        model = LuongNMT(config).eval()
        one = _forward(model, 1, 1)
        source_and_both = _forward(model, 2, 1) - one
        target_and_both = _forward(model, 1, 2) - one
    both = source_and_both + target_and_both - one
    return Work(source_and_both - both, target_and_both - both, both)


def _forward(model: LuongNMT, source: int, target: int) -> int:
    """Count the operations of a sentence pair."""
    ids, lengths = torch.zeros(1, source, dtype=torch.long), torch.full((1,), source)
    with FlopCounterMode(
        display=False, custom_mapping={torch.ops.aten.addmm_: _added_in_place}
    ) as counter:
        h_tilde, _ = model(ids, lengths, torch.zeros(1, target, dtype=torch.long))
        model.logits(h_tilde)
    return int(counter.get_total_flops())


def _added_in_place(_: torch.Size, left: torch.Size, right: torch.Size, **__: object) -> int:
    """Return the operations of ``addmm_`` from its factors' sizes; torch knows only ``addmm``."""
    return 2 * left[0] * left[1] * right[1]
