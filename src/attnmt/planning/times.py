"""How long trainings take: by the speed of those that are done, or else by a rough formula."""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import mean

from attnmt.config import Params, Training
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.planning.text_size import TextSize, in_direction, training_sizes
from attnmt.training.provenance import read_provenance
from attnmt.training.trained import read_config

# Operations a second of one processor core in products of matrices. One layer of 32 cells reached 20
# billion on an AMD EPYC (Zen 4), and two layers of 512 reached 85 billion.
CORE = 4e10


@dataclass(frozen=True)
class Times:
    """How long some trainings take from their starts, each by itself."""

    seconds: dict[str, float]  # by training
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
    any, a weight in a product of matrices costs six operations a target word, forward and backward.
    """
    sizes, speeds, rough = training_sizes(params, names), _speeds(params), False
    seconds = {}
    for name in names:
        training = params.training(name)
        if training.family not in sizes:
            return None
        text = sizes[training.family]
        known = next((speeds[like] for like in _alike(training) if like in speeds), None)
        rough = rough or known is None
        speed = mean(known) if known else CORE / (6 * weights(params, name, text)[1])
        seconds[name] = text.target_words(training.system, params.settings(name)) / speed
    return Times(seconds, rough)


def weights(params: Params, name: str, text: TextSize | None) -> tuple[int, int]:
    """Return how many parameters a training has, and how many stand in products of matrices.

    A vocabulary that is not chosen yet has the size that it may have.
    """
    from attnmt.model.luong import ModelConfig, parameter_count  # here, because torch takes seconds

    training, shape = params.training(name), params.shape(name)
    largest = params.families[training.family].encoding.vocabulary
    words = in_direction(text.vocabulary, training.system) if text else [largest, largest]
    count = parameter_count(ModelConfig(training.system, shape, *words))
    return count, count - sum(words) * shape.embedding_size  # embeddings are looked up


def _speeds(params: Params) -> dict[str, list[float]]:
    """Return the target words a second of finished trainings that have today's sizes and batches."""
    speeds = defaultdict[str, list[float]](list)
    for name, training in params.trainings.items():
        folder, settings = Layout(params.experiment).model(name), params.settings(name)
        with suppress(InputError):  # not trained yet, or damaged, which its stage will say
            config, run = read_config(folder), read_provenance(params.experiment, name)
            then = config.shape, config.training.batch_size, config.training.precision
            if run and then == (params.shape(name), settings.batch_size, settings.precision):
                for like in _alike(training):
                    speeds[like].append(run.target_words_per_second)
    return dict(speeds)


def _alike(training: Training) -> tuple[str, str]:
    """Return which trainings are about as fast as one, those that are most like it first."""
    return f"system {training.system_name}", f"family {training.family}"


def time_text(seconds: float) -> str:
    """Return a time as people say it: in seconds, minutes, hours or days."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds / 60:.{int(seconds < 600)}f} min"
    hours = seconds / 3600
    return f"{hours:,.1f} h" if hours < 48 else f"{hours / 24:,.1f} days"
