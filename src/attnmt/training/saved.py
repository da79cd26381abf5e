"""A trained model on disk: one file, which holds the weights and what rebuilds the model from them.

``weights.safetensors`` carries its configuration as metadata; ``config.json`` beside it holds the same
as plain text.
"""

import json
from pathlib import Path
from typing import Any

from attnmt.config import Params
from attnmt.errors import InputError, lacks_memory
from attnmt.files.json_file import checked
from attnmt.files.text_file import write_json
from attnmt.layout import CONFIG, WEIGHTS, Layout
from attnmt.model.cpu_isa import compute_with
from attnmt.model.device import best_device
from attnmt.model.luong import LuongNMT, ModelConfig
from attnmt.text.encoded import EncodedSets
from attnmt.training.tensor_file import read_tensors, write_tensors
from attnmt.training.trained import TrainedConfig, again


def describe(model: LuongNMT) -> dict[str, Any]:
    """Return what it takes, apart from the weights, to rebuild the model."""
    config = model.config
    return {
        "system": config.system.model_dump(),
        "shape": config.shape.model_dump(),
        "source_words": config.source_words,
        "target_words": config.target_words,
    }


def save_model(folder: Path, model: LuongNMT, config: dict[str, Any]) -> None:
    """Write the weights and ``config``: what ``describe`` returns, and the training's settings."""
    write_json(folder / CONFIG, config)
    metadata = {"config": json.dumps(config, sort_keys=True)}
    write_tensors(folder / WEIGHTS, model.state_dict(), metadata)


def load_model(params: Params, name: str, data: EncodedSets, root: Path = Path()) -> LuongNMT:
    """Rebuild a model of an experiment in eval mode on the best device.

    On a processor weights of 32 bits stay in the file, which is mapped, so each takes memory once.

    Raises:
        InputError: if the file is missing or damaged, if the model was trained on other data, with
            other vocabularies or by other settings than the parameters have, or if its weights do not
            fit such a model.
    """
    path = Layout(params.experiment, root).model(name) / WEIGHTS
    if not path.exists():
        raise InputError(f"{path}: no such file; train the model first")
    compute_with(params.machine.cpu_isa)  # first, since torch computes when it reads weights
    try:
        weights, metadata = read_tensors(path)
        values = json.loads(metadata["config"])
        config = checked(values, TrainedConfig, str(path), again(path.parent))
        _check_settings(config, params, name, path)
        _check_text(config, params, name, path, data)
        words = config.source_words, config.target_words
        model = LuongNMT(ModelConfig(config.system, config.shape, *words))
        model.load_state_dict(weights, assign=True)
        return model.float().to(best_device()).eval()  # packed weights may have 16 bits
    except (KeyError, TypeError, ValueError, RuntimeError, OSError) as error:
        if lacks_memory(error):
            raise
        why = " ".join(str(error).split())
        raise InputError(
            f"{path}: not a model of this program, or damaged ({why}); {again(path.parent)}"
        ) from error


def _check_text(
    config: TrainedConfig, params: Params, name: str, path: Path, data: EncodedSets
) -> None:
    """Refuse a model of other text or vocabularies than ``data`` has."""
    if config.dataset_digest != data.digest:
        raise InputError(
            f"{path}: the encoded data changed after this training; train {name} again"
        )
    for language in params.sides(name):
        if data.vocabulary(language).digest != config.vocabularies.get(language):
            raise InputError(
                f"{data.folder / f'vocab.{language}'}: its words, or their order, are not those "
                f"that {name} was trained with; run encode again, or train {name} again"
            )


def _check_settings(config: TrainedConfig, params: Params, name: str, path: Path) -> None:
    """Refuse a model whose settings are not those of the parameters."""
    training = params.training(name)
    expected = {
        "family": training.family,
        "seed": training.seed,
        "system": training.system,
        "shape": params.shape(name),
        "training": params.settings(name),
    }
    for key, value in expected.items():
        if getattr(config, key) != value:
            raise InputError(
                f"{path}: {key}: trained with other settings than {params.params_file} has for "
                f"{name}; train {name} again"
            )
