"""Every variant of the model, small enough for finite differences, and a padded batch for them."""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from attnmt.config import ModelShape, System
from attnmt.model.luong import LuongNMT, ModelConfig

# Sizes differ wherever they can; an odd number of cells gives key_value a key longer than its value.
SHAPE = ModelShape(layers=2, size=5, embedding=3, window_D=2, location_slots=4, init=0.8)
CONTENT_SCORES = ("dot", "general", "concat", "additive", "self", "key_value")
WINDOWS = ("global", "local_m", "local_p")
ATTENTIONS = [("global", "location"), *itertools.product(WINDOWS, CONTENT_SCORES)]


class Variant(NamedTuple):
    """What distinguishes one kind of decoder from another."""

    cell: str
    attention: str
    score: str | None
    feeding: bool

    def __str__(self) -> str:
        feed = "feed" if self.feeding else None
        return "-".join(part for part in (self.cell, self.attention, self.score, feed) if part)


LSTM = [
    Variant("lstm", *attention, feeding)
    for attention in [("none", None), *ATTENTIONS]
    for feeding in (False, True)
]
VARIANTS = LSTM + [Variant("gru", *attention, False) for attention in ATTENTIONS]


def translator(
    variant: Variant,
    reverse: bool = True,
    dropout: float = 0.0,
    faults: Sequence[str] = (),
    encoder: str = "recurrent",
    **own: object,
) -> LuongNMT:
    """Build a model in double precision with the same weights every time; ``own`` is of the system."""
    system = System(
        attention=variant.attention,
        score=variant.score,
        input_feeding=variant.feeding,
        reverse=reverse,
        encoder=encoder,
        dropout=dropout,
        faults=list(faults),
        **own,
    )
    shape = SHAPE.model_copy(update={"cell": variant.cell})
    model = LuongNMT(ModelConfig(system, shape, source_words=7, target_words=6)).double()
    model.initialize(3)
    return model


def padded_batch() -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Return sources of 6, 2 and 1 words with their lengths, targets of 3, 4 and 2 predictions."""
    generator = torch.Generator().manual_seed(0)
    source = torch.randint(3, 7, (3, 6), generator=generator)
    lengths = torch.tensor([6, 2, 1])
    source[torch.arange(6) < 6 - lengths[:, None]] = 0
    words = torch.randint(0, 6, (3, 4), generator=generator)
    next_words = torch.randint(0, 6, (3, 4), generator=generator)
    return source, lengths, words, next_words, torch.tensor([3, 4, 2])


def word_losses(model: LuongNMT, h_tilde: Tensor, next_words: Tensor, lengths: Tensor) -> Tensor:
    """Return -log p of each target word in order, [sum of lengths], as torch computes it."""
    real = torch.arange(next_words.shape[1]) < lengths[:, None]
    return nn.functional.cross_entropy(
        model.logits(h_tilde[real]), next_words[real], reduction="none"
    )


def loss_and_gradients(model: nn.Module) -> tuple[Tensor, dict[str, Tensor]]:
    """Return the loss of the padded batch and the gradients of all parameters by name."""
    device = next(model.parameters()).device
    source, lengths, words, next_words, predicted = (part.to(device) for part in padded_batch())
    h_tilde, _ = model(source, lengths, words)
    loss = model.loss(h_tilde, next_words, predicted)
    names, parameters = zip(*model.named_parameters(), strict=True)
    gradients = torch.autograd.grad(loss, parameters, materialize_grads=True)
    return loss.detach(), dict(zip(names, gradients, strict=True))


def check_derivatives(model: LuongNMT) -> None:
    """Require the gradient of each parameter to be the slope of the loss along a random direction."""

    def loss_with_the_same_masks() -> tuple[Tensor, dict[str, Tensor]]:
        torch.manual_seed(1)
        return loss_and_gradients(model)

    _, gradients = loss_with_the_same_masks()
    for number, (name, parameter) in enumerate(model.named_parameters()):
        generator = torch.Generator().manual_seed(number)
        step = 1e-5 * torch.randn(parameter.shape, dtype=torch.float64, generator=generator)
        ends = []
        for sign in (1, -2):
            parameter.data += sign * step
            ends.append(loss_with_the_same_masks()[0])
        parameter.data += step
        expected = ((ends[0] - ends[1]) / 2).item()
        slope = float((gradients[name] * step).sum())
        assert abs(slope - expected) < 1e-8 * abs(expected) + 1e-11, name
