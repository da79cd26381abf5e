"""How often verdicts are false, and how large a gain they find, in simulated studies.

    python -m benchmarks.verdict_level          # simulate for three minutes on two cores, then the page
    python -m benchmarks.verdict_level page     # put the results into docs/trust.md

A simulated study has the systems of an experiment that have the seeds for a test, by all its recipes,
with k seeds each. All systems are equal. Each claim that can get a verdict is judged as in a report,
with 0 for its bound. So it is wrong to decide it: to confirm it, to refute it, or to say that it depends
on the recipe. What a recipe alone decides is counted, too. A claim's bound only moves the means, so it
does not matter here. On a text of one's own, three systems are compared in pairs. Many studies are
computed at once. A test compares each p with that of the library's own functions.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain, combinations
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr
from scipy.stats import binomtest

from attnmt.config import load_params, params_file
from attnmt.config.claims import Claim, project_claims
from attnmt.files.csv_file import CsvLine, read_csv, write_csv
from attnmt.files.text_file import read_text, write_text
from attnmt.reporting.readme_table import page_with_table
from attnmt.scoring.claims import AER, claim_under, systems_of
from attnmt.scoring.numbers import read_numbers
from attnmt.scoring.seed_statistics import FEWEST, Numbers
from attnmt.scoring.variances import LENDERS, Pool
from attnmt.scoring.verdicts import ALPHA
from benchmarks.page import RESULTS, table
from benchmarks.simulated_studies import CLOSE, OWN, SHAPES, Drawn, Shape

SEEDS = (3, 5, 10)
OWN_TEXT = "own text"
# Multi30k tests fewer claims. attnmt new proposes three systems and three seeds.
CASES = (*(("study", seeds) for seeds in SEEDS), ("captions", 5), ("multi30k", 5), (OWN_TEXT, 3))
STUDIES = 2000  # for each shape
GAIN_STUDIES = 10_000  # for each gain
CHUNK = 40  # studies that are simulated at once
CORES = 2
GAINS = (1, 2, 3, 5)  # BLEU
FILE = RESULTS / "verdict-level.csv"
PAGE = Path("docs/trust.md")


class Line(CsvLine):
    """In how many simulated studies something was found."""

    experiment: str  # whose claims are tested
    what: str  # a shape's name, or a gain
    seeds: int
    tests: int  # judged together: of each claim, one by every recipe that gives it other systems
    studies: int
    found: int  # studies with a verdict; of a gain, those that found it
    by_a_recipe: int | None = None  # studies in which a recipe alone decides a claim
    low: float  # the bounds of the share's 95% interval (Clopper and Pearson 1934)
    high: float


class Plan(NamedTuple):
    """What is judged together.

    Attributes:
        claims: each with the recipe by which its systems are trained, by key and number; None is the
            family's own recipe. Each claim has 0 for its bound.
        systems: those that have the seeds for a test, by the recipe that trains them.
        attending: those that have attention.
        replacing: those of them whose attention replaces unknown words.
        ensembles: those that are made of others, and do not lend.
    """

    claims: Mapping[tuple[str, int], tuple[str | None, Claim]]
    systems: Mapping[str | None, list[str]]
    attending: set[str]
    replacing: set[str]
    ensembles: set[str]

    @property
    def everyone(self) -> list[str]:
        """All systems, each once."""
        return list(dict.fromkeys(chain(*self.systems.values())))

    @property
    def busiest(self) -> int:
        """The number of the system in most claims that one test decides; of several, in most tests."""
        tests = Counter(key for key, _ in self.claims)
        alone, named = Counter[str](), Counter[str]()
        for (key, _), (_, claim) in self.claims.items():
            named.update(systems_of(claim))
            alone.update(systems_of(claim) if tests[key] == 1 else [])
        return self.everyone.index(max(named, key=lambda name: (alone[name], named[name])))

    @property
    def measures(self) -> list[str]:
        """All measures of the claims, each once."""
        return list(dict.fromkeys(claim.measure for _, claim in self.claims.values()))

    def lenders(self, measure: str) -> list[str]:
        """Return which systems lend to each other: those whose seeds differ in a measure."""
        varying: set[str] = {*self.everyone}
        if measure in AER:
            varying = self.attending
        elif measure == "gain_by_replacement":
            varying = self.replacing
        return [name for name in self.everyone if name in varying - self.ensembles]


def plan_of(experiment: str) -> Plan:
    """Return what an experiment judges: its claims, by every recipe that gives them other systems."""
    if experiment == OWN_TEXT:
        claim, names = project_claims().claims["table1_local"], ["one", "two", "three"]
        pairs = [{"systems": [one], "over": [two]} for one, two in combinations(names, 2)]
        of_pairs = {(str(pair), 0): (None, claim.model_copy(update=pair)) for pair in pairs}
        return Plan(of_pairs, {None: names}, {*names}, {*names}, set())
    params = load_params(params_file(experiment))
    recipes = (None, *filter(params.systems_under, params.recipes))  # `family` trains none
    found: dict[tuple[str, int], tuple[str | None, Claim]] = {}
    for key, claim in project_claims().judged.items():
        by_systems: dict[tuple[str, ...], tuple[str | None, Claim]] = {}
        for recipe in recipes:
            if one := claim_under(params, claim, recipe):
                of_recipe = recipe, one.model_copy(update={"bound": 0.0})
                by_systems.setdefault(tuple(systems_of(one)), of_recipe)
        seeds = (len(params.runs_of(name)) for names in by_systems for name in names)
        if claim.compare != "rank" and min(seeds) >= FEWEST:
            found |= {(key, i): one for i, one in enumerate(by_systems.values())}
    systems = {
        recipe: [n for n in params.systems_under(recipe) if len(params.runs_of(n)) >= FEWEST]
        for recipe in recipes
    }
    trained = {*chain(*systems.values())}
    attending, replacing = (
        {*filter(of, trained)} for of in (params.attends, params.replaces_words)
    )
    return Plan(found, systems, attending, replacing, {*params.ensembles})


class Estimates(NamedTuple):
    """Estimates of many studies, each (studies,), as the library's ``Estimate``."""

    value: Numbers
    error: Numbers
    freedom: Numbers

    def p_above(self, bound: float = 0.0) -> Numbers:
        """Return the p-values of the tests that the true values are above a bound."""
        return np.asarray(stdtr(self.freedom, (bound - self.value) / self.error))


class Scores:
    """One measure in many studies, with what variances borrow under one recipe."""

    def __init__(
        self, drawn: Drawn, measure: int, lenders: Sequence[int], alike: Sequence[int]
    ) -> None:
        """Let the systems numbered ``lenders`` lend to those of them that are ``alike``."""
        self.values, self.influences = drawn.values[:, measure], drawn.influences[:, measure]
        k = self.values.shape[-1]
        self.own, self.pool = k - 1.0, None
        if len(lenders) >= LENDERS:
            v = self.values[:, lenders].var(-1, ddof=1)
            of_recipe = [at for at, system in enumerate(lenders) if system in alike]
            self.pool = Pool.of(v, np.full(len(lenders), self.own), of_recipe)

    def contrast(
        self, systems: Sequence[int], over: Sequence[int], paired: bool = False
    ) -> Estimates:
        """Estimate the mean of systems less the mean of others, as the library's ``contrast`` does."""
        values, influences = self.values, self.influences
        w = np.array([1 / len(systems)] * len(systems) + [-1 / len(over) for _ in over])
        chosen, pool = [*systems, *over], self.pool
        if paired:
            values, influences = (x[:, systems] - x[:, over] for x in (values, influences))
            chosen, w, pool = [0], np.ones(1), pool and pool.of_differences(pool)
        values, influences = values[:, chosen], influences[:, chosen]
        k, n = influences.shape[-2:]
        v, freedom = values.var(-1, ddof=1), np.full(len(values), self.own)
        if pool:
            moderated = [pool.moderated(one, self.own) for one in v.T]
            v = np.stack([one for one, _ in moderated], -1)
            freedom = np.min([one for _, one in moderated], 0)
        shared = influences.mean(-2)
        # What seeds do not share is a part of the variance of their mean. It is in v already.
        not_shared = (influences.var(-1, ddof=1).mean(-1) - shared.var(-1, ddof=1)) / (k - 1)
        common = np.maximum(0, (w @ shared).var(-1, ddof=1) - not_shared @ w**2)
        error = ((v / k) @ w**2 + common / n) ** 0.5
        return Estimates(values.mean(-1) @ w, error, freedom)

    def test(self, claim: Claim, at: Mapping[str, int]) -> tuple[Numbers, Numbers]:
        """Return the one-sided p-values for and against a claim, as the library's ``judge`` does."""
        ours, others = ([at[name] for name in names] for names in (claim.systems, claim.over or ()))
        if claim.compare == "each":
            found = [self.contrast([one], [other]) for one in ours for other in others]
        else:
            found = [self.contrast(ours, others, claim.compare == "paired")]
        above = np.array([one.p_above() for one in found])
        p_for, p_against = (above, 1 - above) if claim.sign == "greater" else (1 - above, above)
        return p_for.max(0), np.minimum(1, len(found) * p_against.min(0))


def false_verdicts(
    shape: Shape, seeds: int, plan: Plan, studies: int
) -> list[tuple[int, int | None]]:
    """Return how many studies of equal systems have a verdict, and in how many a recipe decides alone.

    They stand in a list as what :func:`gains_found` returns.
    """
    chance, found = np.random.default_rng(2015), np.zeros(2, dtype=int)
    for _ in range(0, studies, CHUNK):
        drawn = shape.draw_studies(
            chance, plan.measures, len(plan.everyone), seeds, CHUNK, plan.busiest
        )
        found += count_decided(plan, p_values(plan, drawn))
    return [(int(found[0]), int(found[1]))]


def count_decided(plan: Plan, tests: Numbers) -> tuple[int, int]:
    """Return how many studies decide a claim over all its recipes, and how many by one of them alone.

    Args:
        plan: what is judged together.
        tests: of :func:`p_values`.
    """
    p = np.minimum(1, 2 * tests.min(1))  # (tests, studies)
    words = np.where(p <= _limit(p), np.where(tests[:, 0] < tests[:, 1], 1, -1), 0)
    keys = [key for key, _ in plan.claims]
    by_claim = [words[[key == one for key in keys]] for one in dict.fromkeys(keys)]
    decided = np.any([_is_decided(some) for some in by_claim], axis=0)
    return int(decided.sum()), int((words != 0).any(0).sum())


def p_values(plan: Plan, drawn: Drawn) -> Numbers:
    """Return (tests, 2, studies), the one-sided p-values for and against every claim of a plan."""
    at = {name: i for i, name in enumerate(plan.everyone)}
    scores = {
        (recipe, measure): Scores(
            drawn,
            plan.measures.index(measure),
            [at[name] for name in plan.lenders(measure)],
            [at[name] for name in plan.systems[recipe]],
        )
        for recipe, measure in {(recipe, claim.measure) for recipe, claim in plan.claims.values()}
    }
    return np.array(
        [scores[recipe, claim.measure].test(claim, at) for recipe, claim in plan.claims.values()]
    )


def _limit(p: Numbers) -> Numbers:
    """Return the largest p that Holm's procedure decides, (tests, studies) -> (studies,); -1 if none."""
    ordered = np.sort(p, 0)
    rejected = np.cumprod(ordered <= ALPHA / np.arange(len(p), 0, -1)[:, None], 0).astype(bool)
    return np.asarray(np.where(rejected, ordered, -1.0).max(0))


def _is_decided(words: Numbers) -> Numbers:
    """Return whether a claim has a verdict: words are 1, -1 or 0 (undecided), (recipes, studies)."""
    low, high = words.min(0), words.max(0)
    return np.asarray((low == high) & (low != 0) | (low * high < 0))


def gains_found(
    gains: Sequence[float], seeds: int, plan: Plan, level: float, studies: int, recipes: int = 1
) -> list[tuple[int, int | None]]:
    """Return how many studies find under every recipe that a system is better than another.

    Args:
        gains: how much better it is; the unit is that of :class:`Shape`.
        seeds: of each system.
        plan: says how many systems lend.
        level: of each two-sided test.
        studies: how many there are.
        recipes: how many train the two systems; the gain is the same by each.
    """
    chance, found = np.random.default_rng(2015), np.zeros(len(gains), dtype=int)
    lenders = [plan.everyone.index(name) for name in plan.lenders("bleu")]
    groups = [[plan.everyone.index(n) for n in plan.systems[r]] for r in [*plan.systems][:recipes]]
    pairs = [[n for n in names if sum(n in g for g in groups) == 1][:2] for names in groups]
    for _ in range(0, studies, CHUNK):
        drawn = CLOSE.draw_studies(chance, ["bleu"], len(plan.everyone), seeds, CHUNK)
        estimates = [
            Scores(drawn, 0, lenders, names).contrast(pair[:1], pair[1:])
            for names, pair in zip(groups, pairs, strict=True)
        ]
        for i, gain in enumerate(gains):
            p = np.array([2 * one.p_above(-gain) for one in estimates])
            found[i] += int((p <= level).all(0).sum())
    return [(int(one), None) for one in found]


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
    """Yield the lines of the results, and say on standard error which is done."""
    sd = study_sd()
    sizes = [
        gain / sd * (1 + OWN**2) ** 0.5 for gain in GAINS
    ]  # what sentences move is a part of sd
    with ProcessPoolExecutor(CORES) as cores:
        jobs = []
        for experiment, seeds in CASES:
            plan = plan_of(experiment)
            tests = len(plan.claims)
            line = partial(Line, experiment=experiment, seeds=seeds, tests=tests)
            for shape in SHAPES:
                job = cores.submit(false_verdicts, shape, seeds, plan, STUDIES)
                jobs.append((partial(line, studies=STUDIES), [shape.name], job))
            for recipes, by in enumerate(("one recipe", "two recipes")[: len(plan.systems)], 1):
                names = [f"a gain of {n} BLEU by {by}, where sd is {sd:.2f} BLEU" for n in GAINS]
                asked = sizes, seeds, plan, ALPHA / tests, GAIN_STUDIES, recipes
                job = cores.submit(gains_found, *asked)
                jobs.append((partial(line, studies=GAIN_STUDIES), names, job))
        for i, (line, names, job) in enumerate(jobs, 1):
            for what, (found, alone) in zip(names, job.result(), strict=True):
                low, high = binomtest(found, line.keywords["studies"]).proportion_ci()
                bounds = {"low": round(low, 4), "high": round(high, 4)}
                yield line(what=what, found=found, by_a_recipe=alone, **bounds)
            print(f"{i} of {len(jobs)} done: {names[-1]}", file=sys.stderr, flush=True)


def put_into_page() -> None:
    """Put the results into docs/trust.md, between its lines ``verdict-level``."""
    rows: dict[str, dict[tuple[str, int], str]] = {}
    for line in read_csv(FILE, Line, "run: python -m benchmarks.verdict_level"):
        share = f"{line.found / line.studies:.1%} ({line.low:.1%} to {line.high:.1%})"
        rows.setdefault(line.what, {})[line.experiment, line.seeds] = share
    header = ["", *(f"{experiment}, {seeds} seeds" for experiment, seeds in CASES)]
    text = table(
        header, ([what, *(of.get(case, "") for case in CASES)] for what, of in rows.items())
    )
    write_text(PAGE, page_with_table(read_text(PAGE, "utf-8"), text, "verdict-level", PAGE))


if __name__ == "__main__":
    if sys.argv[1:] != ["page"]:
        write_csv(FILE, Line, list(simulate()))
    put_into_page()
