"""What a training says of itself: when, where, at which commit and how fast it ran.

``runs/<experiment>/<name>.json`` has it, outside all that a stage writes, so that results depend on
nothing but text, parameters and code. MLflow, ``attnmt plan`` and ``attnmt pack`` read it.
``attnmt commit --publish`` copies it into ``reports/<experiment>/runs.csv``, which is in git.
"""

from typing import Annotated

from pydantic import Field, PositiveFloat

from attnmt.config import Params
from attnmt.config.strict import Name
from attnmt.errors import InputError
from attnmt.files.csv_file import CsvLine, read_csv, write_csv
from attnmt.files.json_file import Count, Positive, Text, read_model
from attnmt.layout import Layout
from attnmt.training.trained import read_config


class Provenance(CsvLine):
    """One training, as it says itself."""

    model: Name
    fingerprint: Name  # of config.json
    code: Text  # digest of the code that it ran
    commits: Text  # those at which it ran, with spaces between
    started: Text
    # All on which it ran, with semicolons between; of a GPU also the driver and torch's CUDA
    device: Text
    instructions: Text  # as attnmt.model.cpu_isa.used names them
    threads: Positive
    torch: Text
    python: Text
    numpy: Text
    constraints: Text | None  # the SHA-256 of constraints.txt, which pins the versions
    seconds: Annotated[float, Field(ge=0)]
    target_words_per_second: PositiveFloat
    peak_memory_mb: Count


def read_provenance(experiment: str, name: str) -> Provenance | None:
    """Return what the training of a model here, or else the published one, said of itself.

    None if neither is that of the present model, as after ``dvc pull``.
    """
    layout = Layout(experiment)
    path, fingerprint = layout.provenance(name), read_config(layout.model(name)).fingerprint
    here = [read_model(path, Provenance, f"delete {path}")] if path.exists() else []
    known = (one for one in [*here, *published(experiment)] if one.model == name)
    return next((one for one in known if one.fingerprint == fingerprint), None)


def published(experiment: str) -> list[Provenance]:
    """Return the trainings in ``runs.csv``; none if there is no such file."""
    path = Layout(experiment).published
    cure = "run attnmt commit --publish again"
    return read_csv(path, Provenance, cure) if path.exists() else []


def publish(params: Params) -> None:
    """Write ``runs.csv`` from what the trainings of an experiment said of themselves.

    Raises:
        InputError: if a model is not trained, or was trained elsewhere.
    """
    layout, lines = Layout(params.experiment), []
    for name in params.trainings:
        line = read_provenance(params.experiment, name)
        if line is None:
            raise InputError(
                f"{layout.provenance(name)}: missing, or not of the present {name}; copy it from where "
                f"{name} was trained, or train it here"
            )
        lines.append(line)
    write_csv(layout.published, Provenance, lines)
