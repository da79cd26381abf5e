"""``claims.csv``: what the papers claim, what several seeds say, and the verdict on each claim."""

from collections.abc import Mapping, Sequence

from attnmt.config import DIAGONAL, Params
from attnmt.config.claims import Claim, Measure, Variant
from attnmt.files.csv_file import CsvLine, read_csv, write_csv
from attnmt.layout import Layout
from attnmt.scoring.claims import is_testable, outcome_of, seeds_of, set_of
from attnmt.scoring.constant_baseline import is_above_constant
from attnmt.scoring.experiment_scores import ExperimentScores
from attnmt.scoring.score_table import AGAIN, DIGITS, ScoreTable, significant
from attnmt.scoring.verdicts import BELOW_BASELINE, NOT_TESTED, ClaimVerdict, all_agree, verdicts

# The name of each measure, and how many decimals a reader sees
MEASURES: dict[Measure, tuple[str, int]] = {
    "bleu": ("BLEU", 2),
    "bleu_replaced": ("BLEU after unk", 2),
    "gain_by_replacement": ("gain of BLEU by replacement", 2),
    "aer": ("AER", 3),
    "perplexity": ("perplexity", 2),
    "length_slope": ("BLEU after unk, per word of length", 3),
    "early_cost": ("cost, first quarter", 3),
    "final_cost": ("cost, at the end", 3),
}


class ClaimLine(CsvLine):
    """One claim. If it was not tested, its numbers are None, but for the paper's."""

    key: str
    claim: str
    where: str  # in the paper
    verdict: ClaimVerdict
    measure: str
    links: str | None = None  # gold or silver, where error rates of links are measured
    paper: float | None = None  # the published size
    ours: float | None = None  # of several variants, the one with the larger p
    low: float | None = None  # the bounds of the 95% interval of ours
    high: float | None = None
    p: float | None = None  # two-sided, of this claim alone
    p_holm: float | None = None  # after the control over all claims
    seeds: str | None = None
    variants: str | None = None  # how many were tested, as "2 of 2", where the claim has several
    sign: str
    bound: float
    compare: str
    systems: str  # those of several variants with a slash between
    over: str | None = None
    set: str

    @property
    def digits(self) -> int:
        """The decimals that a reader sees."""
        return dict(MEASURES.values()).get(self.measure, 2)

    @property
    def measured(self) -> str:
        """The measure, and whose links it counts."""
        return f"{self.measure}, {self.links} links" if self.links else self.measure


def judge_claims(
    study: ExperimentScores, numbers: ScoreTable, claims: Mapping[str, Claim]
) -> list[ClaimLine]:
    """Judge all claims together; the list is empty if none of them can be tested.

    There is no verdict on systems that are not above the constant baseline.
    """
    testable = {
        key: [one for one in claim.sides if is_testable(study, claim, one)]
        for key, claim in claims.items()
    }
    tested = {
        key: variants
        for key, variants in testable.items()
        if variants and all(_is_above(study.params, numbers, claims[key], one) for one in variants)
    }
    outcomes = {
        key: all_agree([outcome_of(study, claims[key], one) for one in variants])
        for key, variants in tested.items()
    }
    judged = verdicts(outcomes)
    lines = []
    for key, claim in claims.items() if any(testable.values()) else ():
        line = _untested(study, key, claim)
        if testable[key] and key not in tested:
            line = line.model_copy(update={"verdict": BELOW_BASELINE})
        if key in judged:
            outcome, verdict, variants = outcomes[key], judged[key], tested[key]
            changes = {
                "verdict": verdict.word,
                "ours": round(outcome.value, DIGITS),
                "low": round(outcome.low, DIGITS),
                "high": round(outcome.high, DIGITS),
                "p": significant(verdict.p),
                "p_holm": significant(verdict.adjusted),
                "seeds": seeds_of(study, claim, variants[0]),
            }
            if claim.variants:
                changes["variants"] = f"{len(variants)} of {len(claim.variants)}"
            line = line.model_copy(update=changes)
        lines.append(line)
    return lines


def _is_above(params: Params, numbers: ScoreTable, claim: Claim, variant: Variant) -> bool:
    test = set_of(params, claim)
    test = test if test in params.sets.tests else params.sets.tests[0]
    return all(is_above_constant(params, numbers, name, test) for name in variant.names)


def _untested(study: ExperimentScores, key: str, claim: Claim) -> ClaimLine:
    """Return what a line says of a claim and its systems before it is judged."""
    sides = [[one.systems for one in claim.sides], [one.over or [] for one in claim.sides]]
    systems, over = (" / ".join(" ".join(names) for names in side) for side in sides)
    return ClaimLine(
        key=key,
        claim=claim.claim,
        where=claim.where,
        verdict=NOT_TESTED,
        measure=MEASURES[claim.measure][0],
        links=_link_kind(study, claim) if claim.measure == "aer" else None,
        paper=claim.size,
        sign=claim.sign,
        bound=claim.bound,
        compare=claim.compare,
        systems=systems,
        over=over.strip(" /") or None,
        set=set_of(study.params, claim),
    )


def _link_kind(study: ExperimentScores, claim: Claim) -> str:
    """Return whether the links of the set on which a claim is measured are gold or silver."""
    line = study.scores(DIAGONAL).system(DIAGONAL, "aer", set_of(study.params, claim))
    return line.links if line else "gold"


def write_claims(params: Params, claims: Sequence[ClaimLine]) -> None:
    """Write ``claims.csv``; an experiment that tests no claim has one without lines."""
    write_csv(Layout(params.experiment).claims, ClaimLine, claims)


def read_claims(experiment: str) -> list[ClaimLine]:
    """Read ``claims.csv``."""
    return read_csv(Layout(experiment).claims, ClaimLine, AGAIN)
