"""A file of weights as safetensors keeps it: tensors, and the configuration as metadata."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from attnmt.errors import InputError
from attnmt.model.trained import TrainedConfig, config_in


@contextmanager
def opened(path: Path, framework: str) -> Iterator[tuple[Any, TrainedConfig]]:
    """Open ``weights.safetensors`` of a model's folder; yield the file and its configuration.

    Args:
        framework: the kind of tensors that the file gives, ``pt`` or ``numpy``.

    Raises:
        InputError: if it is missing or damaged, or belongs to another model.
    """
    if not path.exists():
        raise InputError(f"{path}: no such file; train the model first")
    try:
        with safe_open(path, framework=framework) as file:
            values = json.loads(file.metadata()["config"])
            yield file, config_in(values, path)
    except (KeyError, TypeError, ValueError, OSError, SafetensorError) as error:
        raise InputError(
            f"{path}: not a model of this program, or damaged ({error}); train {path.parent.name} again"
        ) from error
