"""What evaluate wrote of an experiment: each system's seeds, with the counts of their sentences."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.scoring.counts import counted, read_counts, words_of
from attnmt.scoring.lengths import length_groups
from attnmt.scoring.metrics import SCORES
from attnmt.scoring.score_table import ScoreKey, ScoreRow, ScoreTable, name_of, read_scores
from attnmt.scoring.seed_statistics import (
    Estimate,
    Runs,
    contrast,
    difference,
    squeeze_variances,
)
from attnmt.scoring.significance import Counts
from attnmt.training.trained import read_history


class ExperimentScores:
    """The scores of an experiment's systems and the counts behind them, each file read once.

    A system is named by its first seed, as in systems.yaml. Every method that reads a file raises an
    InputError if it is missing or damaged.
    """

    def __init__(self, params: Params) -> None:
        """Keep the parameters. No file is read yet."""
        self.params = params
        self.scores = cache(self._scores)
        self.counts = cache(self._counts)
        self.runs = cache(self._runs)
        self.curves = cache(self._curves)
        # Which systems have a score, given without its system, in enough seeds to lend
        self.lenders = cache(self._lenders)
        self.optimizer = cache(self._optimizer)

    def _scores(self, name: str | None) -> ScoreTable:
        return read_scores(self.params, str(name))

    def _counts(self, name: str) -> dict[str, Counts]:
        path = Layout(self.params.experiment).counts(name)
        return read_counts(path, f"run evaluate of {name} again")

    def array(self, name: str, key: str) -> Counts:
        """Return an array of counts of one model or ensemble, or of what is no model."""
        arrays = self.counts(name)
        if key not in arrays:
            path = Layout(self.params.experiment).counts(name)
            raise InputError(f"{path}: no counts of {key}; run evaluate of {name} again")
        return arrays[key]

    def words(self, name: str, test: str) -> NDArray[np.float64]:
        """Return (n,), the words of each reference that a model or an ensemble is scored against."""
        return self.array(name, words_of(test))

    def groups(self, name: str, test: str) -> list[NDArray[np.int64]]:
        """Return the groups of sentences of Figure 6."""
        return length_groups(self.words(name, test), self.params.evaluation.length_group)

    def line(self, key: ScoreKey) -> ScoreRow:
        """Return the line of one run's score; the run stands in the place of the system."""
        line = self.scores(key.system).training(*key)
        if line is None:
            path = Layout(self.params.experiment).scores(str(key.system))
            again = f"run evaluate of {key.system} again"
            raise InputError(f"{path}: no {key.metric} of {key.set}; {again}")
        return line

    def numbers(self, lines: Sequence[ScoreRow]) -> NDArray[np.float64]:
        """Return (k, n, m), the counts of each sentence behind the scores of some runs."""
        for line in lines:
            self.check_references(lines[0], line)
        return np.array([self.array(name_of(line), counted(line)) for line in lines])

    def check_references(self, ours: ScoreRow, other: ScoreRow) -> None:
        """Refuse to compare scores that were measured against different references.

        Raises:
            InputError: naming both.
        """
        if ours.reference != other.reference:
            one, two = (Layout(self.params.experiment).scores(name_of(x)) for x in (ours, other))
            raise InputError(
                f"{one} and {two}: {ours.metric} on {ours.set} is measured against the references "
                f"{ours.reference} and {other.reference}, so the two do not compare; compare systems "
                f"whose families read the same text, or run the stages that made these files again"
            )

    def _runs(self, key: ScoreKey) -> Runs:
        """Return the score of each seed of a system."""
        runs = self.params.runs_of(key.system)
        lines = [self.line(key._replace(system=run)) for run in runs]
        return Runs.measured(self.numbers(lines), SCORES[lines[0].metric, lines[0].script])

    def _curves(self, name: str, test: str) -> list[dict[int, float]]:
        """Return the cost on a set at each evaluation of a system's seeds, by step."""
        column, layout = f"{test}_cost", Layout(self.params.experiment)
        histories = (read_history(layout.model(run), column) for run in self.params.runs_of(name))
        return [{int(row["step"]): row[column] for row in history} for history in histories]

    def _lenders(self, key: ScoreKey) -> list[str]:
        runs = {name: self.params.runs_of(name) for name in self.params.systems_and_ensembles}
        return [
            name
            for name, seeds in runs.items()
            if all(self.scores(seed).training(*key._replace(system=seed)) for seed in seeds)
        ]

    def _optimizer(self, name: str) -> str:
        return self.params.settings(self.params.translators(name).members[0]).optimizer

    def squeezed(
        self, names: Iterable[str], key: ScoreKey, score: Callable[[str], Runs | None]
    ) -> dict[str, Runs]:
        """Return the seeds of systems, whose variances borrow from all systems that have a score.

        Args:
            key: the score, without its system.
            score: returns the seeds of a system; None if they lack what else is needed.
        """
        everyone = dict.fromkeys([*names, *self.lenders(key)])
        scored = {name: runs for name in everyone if (runs := score(name))}
        groups = {name: self.optimizer(name) for name in scored}
        return squeeze_variances(scored, groups, self.params.ensembles)

    def _lent(self, key: ScoreKey, less: ScoreKey | None = None) -> Runs:
        """Return the seeds of a system by one score, or by one less another; their variance borrows."""

        def runs(name: str) -> Runs:
            ours = self.runs(key._replace(system=name))
            return ours.minus(self.runs(less._replace(system=name))) if less else ours

        name = str(key.system)
        return self.squeezed([name], key._replace(system=None), runs)[name]

    def gain(self, ours: ScoreKey, other: ScoreKey) -> Estimate | None:
        """Estimate the difference between the scores of two systems: ``ours`` less ``other``.

        Two systems that share trainings are compared in pairs of seeds. All others are independent.

        Returns:
            None if the two share trainings, but not in pairs.
        """
        names = str(ours.system), str(other.system)
        if not self.shared(*names):
            return difference(self._lent(ours), self._lent(other))
        pairs = self.pairs(*names)
        if not pairs:
            return None
        if ours.system == other.system:
            return contrast([self._lent(ours, other)], [1])
        one, two = (self._lent(key).of(at) for key, at in zip((ours, other), pairs, strict=True))
        return contrast([one.minus(two)], [1])

    def pairs(self, name: str, other: str) -> tuple[list[int], list[int]] | None:
        """Return which seeds of two systems share trainings, as two lists that go together.

        A system shares them with itself, and an ensemble with each of its members. Seeds that only one
        of the two has are left out.

        Returns:
            None if there are fewer than two pairs, or if a seed shares trainings with two
            seeds of the other system.
        """
        shared = sorted(self.shared(name, other))
        one, two = [i for i, _ in shared], [j for _, j in shared]
        alone = len({*one}) == len({*two}) == len(shared)
        return (one, two) if alone and len(shared) > 1 else None

    def shared(self, name: str, other: str) -> set[tuple[int, int]]:
        """Return which seeds of a system share a training with which seeds of another."""
        one, two = (
            [set(self.params.translators(run).members) for run in self.params.runs_of(system)]
            for system in (name, other)
        )
        return {(i, j) for i, a in enumerate(one) for j, b in enumerate(two) if a & b}
