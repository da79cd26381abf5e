"""``claims.csv``: what the paper says, what several seeds say, and the verdict on each claim.

A claim has a line for each recipe by which its systems were trained. It is decided if all of them agree.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from attnmt.config import Params
from attnmt.config.claims import Claim, Claims, Measure, digest_of
from attnmt.files.csv_file import CsvLine, read_csv, write_csv
from attnmt.layout import Layout
from attnmt.reporting.marks import learning_sign
from attnmt.reporting.table import Cell, P, Size, Table, signed, table_of
from attnmt.scoring.claims import AER, Judged, claim_under, judged_claims, set_of, systems_of
from attnmt.scoring.numbers import AGAIN, Numbers, significant
from attnmt.scoring.reference_links import link_kind
from attnmt.scoring.seed_runs import Study
from attnmt.scoring.verdicts import ALPHA, NOT_TESTED, ClaimVerdict, together

NAME = "claims"
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
    registered: bool  # whether claims and code are those of the last amendment
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
    differs: str | None = None  # what else differs between the systems
    still_learning: str | None = None  # the systems whose cost still fell when they ended
    amended: str | None = None  # what was changed after the registration, for this claim alone

    @property
    def digits(self) -> int:
        """The decimals that a reader sees."""
        return dict([*MEASURES.values(), RANKS]).get(self.measure, 2)


def judge_claims(
    study: Study, claims: Claims, code: Mapping[str, str], numbers: Numbers
) -> list[ClaimLine]:
    """Judge all claims under all recipes together; the list is empty if none of them can be tested.

    A recipe that trains the systems of a claim as their family's does has no line of its own.

    Args:
        code: the digests of the modules that measure and judge.
        numbers: those of the experiment, which say which systems still learned.

    Raises:
        InputError: if a file of a tested system is missing or damaged.
    """
    params, registered = study.params, digest_of(claims.claims, code) == claims.digest
    asked: dict[str, tuple[str, str | None, Claim]] = {}
    for key, claim in claims.judged.items():
        for recipe in (None, *params.recipes):
            under = claim_under(params, claim, recipe)
            if recipe is None:
                asked[key] = key, None, under or claim
            elif under is not None and systems_of(under) != systems_of(claim):
                asked[f"{key} under {recipe}"] = key, recipe, under
    judged = judged_claims(study, {name: claim for name, (_, _, claim) in asked.items()})
    lines = []
    for name, (key, recipe, claim) in asked.items():
        systems = [*claim.systems, *(claim.over or ())]
        learning = [one for one in systems if learning_sign(params, numbers, one)]
        changes = {
            "recipe": recipe or FAMILY,
            "registered": registered,
            "amended": _amended(claims, key),
            "still_learning": " ".join(learning) or None,
        }
        line = _line(study, key, claim, judged.get(name))
        lines.append(line.model_copy(update=changes))
    if all(line.verdict == NOT_TESTED for line in lines):
        return []
    return [
        line.model_copy(update={"verdict": together([one.verdict for one in group])})
        for group in by_claim(lines)
        for line in group
    ]


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


def claims_table(claims: Sequence[ClaimLine]) -> Table | None:
    """Return the table of all claims, or None if the experiment can test none of them."""
    if not claims:
        return None
    groups = by_claim(claims)
    counts = Counter(lines[0].verdict for lines in groups)
    tested = counts.total() - counts[NOT_TESTED] - counts["described"]
    caption = (
        f"{tested} of {counts.total()} claims are tested together, and the probability that one or "
        f"more verdicts are false is at most {ALPHA:.0%}. Ours is the mean over the seeds of some "
        "systems less that of others. "
    )
    caption += (
        "On another text than the paper's, compare signs, not sizes."
        if all(one.registered for one in claims)
        else "Claims or code have changed since the last amendment in claims.yaml."
    )
    return table_of(
        NAME,
        "Claims",
        caption,
        {lines[0].key: _cells(lines) for lines in groups},
        {"p after Holm": P},
        {lines[0].key: _facts(lines[0]) for lines in groups},
        about="what the paper says and what we find",
    )


def by_claim(claims: Sequence[ClaimLine]) -> list[list[ClaimLine]]:
    """Return the lines of each claim, which has one for each recipe."""
    return [list(lines) for _, lines in groupby(claims, lambda line: line.key)]


def _line(study: Study, key: str, claim: Claim, judged: Judged | None) -> ClaimLine:
    params = study.params
    of_links = {*AER} & {claim.measure, claim.rank_with}
    line = ClaimLine(
        key=key,
        claim=claim.claim,
        where=claim.where,
        verdict=NOT_TESTED,
        registered=True,
        measure=(RANKS if claim.compare == "rank" else MEASURES[claim.measure])[0],
        links=link_kind(params, params.sets.aligned[0]) if of_links else None,
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
        "verdict": verdict.word,
        "seeds": " to ".join(map(str, judged.seeds)),
    }
    return line.model_copy(update=changes)


def _cells(lines: Sequence[ClaimLine]) -> dict[str, Cell]:
    one, *others = lines
    others_in_short = (f"{other.recipe}: {_in_short(other)}" for other in others)
    return {
        "claim": one.claim + ("*" if one.amended else ""),
        "verdict": one.verdict,
        "measure": one.measure,
        "paper": None if one.paper is None else Size(one.paper, one.digits),
        "ours": None if one.ours is None else Size(one.ours, one.digits),
        "ours, 95%": _interval(one),
        "p after Holm": one.p_holm,
        "by other recipes": "; ".join(others_in_short) or None,
        "seeds": one.seeds,
    }


def _interval(one: ClaimLine) -> str | None:
    if one.low is None or one.high is None:
        return None
    return f"{signed(one.low, one.digits)} to {signed(one.high, one.digits)}"


def _in_short(one: ClaimLine) -> str:
    return NOT_TESTED if one.ours is None else f"{signed(one.ours, one.digits)} ({_interval(one)})"


def _facts(one: ClaimLine) -> dict[str, str]:
    """Return what a card says of a claim."""
    shows_effect = one.verdict == "undecided" and one.detectable is not None
    facts = {
        "what else differs": one.differs,
        "systems": one.systems,
        "compared with": one.over,
        "in the paper": one.where,
        "set": one.set,
        "links": one.links,
        "smallest effect": f"{one.detectable:.{one.digits}f}" if shows_effect else None,
        "still learning": one.still_learning,
        "* amendment": one.amended,
    }
    return {label: text for label, text in facts.items() if text}
