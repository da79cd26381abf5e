"""How long trainings take: the one answer of ``attnmt new``, ``attnmt plan`` and the log of a run.

A model takes the speed of the training most like it: one of its experiment, or a measured one. A speed
is kept in operations a second (:mod:`attnmt.planning.cost`), so that it holds for other models, but only
for those like it. The fewer operations a time step has, the more of its time goes into what is not
counted: on one core, one layer of 32 cells reached 20 billion a second, and two layers of 512 reached 85
billion.

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
from attnmt.training.trained import machine, read_config, read_provenance

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
    params: Params,
    names: Sequence[str],
    sizes: Mapping[str, TextSize] | None = None,
    speeds: Sequence[Speed] | None = None,
) -> Times | None:
    """Return how long trainings take with their evaluations, or None if nothing tells it.

    Each model takes the speed of the training most like it. If a model is like none, all times are those
    in the experiment's report.

    Args:
        names: models of the experiment.
        sizes: the sizes of their texts, by family, if they were counted before.
        speeds: take the place of all that are known.
    """
    speeds = known_speeds(params) if speeds is None else speeds
    sizes = training_sizes(params, names) if sizes is None else sizes
    if speeds and all(params.model(name).family in sizes for name in names):
        from attnmt.planning.cost import training_costs

        costs = training_costs(params, names, sizes)
        like = {name: most_like(speeds, costs[name], params.recipe(name)) for name in names}
        chosen = {name: speed for name, speed in like.items() if speed}
        if len(chosen) == len(names):
            seconds = {}
            for name, speed in chosen.items():
                model = params.model(name)
                work = sizes[model.family].work(model.system, params.recipe(name))
                seconds[name] = work * costs[name] / speed.flop
            return Times(seconds, _at_the_speed_of([*chosen.values()]))
    return _reported(params.experiment, names)


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


def known_speeds(params: Params) -> list[Speed]:
    """Return the speeds of an experiment's finished trainings, then the measured ones.

    Raises:
        InputError: if the measured speeds cannot be read.
    """
    layout = Layout(params.experiment)
    finished = [_finished(layout, name) for name in params.models]
    speeds = [speed for speed in finished if speed]
    if layout.speed.exists():
        again = "delete it, and measure again with attnmt plan --measure"
        speeds += read_model(layout.speed, Speeds, again).measured
    return speeds


def _finished(layout: Layout, name: str) -> Speed | None:
    """Return the speed of a finished training, or None if there is none.

    A training whose encoded text is gone does not count, because only that text says how long its
    sentences were. Nor does a damaged one; the stages that need it say so.
    """
    folder = layout.model(name)
    try:
        facts, trained = read_provenance(folder), read_config(folder)
        text = TextSize.encoded(layout.encoded(facts.family), trained.sets)
    except InputError:
        return None
    from attnmt.model.translator import ModelConfig
    from attnmt.planning.cost import work

    system, recipe = trained.system, trained.training
    config = ModelConfig(system, trained.shape, trained.source_words, trained.target_words)
    operations = work(config).training(text.lengths(system))
    evaluations = text.work(system, recipe) / text.target_words(system, recipe)
    return Speed(
        training=f"{layout.experiment}/{name}",
        device=machine(facts.device, facts.threads),
        precision=recipe.precision,
        step=operations * recipe.batch_size,
        flop=operations * facts.target_words_per_second * evaluations,
    )


def _at_the_speed_of(speeds: Sequence[Speed]) -> str:
    """Name two speeds, or the first and how many others there are."""
    names = [*dict.fromkeys(speed.training for speed in speeds)]
    said = names if len(names) <= 2 else [names[0], f"{len(names) - 1} others"]
    devices = dict.fromkeys(speed.device for speed in speeds)
    return f"at the speed of {' and '.join(said)} on {' and '.join(devices)}"


def _reported(experiment: str, names: Sequence[str]) -> Times | None:
    """Return the times in the report's numbers, unless they are missing, damaged or lack some."""
    try:
        numbers = read_numbers(experiment)
    except InputError:
        return None
    found = {name: numbers.training(name, "minutes") for name in names}
    seconds = {name: 60 * line.value for name, line in found.items() if line and line.value}
    if len(seconds) < len(names):
        return None
    where = "; ".join(dict.fromkeys(line.signature or "" for line in found.values() if line))
    return Times(seconds, f"as when {Layout(experiment).reports} was made ({where})")


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
