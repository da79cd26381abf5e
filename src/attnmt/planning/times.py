"""How long trainings take: the one answer of ``attnmt new``, ``attnmt plan`` and the log of a run.

If all models were trained here before, they take as long as then. Otherwise all are estimated from a
speed, that of a finished training or one that was measured. A speed is kept in operations a second, so
that it holds for other models too. Smaller models reach fewer a second, because they spend more of their
time on what is not counted (:mod:`attnmt.planning.cost`).

Nothing here imports torch at once, because that would make Snakemake start more slowly.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pydantic import PositiveFloat

from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.files.json_file import Record, Text, read_model
from attnmt.layout import Layout
from attnmt.planning.text_size import Lengths, TextSize, training_size
from attnmt.scoring.numbers import read_numbers
from attnmt.training.trained import Provenance, machine, read_config, read_provenance

if TYPE_CHECKING:
    from attnmt.model.translator import ModelConfig


class Speed(Record):
    """The speed that one training reached on one device."""

    training: Text
    device: Text
    target_words: PositiveFloat  # per second; ``</s>`` is counted, too
    flop: PositiveFloat  # operations per second in products of matrices

    @classmethod
    def of(
        cls, training: str, device: str, words: float, config: "ModelConfig", lengths: Lengths
    ) -> Self:
        """Return the speed of a model from its target words a second."""
        from attnmt.planning.cost import work

        flop = words * work(config).training(lengths)
        return cls(training=training, device=device, target_words=words, flop=flop)


@dataclass(frozen=True)
class Times:
    """How long some trainings take, each by itself."""

    seconds: dict[str, float]  # by model
    source: str  # how a sentence goes on that names them: at whose speed


def training_times(
    params: Params, names: Sequence[str], speed: Speed | None = None
) -> Times | None:
    """Return how long trainings take, or None if nothing tells it.

    Models that were trained here before take their own speeds. If one of them is new or has changed,
    all are estimated from another training's speed, and without such a speed from the experiment's
    report.

    Args:
        names: models of the experiment.
        speed: takes the place of all that is known.
    """
    words = target_words(params, names)
    if words is not None and speed is None:
        own = {name: _own_speed(params, name) for name in names}
        seconds = {name: words[name] / rate for name, rate in own.items() if rate is not None}
        if len(seconds) == len(names):
            return Times(seconds, "at the speed of their last trainings here")
        speed = known_speed(params.experiment)
    if words is not None and speed is not None:
        from attnmt.planning.cost import training_costs

        costs = training_costs(params, names)
        seconds = {name: words[name] * costs[name] / speed.flop for name in names}
        return Times(seconds, f"at the speed of {speed.training} on {speed.device}")
    return _reported(params.experiment, names)


def target_words(params: Params, names: Sequence[str]) -> dict[str, int] | None:
    """Return the target words of whole trainings; None if the size of their text is not known."""
    words = {}
    for name in names:
        model = params.model(name)
        text = training_size(params, model.family)
        if text is None:
            return None
        words[name] = params.recipe(name).epochs * text.target_words(model.system)
    return words


def _own_speed(params: Params, name: str) -> float | None:
    """Return the target words a second of a model that was trained before with the same shape."""
    folder, model = Layout(params.experiment).model(name), params.model(name)
    try:
        config, facts = read_config(folder), read_provenance(folder)
    except InputError:  # missing or damaged; the stages that need it say so
        return None
    then, now = config.training, params.recipe(name)
    same_system = config.system == model.system
    same_shape = config.shape == params.families[model.family].shape
    steps = ("batch_size", "precision", "optimizer")
    same_steps = all(getattr(then, key) == getattr(now, key) for key in steps)
    return facts.target_words_per_second if same_system and same_shape and same_steps else None


def known_speed(experiment: str) -> Speed | None:
    """Return the best known speed for an experiment.

    That is the speed of its own finished trainings, or the one that was measured for it, or that of
    another experiment's trainings.

    Raises:
        InputError: if the measured speed cannot be read.
    """
    speed = _finished(Path().glob(f"models/{experiment}/*/provenance.json"))
    measured = Layout(experiment).speed
    if speed is None and measured.exists():
        again = "delete it, and measure again with attnmt plan --measure"
        speed = read_model(measured, Speed, again)
    return speed or _finished(Path().glob("models/*/*/provenance.json"))


def _finished(files: Iterable[Path]) -> Speed | None:
    """Return the speed of the slowest finished training.

    A training whose encoded text is gone does not count, because only that text says how long its
    sentences were. Nor does a damaged one.
    """
    found: list[Provenance] = []
    for file in sorted(files):
        try:
            facts = read_provenance(file.parent)
        except InputError:
            continue
        if (Layout(facts.experiment).encoded(facts.family) / "summary.json").exists():
            found.append(facts)
    if not found:
        return None
    from attnmt.model.translator import ModelConfig

    facts = min(found, key=lambda facts: facts.target_words_per_second)
    layout = Layout(facts.experiment)
    trained = read_config(layout.model(facts.model))
    text = TextSize.read(layout.encoded(facts.family), trained.sets.train)
    config = ModelConfig(trained.system, trained.shape, trained.source_words, trained.target_words)
    name, device = f"{facts.experiment}/{facts.model}", machine(facts.device, facts.threads)
    words = facts.target_words_per_second
    return Speed.of(name, device, words, config, text.lengths(config.system))


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
