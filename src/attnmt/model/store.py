"""A trained model on disk: one file, which holds the weights and what rebuilds the model from them.

``weights.safetensors`` carries its configuration as metadata; ``config.json`` beside it says the same to
people.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from attnmt.config import ModelShape, System
from attnmt.errors import InputError
from attnmt.files import write_bytes, write_json
from attnmt.model.device import best_device
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


def described(values: Mapping[str, Any]) -> ModelConfig:
    """Return the configuration that ``describe`` wrote.

    Raises:
        KeyError, TypeError, ValueError: if it is not one.
    """
    return ModelConfig(
        System(**values["system"]),
        ModelShape(**values["shape"]),
        values["source_words"],
        values["target_words"],
    )


def save_model(folder: Path, model: Translator, config: dict[str, Any]) -> None:
    """Write the weights and ``config``, which holds what ``describe`` returns and what else is known."""
    write_json(folder / "config.json", config)
    tensors = {name: value.contiguous() for name, value in model.state_dict().items()}
    metadata = {"config": json.dumps(config, sort_keys=True)}
    write_bytes(folder / "weights.safetensors", save(tensors, metadata))


def load_model(folder: Path, dataset_digest: str) -> Translator:
    """Rebuild a model in eval mode on the best device.

    Args:
        folder: of the model.
        dataset_digest: of the encoded data that the model is to be used with.

    Raises:
        InputError: if the file is missing or damaged, or the model was trained on other data.
    """
    path = folder / "weights.safetensors"
    if not path.exists():
        raise InputError(f"{path}: no such file; train the model first")
    try:
        with safe_open(path, framework="pt") as file:
            values = json.loads(file.metadata()["config"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        model = Translator(described(values))
        model.load_state_dict(tensors)
    except (KeyError, TypeError, ValueError, RuntimeError, SafetensorError) as error:
        raise InputError(f"{path}: not a model of this program, or damaged: {error}") from error
    if values.get("dataset_digest") != dataset_digest:
        raise InputError(f"{path}: trained on other data than what is encoded now; train it again")
    return model.to(best_device()).eval()
