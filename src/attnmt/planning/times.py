"""How long trainings take: the one answer of ``attnmt new``, ``attnmt plan`` and the log of a run.

First comes the speed that was measured on this machine for a family (:mod:`attnmt.planning.measure`),
then the times in the experiment's report, and last the pace of its trainings that are done. A speed is
kept in operations a second (:mod:`attnmt.planning.cost`), so that it holds for all models of the family.
It does not hold for other sizes: on one core, one layer of 32 cells reached 20 billion a second, and two
layers of 512 reached 85 billion.

Nothing here imports torch at once, because that would make Snakemake start more slowly.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from statistics import mean
from typing import Any

from pydantic import PositiveFloat

from attnmt.config import Model, ModelShape, Params, Training
from attnmt.errors import InputError
from attnmt.files.json_file import Record, Text, read_model
from attnmt.layout import Layout
from attnmt.planning.begun import shares_trained
from attnmt.planning.text_size import TextSize, training_sizes
from attnmt.scoring.numbers import read_numbers
from attnmt.training.trained import machine, read_config, read_provenance

AGAIN = "delete it, and measure again with attnmt plan --measure"


class Speed(Record):
    """The speed that the largest model of a family reached in training on one device."""

    training: Text
    device: Text
    settings: dict[str, Any]  # of the family, as they were then
    flop: PositiveFloat  # operations per second in products of matrices


class Speeds(Record):
    """The speeds that were measured for an experiment."""

    families: dict[str, Speed]


@dataclass(frozen=True)
class Times:
    """How long some trainings take, each by itself."""

    seconds: dict[str, float]  # by model, from the start
    source: str  # how a sentence goes on that names them: at whose speed
    trained: dict[str, float] = field(default_factory=dict)  # the shares in checkpoints, by model

    @property
    def saved(self) -> str:
        """What checkpoints save of these times, as a sentence after a space; empty without any."""
        if not self.trained:
            return ""
        time = time_text(sum(self.seconds[name] * share for name, share in self.trained.items()))
        return (
            f" These times are from the start. {len(self.trained)} of them can go on from a "
            f"checkpoint, which saves about {time}, unless their settings or code have changed."
        )


def training_times(params: Params, names: Sequence[str]) -> Times | None:
    """Return how long trainings take with their evaluations, or None if nothing tells it.

    All times are from one source. If it lacks one of them, the next source is asked.

    Args:
        names: models of the experiment.

    Raises:
        InputError: if the measured speeds, or the summary of a text, cannot be read.
    """
    sizes = training_sizes(params, names)
    times = (
        _measured(params, names, sizes)
        or _reported(params, names, sizes)
        or _at_pace_of_the_done(params, names, sizes)
    )
    return times and replace(times, trained=shares_trained(params, names, sizes))


def speed_settings(params: Params, family: str) -> dict[str, Any]:
    """Return what a family's speed depends on: the sizes of its models, its batches, its precision."""
    known = params.families[family]
    return _speed_settings(known.shape, known.training)


def _settings(params: Params, name: str) -> dict[str, Any]:
    """Return what a training's speed depends on."""
    return _speed_settings(params.shape(name), params.recipe(name))


def _speed_settings(shape: ModelShape, recipe: Training) -> dict[str, Any]:
    batches = recipe.model_dump(mode="json", include={"batch_size", "precision"})
    return shape.model_dump(mode="json") | batches


def _measured(params: Params, names: Sequence[str], sizes: Mapping[str, TextSize]) -> Times | None:
    """Return the times at the measured speeds, or None if one of them is not known."""
    file, families = Layout(params.experiment).speed, {params.model(name).family for name in names}
    if not file.exists() or not families <= sizes.keys():
        return None
    speeds = {
        family: speed
        for family, speed in read_model(file, Speeds, AGAIN).families.items()
        if family in families and speed.settings == speed_settings(params, family)
    }
    if speeds.keys() != families:
        return None
    from attnmt.planning.cost import training_costs

    seconds = {}
    for name, cost in training_costs(params, names, sizes).items():
        model = params.model(name)
        work = sizes[model.family].work(model.system, params.recipe(name))
        seconds[name] = work * cost / speeds[model.family].flop
    measured = " and ".join(speed.training for speed in speeds.values())
    devices = " and ".join(dict.fromkeys(speed.device for speed in speeds.values()))
    return Times(seconds, f"at the speed of {measured} on {devices}")


def _reported(params: Params, names: Sequence[str], sizes: Mapping[str, TextSize]) -> Times | None:
    """Return the times in the report's numbers, for as many words as there are now. Return None if the
    numbers are missing, damaged or lack some, or if a training has other sizes or batches now.
    """
    try:
        numbers = read_numbers(params.experiment)
    except InputError:
        return None
    seconds, machines = {}, dict[str, None]()
    for name in names:
        line, words = numbers.training(name, "minutes"), numbers.training(name, "target_words")
        if line is None or not line.value:
            return None
        seconds[name] = 60 * line.value
        model = params.model(name)
        with suppress(InputError):  # it is not here, as in a fresh clone
            config = read_config(Layout(params.experiment).model(name))
            if _speed_settings(config.shape, config.training) != _settings(params, name):
                return None
        if words and words.value and (size := sizes.get(model.family)):
            now = size.target_words(model.system, params.recipe(name))
            seconds[name] *= now / words.value
        machines[line.signature or ""] = None
    where = f"{Layout(params.experiment).reports} was made ({'; '.join(machines)})"
    return Times(seconds, f"as when {where}")


def _at_pace_of_the_done(
    params: Params, names: Sequence[str], sizes: Mapping[str, TextSize]
) -> Times | None:
    """Return the times at the pace of the same system's finished trainings, or else of its family's, if
    they have today's sizes, batches and text. Return None if a family has none.
    """
    paces, machines = defaultdict[str, list[float]](list), dict[str, None]()
    for name, model in params.models.items():
        folder, size = Layout(params.experiment).model(name), sizes.get(model.family)
        with suppress(InputError):  # not trained yet, or damaged, which its stage will say
            config, made = read_config(folder), read_provenance(folder)
            alike = _speed_settings(config.shape, config.training) == _settings(params, name)
            if size and alike and size.digest in (None, config.dataset_digest):
                pace = made.seconds / size.work(model.system, config.training)
                for like in _alike(model):
                    paces[like].append(pace)
                machines[machine(made.device, made.threads)] = None
    seconds = {}
    for name in names:
        model = params.model(name)
        likest = next((paces[like] for like in _alike(model) if like in paces), None)
        if likest is None:
            return None
        words = sizes[model.family].work(model.system, params.recipe(name))
        seconds[name] = mean(likest) * words
    return Times(seconds, f"at the pace of those that are done ({'; '.join(machines)})")


def _alike(model: Model) -> list[str]:
    """Return which trainings take about as long as a model's, those that are most like it first."""
    return [f"system {model.system_name}", f"family {model.family}"]


def wall_time(times: Sequence[float], at_once: int) -> float:
    """Return the shortest time for trainings of these lengths, if ``at_once`` run at a time."""
    return max([sum(times) / at_once, *times])


def time_text(seconds: float) -> str:
    """Return a time as people say it: in seconds, minutes, hours or days."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds / 60:.{int(seconds < 600)}f} min"
    hours = seconds / 3600
    return f"{hours:,.1f} h" if hours < 48 else f"{hours / 24:,.1f} days"
