"""``claims.csv``: what the papers claim, what several seeds say, and the verdict on each claim.

A claim has a line for each recipe by which its systems were trained. It is decided if all of them agree.
Where the experiment has another test set, the line also says what holds on it. There all claims are
judged together, too. This changes no verdict on the registered set.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import mean

from attnmt.config import DIAGONAL, Params
from attnmt.config.claims import Claim, Claims, Measure
from attnmt.config.trainings import FAMILY
from attnmt.decoding.link_step import SHIFTS
from attnmt.files.csv_file import CsvLine, read_csv, write_csv
from attnmt.layout import Layout
from attnmt.scoring.claims import (
    AER,
    claim_under,
    is_testable,
    on_other_set,
    outcome_of,
    set_of,
    systems_of,
)
from attnmt.scoring.contrasts import contrasts
from attnmt.scoring.numbers import AGAIN, DIGITS, Numbers, significant
from attnmt.scoring.ranking import learning_sign
from attnmt.scoring.seed_statistics import Described
from attnmt.scoring.study import Study
from attnmt.scoring.verdicts import NOT_TESTED, ClaimVerdict, Verdict, together, verdicts

# The name of each measure, and how many decimals a reader sees
MEASURES: dict[Measure, tuple[str, int]] = {
    "bleu": ("BLEU", 2),
    "bleu_replaced": ("BLEU after unk", 2),
    "gain_by_replacement": ("gain of BLEU by replacement", 2),
    "aer": ("AER", 3),
    "aer_chosen": ("AER at the chosen step", 3),
    "perplexity": ("perplexity", 2),
    "length_slope": ("BLEU after unk, per word of length", 3),
    "early_cost": ("cost, first quarter", 3),
    "final_cost": ("cost, at the end", 3),
}
RANKS = ("rank correlation", 2)
REPEATED = ("ours", "low", "high", "p", "p_holm")  # of a line, also on the other test set
ON_ITS_SET = ("links", "at_each_step", "level", "detectable")  # on the registered set alone
Asked = Mapping[tuple[str, str], Claim | None]  # by key and recipe; None if it lacks a system


class ClaimLine(CsvLine):
    """One claim under one recipe. If it was not tested, its numbers are None, but for the paper's."""

    key: str  # with the measure after a dot, where an amendment added one
    claim: str
    where: str  # in the paper
    verdict: ClaimVerdict  # over all recipes, so it is the same in all lines of a claim
    recipe: str = FAMILY
    alike: str | None = None  # other recipes that train its systems exactly as the family's does
    # whether claims, code and parameters are as at the last amendment, and claims.yaml names the
    # experiment
    registered: bool
    measure: str
    links: str | None = None  # gold or silver, where error rates of links are measured
    paper: float | None = None  # the published size
    ours: float | None = None
    at_each_step: str | None = None  # ours, had attention been read at one step in all systems
    low: float | None = None  # the bounds of the 95% interval of ours
    high: float | None = None
    p: float | None = None  # two-sided, of this claim alone
    p_holm: float | None = None  # after the control over all claims
    level: float | None = None  # the largest p at which Holm's procedure decides this claim
    detectable: float | None = None  # the smallest effect that 80% of studies or more find
    seeds: str | None = None
    sign: str
    bound: float
    compare: str
    systems: str
    over: str | None = None
    set: str
    other_set: str | None = None  # the experiment's other test set, and what the claim is there:
    other_verdict: ClaimVerdict | None = None  # over all recipes
    other_ours: float | None = None
    other_low: float | None = None
    other_high: float | None = None
    other_p: float | None = None
    other_p_holm: float | None = None  # after the control over all claims on their other sets
    contrast: str | None = None  # how the two sides differ, in the models and their recipes
    differs: str | None = None  # what else differs, here or in the paper
    still_learning: str | None = None  # the systems whose cost still fell when they ended
    jumped: str | None = None  # how many trainings of which systems had a cost that jumped
    amended: str | None = None  # what was changed after the registration, for this claim alone

    @property
    def on_other_set(self) -> "ClaimLine | None":
        """The line on the other test set, with what is known there; None if it was not judged there."""
        if self.other_set is None:
            return None
        known = {name: getattr(self, f"other_{name}") for name in ("set", "verdict", *REPEATED)}
        return self.model_copy(update=dict.fromkeys(ON_ITS_SET) | known)

    @property
    def marked(self) -> str:
        """The claim, with a star if an amendment reads it in a second way."""
        return self.claim + "*" * bool(self.amended)

    @property
    def digits(self) -> int:
        """The decimals that a reader sees."""
        return dict([*MEASURES.values(), RANKS]).get(self.measure, 2)


@dataclass(frozen=True)
class Judged:
    """What the seeds say of one claim under one recipe."""

    outcome: Described
    seeds: str
    verdict: Verdict

    def cells(self) -> dict[str, float | str | None]:
        """Return the numbers of a line."""
        outcome, verdict = self.outcome, self.verdict
        return {
            "ours": _rounded(outcome.value),
            "low": _rounded(outcome.low),
            "high": _rounded(outcome.high),
            "p": None if verdict.p is None else significant(verdict.p),
            "p_holm": None if verdict.adjusted is None else significant(verdict.adjusted),
            "level": _rounded(verdict.level),
            "detectable": _rounded(verdict.detectable),
            "seeds": self.seeds,
        }


def judge_claims(
    study: Study, claims: Claims, registered: bool, numbers: Numbers
) -> list[ClaimLine]:
    """Judge all claims under all recipes together; the list is empty if none of them can be tested.

    A recipe that trains the systems of a claim as their family's does has no line of its own, and one
    that trains none of them says nothing of it. Under a recipe that trains only some of them, the claim
    cannot be tested.

    Args:
        registered: whether the claims, the code and the parameters are those of the last amendment.
        numbers: those of the experiment, which say which systems still learned.

    Raises:
        InputError: if a file of a tested system is missing or damaged.
    """
    params, registry = study.params, claims.judged
    alike: dict[str, list[str]] = {key: [] for key in registry}
    asked: dict[tuple[str, str], Claim | None] = {}
    for key, claim in registry.items():
        asked[key, FAMILY] = claim
        for recipe in params.recipes:
            trained = [params.system_under(recipe, name) for name in systems_of(claim)]
            if trained == systems_of(claim):
                alike[key].append(recipe)
            elif any(trained):
                asked[key, recipe] = claim_under(params, claim, recipe)
    found = _judged(study, asked)
    if not found:
        return []
    tested = {at: claim for at, claim in asked.items() if claim and at in found}
    again = _judged(study, {at: on_other_set(params, claim) for at, claim in tested.items()})
    words, words_there = (
        {key: _together(key, asked, one) for key in registry} for one in (found, again)
    )
    others = {key: on_other_set(params, claim) for key, claim in registry.items()}
    lines = []
    for at, under in asked.items():
        key, recipe = at
        line = _untested(study, numbers, key, under or registry[key])
        changes: dict[str, object] = {
            "verdict": words[key],
            "recipe": recipe,
            "alike": " ".join(alike[key]) or None,
            "registered": registered and params.experiment in claims.experiments,
            "amended": _amended(claims, key),
        }
        if under and at in found:
            changes |= found[at].cells()
            changes["at_each_step"] = _at_each_step(params, numbers, under)
        if words_there[key] != NOT_TESTED and (other := others[key]):
            changes |= {"other_set": set_of(params, other), "other_verdict": words_there[key]}
        if at in again:
            cells = again[at].cells()
            changes |= {f"other_{name}": cells[name] for name in REPEATED}
        lines.append(line.model_copy(update=changes))
    return lines


def _judged(study: Study, asked: Asked) -> dict[tuple[str, str], Judged]:
    """Judge together those claims that the experiment can test."""
    found = {
        at: outcome_of(study, claim, None if at[1] == FAMILY else at[1])
        for at, claim in asked.items()
        if claim and is_testable(study, claim)
    }
    decided = verdicts({at: outcome for at, (outcome, _) in found.items()}, lambda at: at[0])
    return {at: Judged(*found[at], decided[at]) for at in found}


def _together(key: str, asked: Asked, found: Mapping[tuple[str, str], Judged]) -> ClaimVerdict:
    """Return the verdict on a claim over all recipes under which it is asked."""
    return together(
        [found[at].verdict.word if at in found else NOT_TESTED for at in asked if at[0] == key]
    )


def _untested(study: Study, numbers: Numbers, key: str, claim: Claim) -> ClaimLine:
    """Return what a line says of a claim and its systems before it is judged."""
    params, systems = study.params, systems_of(claim)
    learning = [name for name in systems if learning_sign(params, numbers, name)]
    return ClaimLine(
        key=key,
        claim=claim.claim,
        where=claim.where,
        verdict=NOT_TESTED,
        registered=True,
        measure=(RANKS if claim.compare == "rank" else MEASURES[claim.measure])[0],
        links=_link_kind(study, claim) if {*AER} & {claim.measure, claim.rank_with} else None,
        paper=claim.size,
        sign=claim.sign,
        bound=claim.bound,
        compare=claim.compare,
        systems=" ".join(claim.systems),
        over=" ".join(claim.over or ()) or None,
        set=set_of(params, claim),
        contrast="; ".join(contrasts(params, numbers, claim)) or None,
        differs=" ".join(claim.differs) or None,
        still_learning=" ".join(learning) or None,
        jumped=_jumped(params, numbers, systems),
    )


def _at_each_step(params: Params, numbers: Numbers, claim: Claim) -> str | None:
    """Return the difference between the means of two sides in error rates, at either step, in words."""
    found = []
    for step in SHIFTS if claim.measure in AER and claim.compare != "each" else ():
        sides = [
            [numbers.system(name, f"aer_{step}", set_of(params, claim)) for name in side]
            for side in (claim.systems, claim.over or ())
        ]
        ours, other = (
            [one.value for one in side if one and one.value is not None] for side in sides
        )
        if other and [len(ours), len(other)] == [len(claim.systems), len(claim.over or ())]:
            found.append(f"{mean(ours) - mean(other):+.3f} at the {step} step")
    return ", ".join(found) or None


def _link_kind(study: Study, claim: Claim) -> str:
    """Return whether the links of the set on which a claim is measured are gold or silver."""
    line = study.scores(DIAGONAL).system(DIAGONAL, "aer", set_of(study.params, claim, "aer"))
    return "silver" if line and "silver links" in (line.note or "") else "gold"


def _jumped(params: Params, numbers: Numbers, systems: Iterable[str]) -> str | None:
    """Return how many trainings of which systems had a development cost that jumped."""
    parts = []
    for name in systems:
        runs = [run for run in params.runs_of(name) if run in params.models]
        lines = [numbers.training(run, "jumps", params.sets.dev) for run in runs]
        if count := sum(bool(line and line.value) for line in lines):
            parts.append(f"{name} {count} of {len(runs)}")
    return ", ".join(parts) or None


def _amended(claims: Claims, key: str) -> str | None:
    """Return the words of the amendment that added a reading of a claim."""
    claim, _, measure = key.partition(".")
    for one in claims.amendments:
        if measure and one.measure == measure and claim in (one.claims or ()):
            return f"{one.date}: {one.what} {one.why} {one.known}"
    return None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), DIGITS)


def write_claims(params: Params, claims: Sequence[ClaimLine]) -> None:
    """Write ``claims.csv``; an experiment that tests no claim has one without lines."""
    write_csv(Layout(params.experiment).claims, ClaimLine, claims)


def read_claims(experiment: str) -> list[ClaimLine]:
    """Read ``claims.csv``.

    Raises:
        InputError: if it is missing or damaged.
    """
    return read_csv(Layout(experiment).claims, ClaimLine, AGAIN)


def by_claim(claims: Sequence[ClaimLine]) -> list[list[ClaimLine]]:
    """Return the lines of each claim, which has one for each recipe."""
    return [list(lines) for _, lines in groupby(claims, lambda line: line.key)]


def there(claims: Iterable[ClaimLine]) -> list[ClaimLine]:
    """Return the lines as they are on the other test set, without those that were not judged there."""
    return [line for one in claims if (line := one.on_other_set)]
