"""An experiment's outputs in the form that estimates over seeds need: the runs of a system's seeds."""

from collections.abc import Callable

from attnmt.config import Params
from attnmt.scoring.aer import rates
from attnmt.scoring.lengths import length_groups
from attnmt.scoring.paired import gold_links, system_links
from attnmt.scoring.results import Script
from attnmt.scoring.scripts import References, sentence_numbers
from attnmt.scoring.seed_statistics import Estimate, Numbers, Runs, contrast, difference
from attnmt.scoring.sufficient_statistics import (
    alignment_numbers,
    translation_scores,
)
from attnmt.scoring.system_outputs import Outputs


class Study:
    """The runs of an experiment's systems, each scored once.

    A system is named by its first seed, as in systems.yaml. Every method that returns runs raises an
    InputError if the system has fewer than two seeds, or if a file is missing or damaged.
    """

    def __init__(self, params: Params) -> None:
        """Keep the parameters. No file is read yet."""
        self.params = params
        self._runs: dict[tuple[object, ...], Runs] = {}

    def seeds(self, name: str | None) -> list[str]:
        """Return the runs of a system or an ensemble, one for each seed; [] if it is not trained."""
        return self.params.runs_of(name)

    def has_lengths(self, test: str) -> bool:
        """Return whether Figure 6's groups of a set differ in the length of their longest reference."""
        run = next(iter(self.params.models))
        lines = Outputs.read(self.params, run, test).references("tokenized").lines
        groups = length_groups(lines, self.params.evaluation.length_group)
        return len({len(lines[group[-1]].split()) for group in groups}) > 1

    def translations(self, name: str, script: Script, test: str, replaced: bool) -> Runs:
        """Return the scores of a test set's translations, after or before unknown words are replaced."""

        def measured() -> Runs:
            numbers, _ = self.numbers(name, script, test, replaced)
            return Runs.measured(numbers, translation_scores(script))

        return self._once((name, script, test, replaced), measured)

    def numbers(
        self, name: str, script: Script, test: str, replaced: bool
    ) -> tuple[Numbers, References]:
        """Return the numbers of each sentence of each seed, and the references behind them."""
        outputs = [Outputs.read(self.params, run, test) for run in self.seeds(name)]
        references = outputs[0].references(script)
        lines = [one.translations(script, replaced) for one in outputs]
        return sentence_numbers(script, lines, references), references

    def alignments(self, name: str, aligned: str, chosen: bool = False) -> Runs:
        """Return the alignment error rate of each seed; ``chosen`` is as in ``system_links``."""

        def measured() -> Runs:
            runs = self.seeds(name)
            links = [system_links(self.params, aligned, run, chosen) for run in runs]
            gold = gold_links(self.params, aligned, *runs)
            return Runs.measured(alignment_numbers(links, gold), rates)

        return self._once((name, "aer", aligned, chosen), measured)

    def gain(self, name: str, ours: Runs, other_name: str, other: Runs) -> Estimate | None:
        """Estimate the difference between the scores of two systems: ``ours`` less ``other``.

        Two systems that share trainings are compared in pairs of seeds. All others are independent.

        Returns:
            None if the two share trainings, but not in pairs.
        """
        if not self._shared(name, other_name):
            return difference(ours, other)
        pairs = self.pairs(name, other_name)
        return contrast([ours.of(pairs[0]).minus(other.of(pairs[1]))], [1]) if pairs else None

    def pairs(self, name: str, other: str) -> tuple[list[int], list[int]] | None:
        """Return which seeds of two systems share trainings, as two lists that go together.

        A system shares them with itself, and an ensemble with each of its members. Seeds that only one
        of the two has are left out.

        Returns:
            None if there are fewer than two pairs, or if a seed shares trainings with two
            seeds of the other system.
        """
        shared = sorted(self._shared(name, other))
        one, two = [i for i, _ in shared], [j for _, j in shared]
        alone = len({*one}) == len({*two}) == len(shared)
        return (one, two) if alone and len(shared) > 1 else None

    def _shared(self, name: str, other: str) -> set[tuple[int, int]]:
        """Return which seeds of a system share a training with which seeds of another."""
        one, two = (
            [set(self.params.translators(run).members) for run in self.seeds(system)]
            for system in (name, other)
        )
        return {(i, j) for i, a in enumerate(one) for j, b in enumerate(two) if a & b}

    def _once(self, key: tuple[object, ...], measured: Callable[[], Runs]) -> Runs:
        if key not in self._runs:
            self._runs[key] = measured()
        return self._runs[key]
