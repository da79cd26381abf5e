"""Outputs of models and families that are no longer in the parameters: set aside, and put back."""

import logging
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

from attnmt.config import Params
from attnmt.layout import Layout
from attnmt.scoring.score_table import BASELINES
from attnmt.workflow.record import Run, Task, changes, dvc_digest

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


def put_back(run: Run | None, task: Task, aside: Path) -> None:
    """Move the outputs of a stage back if they lie aside and a run of this very stage made them."""
    places = {output: aside / output for output in task.outputs}
    if any(Path(one).exists() for one in places) or not all(
        one.exists() for one in places.values()
    ):
        return
    if not changes(run, task, lambda path: dvc_digest(places.get(str(path), path))):
        for output, place in places.items():
            Path(output).parent.mkdir(parents=True, exist_ok=True)
            place.replace(output)
        log.warning("%s: put back from %s", task.name, aside)
