"""How long trainings take: the one answer of ``attnmt new``, ``attnmt plan`` and the log of a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.planning.speed import Speed, known_speed, own_speed
from attnmt.planning.text_size import training_size
from attnmt.scoring.numbers import read_numbers


@dataclass(frozen=True)
class Times:
    """How long some trainings take, each by itself."""

    seconds: dict[str, float]  # by model
    source: str  # how a sentence goes on that names them: at whose speed


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


def training_times(
    params: Params, names: Sequence[str], speed: Speed | None = None, root: Path = Path()
) -> Times | None:
    """Return how long trainings take, or None if nothing tells it.

    Models that were trained here before take their own speeds. If one of them is new or has changed,
    all are estimated from another training's speed, and without such a speed from the experiment's
    report.

    Args:
        names: models of the experiment.
        speed: takes the place of all that is known.
    """
    words = target_words(params, names, root)
    if words is not None and speed is None:
        own = {name: own_speed(params, name, root) for name in names}
        seconds = {name: words[name] / rate for name, rate in own.items() if rate is not None}
        if len(seconds) == len(names):
            return Times(seconds, "at the speed of their last trainings here")
        speed = known_speed(params.experiment, root)
    if words is not None and speed is not None:
        from attnmt.planning.cost import training_costs

        costs = training_costs(params, names, root)
        seconds = {name: words[name] * costs[name] / speed.flop for name in names}
        return Times(seconds, f"at the speed of {speed.training} on {speed.device}")
    return _reported(params.experiment, names, root)


def target_words(
    params: Params, names: Sequence[str], root: Path = Path()
) -> dict[str, int] | None:
    """Return the target words of whole trainings; None if the size of their text is not known."""
    words = {}
    for name in names:
        model = params.model(name)
        text = training_size(params, model.family, root)
        if text is None:
            return None
        words[name] = params.recipe(name).epochs * text.target_words(model.system)
    return words


def _reported(experiment: str, names: Sequence[str], root: Path) -> Times | None:
    """Return the times in the report's numbers, unless they are missing, damaged or lack some."""
    try:
        numbers = read_numbers(experiment, root)
    except InputError:
        return None
    found = {name: numbers.training(name, "minutes") for name in names}
    seconds = {name: 60 * line.value for name, line in found.items() if line and line.value}
    if len(seconds) < len(names):
        return None
    where = "; ".join(dict.fromkeys(line.signature or "" for line in found.values() if line))
    return Times(seconds, f"as when {Layout(experiment, root).reports} was made ({where})")
