"""How fast models train: the speed of finished trainings, or a measured one.

A speed is kept in operations a second, so that it holds for other models too. Smaller models reach fewer
a second, because they spend more of their time on what is not counted (:mod:`attnmt.planning.cost`).

Nothing here imports torch at once, because that would make Snakemake start more slowly.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pydantic import PositiveFloat

from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.files.json_file import Record, Text, read_model
from attnmt.layout import Layout
from attnmt.planning.text_size import Lengths, TextSize
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


def known_speed(experiment: str, root: Path = Path()) -> Speed | None:
    """Return the best known speed for an experiment.

    That is the speed of its own finished trainings, or the one that was measured for it, or that of
    another experiment's trainings.

    Raises:
        InputError: if the measured speed cannot be read.
    """
    speed = _finished(root.glob(f"models/{experiment}/*/provenance.json"), root)
    measured = Layout(experiment, root).speed
    if speed is None and measured.exists():
        speed = read_model(
            measured, Speed, "delete it, and measure again with attnmt plan --measure"
        )
    return speed or _finished(root.glob("models/*/*/provenance.json"), root)


def own_speed(params: Params, name: str, root: Path = Path()) -> float | None:
    """Return the target words a second of a model that was trained before with the same shape."""
    folder, model = Layout(params.experiment, root).model(name), params.model(name)
    try:
        config, facts = read_config(folder), read_provenance(folder)
    except InputError:  # missing or damaged; the stages that need it say so
        return None
    then, now = config.training, params.recipe(name)
    same_model = (config.system, config.shape) == (
        model.system,
        params.families[model.family].shape,
    )
    same_steps = all(
        getattr(then, key) == getattr(now, key) for key in ("batch_size", "precision", "optimizer")
    )
    return facts.target_words_per_second if same_model and same_steps else None


def _finished(files: Iterable[Path], root: Path) -> Speed | None:
    """Return the speed of the slowest finished training, whose target words cost most.

    A training whose encoded text is gone does not count, because only that text says how long its
    sentences were. Nor does a damaged one.
    """
    found: list[Provenance] = []
    for file in sorted(files):
        try:
            facts = read_provenance(file.parent)
        except InputError:
            continue
        if (Layout(facts.experiment, root).encoded(facts.family) / "summary.json").exists():
            found.append(facts)
    if not found:
        return None
    from attnmt.model.translator import ModelConfig

    facts = min(found, key=lambda facts: facts.target_words_per_second)
    layout = Layout(facts.experiment, root)
    trained = read_config(layout.model(facts.model))
    text = TextSize.read(layout.encoded(facts.family), trained.sets.train)
    config = ModelConfig(trained.system, trained.shape, trained.source_words, trained.target_words)
    name, device = f"{facts.experiment}/{facts.model}", machine(facts.device, facts.threads)
    words = facts.target_words_per_second
    return Speed.of(name, device, words, config, text.lengths(config.system))
