"""A trained model on disk: ``weights.safetensors`` and the ``config.json`` that rebuilds it."""

from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
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
    """Return the GPU where there is one, else the CPU; sums of products are kept in full fp32."""
    torch.backends.cudnn.allow_tf32 = False  # its LSTM would else round what our own step does not
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def load_model(folder: Path, dataset_digest: str) -> Translator:
    """Rebuild a model in eval mode on the best device.

    Args:
        folder: of the run.
        dataset_digest: of the prepared data that the model is to be used with.

    Raises:
        InputError: if a file is missing or damaged, the two do not belong together, or the model was
            trained on other data.
    """
    values = read_json(folder / "config.json")
    weights = folder / "weights.safetensors"
    if not weights.exists():
        raise InputError(f"{weights}: no such file; train the model first")
    if values.get("dataset_digest") != dataset_digest:
        raise InputError(
            f"{folder}: trained on other data than what is prepared now; train it again"
        )
    try:
        config = ModelConfig(
            System(**values["system"]),
            ModelShape(**values["shape"]),
            values["source_words"],
            values["target_words"],
        )
        model = Translator(config)
        model.load_state_dict(load_file(weights))
    except (KeyError, ValueError, RuntimeError, SafetensorError) as error:
        raise InputError(f"{folder}: weights and config.json do not fit: {error}") from error
    return model.to(best_device()).eval()
