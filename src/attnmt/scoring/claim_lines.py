"""``claims.csv``: what the papers claim, what several seeds say, and the verdict on each claim.

A claim has a line for each recipe by which its systems were trained. It is decided if all of them agree.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from attnmt.config import Params
from attnmt.config.claims import Claims, Measure
from attnmt.files.csv_file import CsvLine, read_csv, write_csv
from attnmt.layout import Layout
from attnmt.scoring.claims import AER, UnderRecipe, judged_by_recipes, set_of, systems_of
from attnmt.scoring.contrasts import contrasts
from attnmt.scoring.learning import learning_sign
from attnmt.scoring.numbers import AGAIN, Numbers, significant
from attnmt.scoring.study import Study
from attnmt.scoring.verdicts import NOT_TESTED, ClaimVerdict

FAMILY = "family"  # what a line calls the recipe of the family, which is the paper's
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
FILE_DIGITS = 6  # decimals in the file


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
    low: float | None = None  # the bounds of the 95% interval of ours
    high: float | None = None
    p: float | None = None  # two-sided, of this claim alone
    p_holm: float | None = None  # after the control over all claims
    level: float | None = None  # the largest p at which Holm's procedure decides this claim
    detectable: float | None = None  # the smallest effect found with a probability of 80%
    seeds: str | None = None
    sign: str
    bound: float
    compare: str
    systems: str
    over: str | None = None
    set: str
    contrast: str | None = None  # how the two sides differ, in the models and their recipes
    differs: str | None = None  # what else differs, here or in the paper
    still_learning: str | None = None  # the systems whose cost still fell when they ended
    jumped: str | None = None  # how many trainings of which systems had a cost that jumped
    amended: str | None = None  # what was changed after the registration, for this claim alone

    @property
    def digits(self) -> int:
        """The decimals that a reader sees."""
        return dict([*MEASURES.values(), RANKS]).get(self.measure, 2)


def judge_claims(
    study: Study, claims: Claims, registered: bool, numbers: Numbers
) -> list[ClaimLine]:
    """Judge all claims under all recipes together; the list is empty if none of them can be tested.

    A recipe that trains the systems of a claim as their family's does has no line of its own.

    Args:
        registered: whether the claims, the code and the parameters are those of the last amendment.
        numbers: those of the experiment, which say which systems still learned.

    Raises:
        InputError: if a file of a tested system is missing or damaged.
    """
    params, lines = study.params, []
    for key, found in judged_by_recipes(study, claims.judged).items():
        for one in found.recipes:
            systems = systems_of(one.claim)
            learning = [name for name in systems if learning_sign(params, numbers, name)]
            changes = {
                "verdict": found.verdict,
                "recipe": one.recipe or FAMILY,
                "alike": " ".join(found.alike) or None,
                "registered": registered and params.experiment in claims.experiments,
                "amended": _amended(claims, key),
                "contrast": "; ".join(contrasts(params, numbers, one.claim)) or None,
                "still_learning": " ".join(learning) or None,
                "jumped": ", ".join(_jumped(params, numbers, systems)) or None,
            }
            lines.append(_line(study, key, one).model_copy(update=changes))
    return [] if all(line.verdict == NOT_TESTED for line in lines) else lines


def _jumped(params: Params, numbers: Numbers, systems: Iterable[str]) -> Iterator[str]:
    """Yield how many trainings of each system had a development cost that jumped, if any had."""
    for name in systems:
        runs = [run for run in params.runs_of(name) if run in params.models]
        lines = [numbers.training(run, "jumps", params.sets.dev) for run in runs]
        if count := sum(bool(line and line.value) for line in lines):
            yield f"{name} {count} of {len(runs)}"


def _amended(claims: Claims, key: str) -> str | None:
    """Return the words of the amendment that added a reading of a claim."""
    claim, _, measure = key.partition(".")
    for one in claims.amendments:
        if measure and one.measure == measure and claim in (one.claims or ()):
            return f"{one.date}: {one.what} {one.why} {one.known}"
    return None


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


def _line(study: Study, key: str, found: UnderRecipe) -> ClaimLine:
    params, claim, judged = study.params, found.claim, found.judged
    of_links = {*AER} & {claim.measure, claim.rank_with}
    line = ClaimLine(
        key=key,
        claim=claim.claim,
        where=claim.where,
        verdict=NOT_TESTED,
        registered=True,
        measure=(RANKS if claim.compare == "rank" else MEASURES[claim.measure])[0],
        links=study.link_kind if of_links else None,
        paper=claim.size,
        sign=claim.sign,
        bound=claim.bound,
        compare=claim.compare,
        systems=" ".join(claim.systems),
        over=" ".join(claim.over or ()) or None,
        set=set_of(params, claim),
        differs=" ".join(claim.differs) or None,
    )
    if judged is None:
        return line
    outcome, verdict = judged.outcome, judged.verdict
    numbers = {
        "ours": outcome.value,
        "low": outcome.low,
        "high": outcome.high,
        "level": verdict.level,
        "detectable": verdict.detectable,
    }
    ps = {"p": verdict.p, "p_holm": verdict.adjusted}
    changes = {
        **{k: None if v is None else round(float(v), FILE_DIGITS) for k, v in numbers.items()},
        **{k: None if v is None else significant(v) for k, v in ps.items()},
        "seeds": " to ".join(map(str, judged.seeds)),
    }
    return line.model_copy(update=changes)
