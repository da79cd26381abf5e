"""How long trainings take: the one answer of ``attnmt new``, ``attnmt plan`` and the log of a run.

First comes a speed that was measured on this machine (:mod:`attnmt.planning.measure`), then the times in
the experiment's report. A speed is kept in operations a second (:mod:`attnmt.planning.cost`), so that it
holds for other models, but only for those like the measured one. The fewer operations a time step has,
the more of its time goes into what is not counted: on one core, one layer of 32 cells reached 20 billion
a second, and two layers of 512 reached 85 billion.

Nothing here imports torch at once, because that would make Snakemake start more slowly.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import PositiveFloat

from attnmt.config import Params, Precision, Training
from attnmt.errors import InputError
from attnmt.files.json_file import Record, Text, read_model
from attnmt.layout import Layout
from attnmt.planning.text_size import TextSize, training_sizes
from attnmt.scoring.numbers import read_numbers

# A speed holds for a model whose time step has at most so many times the operations, or so small a part.
# Then the operations a second differed by less than a factor of 2, from one layer of 32 cells to two of
# 512, with LSTM and GRU, in batches of 8 to 128.
LIKE = 3.0


class Speed(Record):
    """The speed that one training reached on one device."""

    training: Text
    device: Text
    precision: Precision
    step: PositiveFloat  # operations of a time step: of a target word, times the pairs in a batch
    flop: PositiveFloat  # operations per second in products of matrices


class Speeds(Record):
    """The speeds that were measured for an experiment."""

    measured: list[Speed]


@dataclass(frozen=True)
class Times:
    """How long some trainings take, each by itself."""

    seconds: dict[str, float]  # by model
    source: str  # how a sentence goes on that names them: at whose speed


def training_times(
    params: Params, names: Sequence[str], sizes: Mapping[str, TextSize] | None = None
) -> Times | None:
    """Return how long trainings take with their evaluations, or None if nothing tells it.

    Each model takes the measured speed of the one most like it. If a model is like none, all times are
    those in the experiment's report.

    Args:
        names: models of the experiment.
        sizes: the sizes of their texts, by family, if they were counted before.

    Raises:
        InputError: if the measured speeds, or the text, cannot be read.
    """
    sizes = training_sizes(params, names) if sizes is None else sizes
    return _measured(params, names, sizes) or _reported(params, names, sizes)


def _measured(params: Params, names: Sequence[str], sizes: Mapping[str, TextSize]) -> Times | None:
    """Return the times at the measured speeds, or None if one of them is not known."""
    file = Layout(params.experiment).speed
    if not file.exists() or any(params.model(name).family not in sizes for name in names):
        return None
    from attnmt.planning.cost import training_costs

    again = "delete it, and measure again with attnmt plan --measure"
    speeds, costs = read_model(file, Speeds, again).measured, training_costs(params, names, sizes)
    seconds, used = {}, []
    for name in names:
        model, recipe = params.model(name), params.recipe(name)
        speed = most_like(speeds, costs[name], recipe)
        if speed is None:
            return None
        used.append(speed)
        seconds[name] = sizes[model.family].work(model.system, recipe) * costs[name] / speed.flop
    measured = " and ".join(dict.fromkeys(speed.training for speed in used))
    devices = " and ".join(dict.fromkeys(speed.device for speed in used))
    return Times(seconds, f"at the speed of {measured} on {devices}")


def most_like(speeds: Sequence[Speed], operations: float, recipe: Training) -> Speed | None:
    """Return the speed of the training whose time steps are most like a model's, the first of equals.

    Args:
        operations: of training a target word.
    """

    def distance(speed: Speed) -> float:
        return abs(math.log(speed.step / (operations * recipe.batch_size)))

    same = [speed for speed in speeds if speed.precision == recipe.precision]
    nearest = min(same, key=distance, default=None)
    return nearest if nearest and distance(nearest) <= math.log(LIKE) else None


def _reported(params: Params, names: Sequence[str], sizes: Mapping[str, TextSize]) -> Times | None:
    """Return the times in the report's numbers, for as many words as there are now. Return None if the
    numbers are missing, damaged or lack some.
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
        if words and words.value and (size := sizes.get(model.family)):
            now = size.target_words(model.system, params.recipe(name))
            seconds[name] *= now / words.value
        machines[line.signature or ""] = None
    where = f"{Layout(params.experiment).reports} was made ({'; '.join(machines)})"
    return Times(seconds, f"as when {where}")


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
