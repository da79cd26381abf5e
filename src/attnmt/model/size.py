"""The number of a model's parameters, counted without making them."""

import torch

from attnmt.model.translator import ModelConfig, Translator


def parameters(config: ModelConfig) -> int:
    """Return the number of a model's parameters. The model is built without memory for its weights."""
    with torch.device("meta"):
        return sum(parameter.numel() for parameter in Translator(config).parameters())
