"""Outputs that were left by models and families that are no longer in the parameters."""

import logging
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

from attnmt.config import Params
from attnmt.layout import Layout
from attnmt.scoring.score_table import BASELINES

log = logging.getLogger(__name__)


def set_aside(params: Params) -> list[Path]:
    """Move leftovers to ``set-aside/``, so that no stage that reads a whole folder counts them.

    Returns:
        The paths where they were.
    """
    layout = Layout(params.experiment)
    moved = list(_leftovers(params, layout))
    for path in moved:
        place = layout.set_aside / path
        if place.is_dir():
            shutil.rmtree(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        path.replace(place)
        log.warning("%s: %s has no such name; moved to %s", path, params.params_file, place)
    return moved


def _leftovers(params: Params, layout: Layout) -> Iterator[Path]:
    translators = {*params.trainings, *params.ensembles}
    known_names: dict[Path, Collection[str]] = {
        layout.encoded("x").parent: params.families,
        layout.model("x").parent: params.trainings,
        layout.translations("x").parent: translators,
        layout.scores("x").parent: {*translators, *BASELINES},
    }
    for folder, known in known_names.items():
        for path in sorted(folder.glob("[!.]*")):
            if path.stem not in known and path.suffix != ".partial":
                yield path
