"""Every variant of the model, small enough for finite differences, and a padded batch for them."""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from attnmt.config import ModelShape, System
from attnmt.model.translator import ModelConfig, Translator

# Sizes differ wherever they can; an odd number of cells gives key_value a key longer than its value.
SHAPE = ModelShape(layers=2, size=5, embedding=3, window_D=2, location_slots=4, init=0.8)
CONTENT_SCORES = ("dot", "general", "concat", "additive", "self", "key_value")
ATTENTIONS = [
    ("global", "location"),
    *itertools.product(("global", "local_m", "local_p"), CONTENT_SCORES),
]


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
GRU = [Variant("gru", *attention, False) for attention in ATTENTIONS]
VARIANTS = LSTM + GRU


def translator(
    variant: Variant, reverse: bool = True, dropout: float = 0.0, faults: Sequence[str] = ()
) -> Translator:
    """Build a model in double precision with the same weights every time."""
    system = System.model_validate(
        {
            "attention": variant.attention,
            "score": variant.score,
            "input_feeding": variant.feeding,
            "reverse": reverse,
            "dropout": dropout,
            "faults": list(faults),
        }
    )
    shape = SHAPE.model_copy(update={"cell": variant.cell})
    model = Translator(ModelConfig(system, shape, source_words=7, target_words=6)).double()
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
