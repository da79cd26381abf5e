"""What running an experiment would take: stages, trainings, downloads, disk."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from attnmt.config import File, Params, Training
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.model.trained import read_provenance
from attnmt.model.translator import ModelConfig
from attnmt.planning.cost import BYTES, parameters, training_memory, work
from attnmt.planning.space import Space, disk, files_to_fetch
from attnmt.planning.speed import Speed, measure
from attnmt.planning.text_size import Lengths, TextSize, in_direction, training_size

if TYPE_CHECKING:
    from attnmt.workflow.graph import Stage  # which imports DVC


@dataclass(frozen=True)
class Group:
    """The stages that dvc.yaml declares together: one, or one for each model, family or ensemble."""

    name: str
    stages: int
    to_run: int
    threads: int  # for each stage
    gpus: int  # for each stage


@dataclass(frozen=True)
class PlannedTraining:
    """One training of the experiment."""

    name: str
    config: ModelConfig
    recipe: Training
    longest: int  # the most words that a sentence may have
    text: TextSize | None  # None if its size is not known
    seconds: float | None  # how long the training took; None if it has yet to run

    @property
    def parameters(self) -> int:
        """How many numbers the model learns."""
        return parameters(self.config)

    @property
    def lengths(self) -> Lengths:
        """Mean words of a sentence pair; ``text`` must be known."""
        assert self.text is not None, "without a text there are no lengths"
        return self.text.lengths(self.config.system)

    @property
    def target_words(self) -> int:
        """Words to predict in all epochs; ``text`` must be known."""
        assert self.text is not None, "without a text there are no words"
        return self.recipe.epochs * self.text.target_words(self.config.system)

    @property
    def flop(self) -> float:
        """Operations of training one target word."""
        return work(self.config, self.lengths).training_flop

    @property
    def memory(self) -> int:
        """Roughly the bytes that a batch of the longest sentences takes on a GPU."""
        lengths = Lengths(self.longest, self.longest + 1)
        return training_memory(self.config, self.recipe.batch_size, lengths)

    def hours(self, speed: Speed) -> float:
        """Return how long the training takes at a speed."""
        return speed.hours(self.target_words, self.config, self.lengths)


@dataclass(frozen=True)
class Plan:
    """What running an experiment would take."""

    experiment: str
    groups: list[Group]
    trainings: list[PlannedTraining]
    to_fetch: list[File]
    disk: list[Space]

    @property
    def to_train(self) -> list[PlannedTraining]:
        """The trainings that would run."""
        return [training for training in self.trainings if training.seconds is None]

    @property
    def text_is_known(self) -> bool:
        """Whether the size of all text that would be trained on is known."""
        return all(training.text is not None for training in self.to_train)

    def measure(self, threads: int, graphs: bool = True) -> Speed:
        """Train for some seconds the model whose target word costs most; return its speed.

        Raises:
            InputError: if the lengths of the sentences are not known.
        """
        known = [training for training in self.trainings if training.text is not None]
        if not known:
            raise InputError(
                f"the lengths of the sentences of {self.experiment} are not known; run its encode "
                f"stages first"
            )
        largest = max(known, key=lambda training: training.flop)
        return measure(
            largest.name, largest.config, largest.recipe, largest.lengths, threads, graphs
        )


def make_plan(
    params: Params, stages: Sequence["Stage"], at_once: int = 1, root: Path = Path()
) -> Plan:
    """Return what the stages of an experiment would take.

    Args:
        stages: the stages from ``graph.read_stages``; those that are settled would not run.
        at_once: how many trainings run at the same time.
    """
    done = {stage.name for stage in stages if stage.settled}
    trainings = [_training(params, name, f"train@{name}" in done, root) for name in params.models]
    weights = {training.name: BYTES * training.parameters for training in trainings}
    return Plan(
        params.experiment,
        _groups(stages),
        trainings,
        files_to_fetch(params, done, root),
        disk(params, done, weights, at_once, root),
    )


def _groups(stages: Sequence["Stage"]) -> list[Group]:
    """Group the stages by the part of their names before the @, in dvc.yaml's order."""
    groups: dict[str, list[Stage]] = {}
    for stage in stages:
        groups.setdefault(stage.name.partition("@")[0], []).append(stage)
    return [
        Group(
            name,
            len(members),
            sum(not stage.settled for stage in members),
            members[0].threads,
            members[0].resources.get("gpu", 0),
        )
        for name, members in groups.items()
    ]


def _training(params: Params, name: str, done: bool, root: Path) -> PlannedTraining:
    model, recipe = params.model(name), params.recipe(name)
    family = params.families[model.family]
    text = training_size(params, model.family, root)
    largest = family.encoding.vocabulary
    words = in_direction(text.vocabulary, model) if text else [largest, largest]
    folder = Layout(params.experiment, root).model(name)
    return PlannedTraining(
        name,
        ModelConfig(model.system, family.shape, *words),
        recipe,
        family.encoding.length or params.tokenize.max_length,
        text,
        read_provenance(folder).seconds if done else None,
    )
