"""How far trainings are that have begun, by their checkpoints, without torch, which loads slowly."""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from safetensors import SafetensorError, safe_open

from attnmt.config import Params
from attnmt.layout import Layout
from attnmt.planning.text_size import TextSize

# In the folder of each fingerprint; the module attnmt.training.checkpoint, which loads torch, writes it.
LAST = "*/last.safetensors"


def shares_trained(
    params: Params, names: Iterable[str], sizes: Mapping[str, TextSize]
) -> dict[str, float]:
    """Return the share of its batches that the newest checkpoint of a training has, by model.

    A model without a checkpoint is left out, and so is one whose text is not encoded. A checkpoint may
    be of other settings or code than today's. Its training then begins from the start.
    """
    shares = {}
    for name in names:
        size = sizes.get(params.model(name).family)
        steps = _steps(Layout(params.experiment).checkpoints(name))
        if steps and size and not size.estimate:
            shares[name] = min(1.0, steps / size.batches(params.recipe(name)))
    return shares


def _steps(folder: Path) -> int:
    """Return how many batches the newest checkpoint in a folder has; 0 if none can be read."""
    with suppress(OSError, SafetensorError, KeyError, TypeError, ValueError):
        newest = max(folder.glob(LAST), key=lambda path: path.stat().st_mtime)
        with safe_open(newest, framework="numpy") as file:
            return int(json.loads(file.metadata()["progress"])["step"])
    return 0
