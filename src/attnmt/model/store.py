"""A trained model on disk: ``weights.safetensors`` and the ``config.json`` that rebuilds it."""

from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from attnmt.config import ModelShape, System
from attnmt.errors import InputError
from attnmt.files import atomic_path, read_json, write_json
from attnmt.model.translator import ModelConfig, Translator


def describe(model: Translator) -> dict[str, Any]:
    """Return what rebuilds the model but for its weights."""
    config = model.config
    return {
        "system": config.system.model_dump(),
        "shape": config.shape.model_dump(),
        "source_words": config.source_words,
        "target_words": config.target_words,
    }


def save_model(folder: Path, model: Translator, config: dict[str, Any]) -> None:
    """Write the weights and ``config``, which holds what ``describe`` returns and what else is known."""
    write_json(folder / "config.json", config)
    with atomic_path(folder / "weights.safetensors") as partial:
        save_file({k: v.contiguous() for k, v in model.state_dict().items()}, partial)


def best_device() -> torch.device:
    """Return the GPU where there is one, else the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def load_model(folder: Path) -> Translator:
    """Rebuild a model in eval mode on the best device.

    Raises:
        InputError: if a file is missing, damaged, or the two do not belong together.
    """
    values = read_json(folder / "config.json")
    weights = folder / "weights.safetensors"
    if not weights.exists():
        raise InputError(f"{weights}: no such file; train the model first")
    try:
        config = ModelConfig(
            System(**values["system"]),
            ModelShape(**values["shape"]),
            values["source_words"],
            values["target_words"],
        )
        model = Translator(config)
        model.load_state_dict(load_file(weights))
    except Exception as error:
        raise InputError(f"{folder}: weights and config.json do not fit: {error}") from error
    return model.to(best_device()).eval()
