"""How long trainings take: by the speed of those that are done, or else by a rough formula."""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import mean

from attnmt.config import Params, Training
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.planning.text_size import training_sizes
from attnmt.training.provenance import read_provenance
from attnmt.training.trained import read_config

# Operations a second of one processor core in products of matrices. One layer of 32 cells reached 20
# billion on an AMD EPYC (Zen 4), and two layers of 512 reached 85 billion.
CORE = 4e10


@dataclass(frozen=True)
class Times:
    """How long some trainings take from their starts, each by itself."""

    seconds: dict[str, float]  # by model
    rough: bool  # whether some follow from CORE alone

    @property
    def source(self) -> str:
        """Where the times come from, as a sentence goes on."""
        if self.rough:
            return "by a rough formula for one core; a GPU needs much less"
        return "at the speed of the trainings that are done"


def training_times(params: Params, names: Sequence[str]) -> Times | None:
    """Return how long trainings take, or None if the size of their text is not known.

    A training has the mean speed of its system's finished trainings, or else of its family's. Without
    any, its operations are counted.

    Args:
        names: models of the experiment.

    Raises:
        InputError: if the summary of a text cannot be read.
    """
    sizes, speeds, counted = training_sizes(params, names), _speeds(params), list[str]()
    seconds = {}
    for name in names:
        model = params.training(name)
        if model.family not in sizes:
            return None
        words = sizes[model.family].target_words(model.system, params.recipe(name))
        known = next((speeds[like] for like in _alike(model) if like in speeds), None)
        if known is None:
            counted.append(name)
        seconds[name] = words / (mean(known) if known else CORE)
    if counted:  # torch, which counts, takes a second to load
        from attnmt.planning.cost import training_costs

        for name, operations in training_costs(params, counted, sizes).items():
            seconds[name] *= operations
    return Times(seconds, bool(counted))


def _speeds(params: Params) -> dict[str, list[float]]:
    """Return the target words a second of finished trainings that have today's sizes and batches."""
    speeds = defaultdict[str, list[float]](list)
    for name, model in params.trainings.items():
        folder, recipe = Layout(params.experiment).model(name), params.recipe(name)
        with suppress(InputError):  # not trained yet, or damaged, which its stage will say
            config, run = read_config(folder), read_provenance(params.experiment, name)
            then = config.shape, config.training.batch_size, config.training.precision
            if run and then == (params.shape(name), recipe.batch_size, recipe.precision):
                for like in _alike(model):
                    speeds[like].append(run.target_words_per_second)
    return dict(speeds)


def _alike(model: Training) -> tuple[str, str]:
    """Return which trainings are about as fast as a model's, those that are most like it first."""
    return f"system {model.system_name}", f"family {model.family}"


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
