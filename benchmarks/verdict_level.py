"""How often verdicts are false, and how large a gain they find, in simulated studies.

    python -m benchmarks.verdict_level          # simulate for some minutes on one core, then the page
    python -m benchmarks.verdict_level page     # put the results into docs/results.md

A simulated study has the systems of those claims that an experiment can test, and those that its recipes
train in their place, with k seeds each. All systems are equal. Each claim that can get a verdict is
judged as in a report, with 0 for its bound. So it is wrong to decide it: to confirm it, to refute it, or
to say that it depends on the recipe. A claim's bound only moves the means, so it does not matter here.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from statistics import median

import numpy as np
from scipy.stats import binomtest

from attnmt.config import load_params, params_file
from attnmt.config.claims import Claim, project_claims
from attnmt.files.csv_file import CsvLine, read_csv, write_csv
from attnmt.files.text_file import read_text, write_text
from attnmt.reporting.readme_table import page_with_table
from attnmt.scoring.claims import FEWEST, claim_under, systems_of
from attnmt.scoring.numbers import read_numbers
from attnmt.scoring.seed_statistics import Numbers, Runs, difference
from attnmt.scoring.verdicts import ALPHA, VerdictWord, judge, together, verdicts
from benchmarks.page import RESULTS, table

SEEDS = (3, 5, 10)
CASES = (*(("study", seeds) for seeds in SEEDS), ("multi30k", 5))  # Multi30k tests fewer claims
STUDIES = 2000  # for each line of the results
LINES = 50  # sentences of a test set
OWN = 0.3  # how far sentences move the score of one training alone; the unit is that of Shape
GAINS = (1, 2, 3, 5)  # BLEU
FILE = RESULTS / "verdict-level.csv"
PAGE = Path("docs/results.md")
# Measures that are known only for the whole test set
WHOLE = ("perplexity", "early_cost", "final_cost")


def normal(chance: np.random.Generator, shape: Sequence[int]) -> Numbers:
    """Return scores with variance 1 that follow the normal law."""
    return chance.standard_normal(shape)


def heavy(chance: np.random.Generator, shape: Sequence[int]) -> Numbers:
    """Return scores with variance 1 that follow Student's t with 3 degrees of freedom."""
    return chance.standard_t(3, shape) / 3**0.5


def skewed(chance: np.random.Generator, shape: Sequence[int]) -> Numbers:
    """Return scores with mean 0 and variance 1 of an exponential law, whose tail is on the bad side."""
    return 1 - chance.exponential(1.0, shape)


def failing(
    chance: np.random.Generator, shape: Sequence[int], loss: float = 10.0, every: int = 1
) -> Numbers:
    """Return scores of trainings of which one in ten fails. The others have the variance 1.

    Args:
        chance: draws all.
        shape: (measures, systems, seeds).
        loss: how much less a failed training scores. The mean is 0 nevertheless.
        every: trainings of every system fail (1), or only those of every second one (2).
    """
    scores, failed = chance.standard_normal(shape), chance.random(shape) < 0.1
    scores[:, ::every] += loss * (0.1 - failed[:, ::every])
    return scores


@dataclass(frozen=True)
class Shape:
    """How scores vary. The unit is the standard deviation between seeds of a quiet system.

    Attributes:
        name: what the page calls it.
        draw: draws the deviations of seeds, (measures, systems, seeds).
        ratio: a system's standard deviation between seeds is 1 or this, each with probability 1/2.
        sentences: the standard deviation of a system's score over sets of sentences.
        alike: whether a training deviates by the same in all measures.
    """

    name: str
    draw: Callable[[np.random.Generator, Sequence[int]], Numbers] = normal
    ratio: float = 1.0
    sentences: float = 0.0
    alike: bool = False

    def study(
        self,
        chance: np.random.Generator,
        measures: Sequence[str],
        systems: Sequence[str],
        seeds: int,
    ) -> dict[str, dict[str, Runs]]:
        """Draw the runs of equal systems, by measure and system."""
        scale = np.where(chance.random((len(systems), 1)) < 0.5, self.ratio, 1.0)
        drawn = self.draw(chance, (1 if self.alike else len(measures), len(systems), seeds))
        deviations = np.broadcast_to(scale * drawn, (len(measures), len(systems), seeds))
        runs: dict[str, dict[str, Runs]] = {}
        for measure, of_systems in zip(measures, deviations, strict=True):
            influences = self._influences(chance, measure, of_systems.shape)
            values = of_systems + influences.sum(2) / LINES
            runs[measure] = {name: Runs(values[s], influences[s]) for s, name in enumerate(systems)}
        return runs

    def _influences(
        self, chance: np.random.Generator, measure: str, shape: tuple[int, ...]
    ) -> Numbers:
        """Draw (systems, seeds, lines): sentences move all systems, one system, or one training."""
        if measure in WHOLE or not self.sentences:
            return np.zeros((*shape, 0))
        moved = OWN * chance.standard_normal((*shape, LINES))
        for some in ((1, 1), (shape[0], 1)):
            moved += self.sentences * chance.standard_normal((*some, LINES))
        return np.asarray(LINES**0.5 * moved)


NORMAL = Shape("normal law", sentences=0.3)
CLOSE = Shape("two systems as close as those of the study that differ by few BLEU", sentences=0.15)
UNEVEN, FAILING = "half of the systems vary five times as much", "one training in ten fails"
SHAPES = (
    NORMAL,
    Shape("normal law, one set of sentences"),
    Shape("normal law, sentences matter twice as much as seeds", sentences=2.0),
    Shape("normal law, a training deviates alike in all measures", sentences=0.3, alike=True),
    Shape(f"normal law, {UNEVEN}, one set of sentences", ratio=5.0),
    Shape(f"normal law, {UNEVEN}", ratio=5.0, sentences=1.0),
    Shape("heavy tails (Student's t with 3 degrees of freedom)", heavy, sentences=0.3),
    Shape(f"heavy tails, {UNEVEN}", heavy, ratio=5.0, sentences=0.3),
    Shape("skewed (exponential law)", skewed, sentences=0.3),
    Shape(f"{FAILING}, 10 sd below", failing, sentences=0.3),
    Shape(f"{FAILING}, 10 sd below, in half of the systems", partial(failing, every=2), 1.0, 0.3),
    Shape(f"{FAILING}, 20 sd below", partial(failing, loss=20.0), sentences=0.3),
    Shape(
        f"{FAILING}, 20 sd below, in half of the systems",
        partial(failing, loss=20.0, every=2),
        sentences=0.3,
    ),
)


class Line(CsvLine):
    """In how many simulated studies something was found."""

    experiment: str  # whose claims are tested
    what: str  # a shape's name, or a gain
    seeds: int
    tests: int  # judged together: of each claim, one by every recipe that gives it other systems
    studies: int
    found: int  # studies with a verdict; of a gain, those that found it
    low: float  # the bounds of the share's 95% interval (Clopper and Pearson 1934)
    high: float


def claims_to_judge(experiment: str) -> dict[str, list[Claim]]:
    """Return the claims that have the seeds for a test, by every recipe that gives them other systems.

    The first is the family's own recipe. Each claim has 0 for its bound.
    """
    params = load_params(params_file(experiment))
    found: dict[str, list[Claim]] = {}
    for key, claim in project_claims().judged.items():
        if claim.compare != "rank":
            under = [claim_under(params, claim, recipe) for recipe in (None, *params.recipes)]
            claims = {tuple(systems_of(one)): one for one in under if one is not None}
            if all(len(params.runs_of(name)) >= FEWEST for names in claims for name in names):
                found[key] = [one.model_copy(update={"bound": 0.0}) for one in claims.values()]
    return found


def false_verdicts(
    shape: Shape, seeds: int, claims: Mapping[str, Sequence[Claim]], studies: int
) -> int:
    """Return how many studies of equal systems have a verdict."""
    chance, found = np.random.default_rng(2015), 0
    asked = {(key, i): claim for key, some in claims.items() for i, claim in enumerate(some)}
    systems = list(dict.fromkeys(name for claim in asked.values() for name in systems_of(claim)))
    measures = list(dict.fromkeys(claim.measure for claim in asked.values()))
    for _ in range(studies):
        runs = shape.study(chance, measures, systems, seeds)
        judged = {str(at): judge(claim, runs[claim.measure]) for at, claim in asked.items()}
        words: dict[str, list[VerdictWord]] = {}
        for (key, _i), one in zip(asked, verdicts(judged).values(), strict=True):
            words.setdefault(key, []).append(one.word)
        found += any(together(some) != "undecided" for some in words.values())
    return found


def gains_found(gain: float, seeds: int, level: float, studies: int, recipes: int = 1) -> int:
    """Return how many studies find under every recipe that a system is better than another.

    Args:
        gain: how much better it is; the unit is that of :class:`Shape`.
        seeds: of each system.
        level: of each two-sided test.
        studies: how many there are.
        recipes: how many train the two systems; the gain is the same by each.
    """
    chance, found = np.random.default_rng(2015), 0
    names = [f"{system}{recipe}" for system in ("ours", "other") for recipe in range(recipes)]
    for _ in range(studies):
        runs = [*CLOSE.study(chance, ["bleu"], names, seeds)["bleu"].values()]
        outcomes = [
            difference(Runs(ours.values + gain, ours.influences), other).test("greater")
            for ours, other in zip(runs[:recipes], runs[recipes:], strict=True)
        ]
        found += all(one.p <= level and one.value > 0 for one in outcomes)
    return found


def study_sd() -> float:
    """Return the standard deviation between seeds of the study, in BLEU: the median over systems."""
    key = ("test1", "tokenized", "before")
    return median(
        line.sd
        for line in read_numbers("study").lines
        if line.kind == "system" and line.metric == "bleu" and line.sd is not None
        if (line.set, line.script, line.replacement) == key and line.max_words is None
    )


def simulate() -> Iterator[Line]:
    """Yield the lines of the results."""
    sd = study_sd()
    for experiment, seeds in CASES:
        claims = claims_to_judge(experiment)
        tests = sum(map(len, claims.values()))
        found = {shape.name: false_verdicts(shape, seeds, claims, STUDIES) for shape in SHAPES}
        for recipes, gain in product((1, 2), GAINS):
            size = gain / sd * (1 + OWN**2) ** 0.5  # what sentences move is a part of sd
            by = "two recipes" if recipes == 2 else "one recipe"
            what = f"a gain of {gain} BLEU by {by}, where sd is {sd:.2f} BLEU"
            found[what] = gains_found(size, seeds, ALPHA / tests, STUDIES, recipes)
        for what, count in found.items():
            low, high = (round(bound, 4) for bound in binomtest(count, STUDIES).proportion_ci())
            counts = {"tests": tests, "studies": STUDIES, "found": count}
            yield Line(experiment=experiment, what=what, seeds=seeds, **counts, low=low, high=high)


def put_into_page() -> None:
    """Put the results into docs/results.md, between its lines ``verdict-level``."""
    rows: dict[str, list[str]] = {}
    for line in read_csv(FILE, Line, "run: python -m benchmarks.verdict_level"):
        share = f"{line.found / line.studies:.1%} ({line.low:.1%} to {line.high:.1%})"
        rows.setdefault(line.what, []).append(share)
    header = ["", *(f"{experiment}, {seeds} seeds" for experiment, seeds in CASES)]
    text = table(header, ([what, *shares] for what, shares in rows.items()))
    write_text(PAGE, page_with_table(read_text(PAGE, "utf-8"), text, "verdict-level", PAGE))


if __name__ == "__main__":
    if sys.argv[1:] != ["page"]:
        write_csv(FILE, Line, list(simulate()))
    put_into_page()
