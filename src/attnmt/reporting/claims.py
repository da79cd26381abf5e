"""``claims.csv``: what the paper says, what several seeds say, and the verdict on each claim."""

from collections import Counter
from collections.abc import Mapping, Sequence

from attnmt.config import Params
from attnmt.config.claims import Claim, Measure
from attnmt.files.csv_file import CsvLine, read_csv, write_csv
from attnmt.layout import Layout
from attnmt.reporting.table import Cell, P, Size, Table, signed, table_of
from attnmt.scoring.claims import Judged, judged_claims, set_of
from attnmt.scoring.numbers import AGAIN, significant
from attnmt.scoring.reference_links import link_kind
from attnmt.scoring.seed_runs import Study
from attnmt.scoring.verdicts import ALPHA

NAME = "claims"
NOT_TESTED = "not tested"
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
RANKS = ("rank correlation", 2)
FILE_DIGITS = 6  # decimals in the file


class ClaimLine(CsvLine):
    """One claim. The numbers of a claim that was not tested are None, but for the paper's."""

    key: str
    claim: str
    where: str  # in the paper
    verdict: str
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
    halves: str | None = None  # the verdicts of the two halves of the seeds
    sign: str
    bound: float
    compare: str
    systems: str
    over: str | None = None
    set: str
    differs: str | None = None  # what else differs between the systems

    @property
    def digits(self) -> int:
        """The decimals that a reader sees."""
        return dict([*MEASURES.values(), RANKS]).get(self.measure, 2)


def judge_claims(study: Study, claims: Mapping[str, Claim]) -> list[ClaimLine]:
    """Judge all claims; the list is empty if the experiment can test none of them.

    Raises:
        InputError: if a file of a tested system is missing or damaged.
    """
    judged = judged_claims(study, claims)
    if not judged:
        return []
    return [_line(study, key, claim, judged.get(key)) for key, claim in claims.items()]


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
    frame, formats = table_of({one.key: _cells(one) for one in claims}, {"p after Holm": P})
    counts = Counter(one.verdict for one in claims)
    tested = counts.total() - counts[NOT_TESTED] - counts["described"]
    caption = (
        f"{tested} of {counts.total()} claims are tested together, and the probability that one or "
        f"more verdicts are false is at most {ALPHA:.0%}. Ours is the mean over the seeds of some "
        "systems less that of others. On another text than the paper's, compare signs, not sizes."
    )
    facts = {one.key: _facts(one) for one in claims}
    return Table(
        NAME, "Claims", caption, frame, formats, "what the paper says and what we find", facts
    )


def _line(study: Study, key: str, claim: Claim, judged: Judged | None) -> ClaimLine:
    params = study.params
    of_links = "aer" in (claim.measure, claim.rank_with)
    line = ClaimLine(
        key=key,
        claim=claim.claim,
        where=claim.where,
        verdict=NOT_TESTED,
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
    rounded = {k: None if v is None else round(float(v), FILE_DIGITS) for k, v in numbers.items()}
    ps = {"p": verdict.p, "p_holm": verdict.adjusted}
    rounded |= {k: None if p is None else significant(p) for k, p in ps.items()}
    words = {
        "verdict": verdict.word,
        "seeds": " to ".join(map(str, judged.seeds)),
        "halves": ", ".join(dict.fromkeys(judged.halves)) or None,
    }
    return line.model_copy(update=rounded | words)


def _cells(one: ClaimLine) -> dict[str, Cell]:
    def size(value: float | None) -> Cell:
        return None if value is None else Size(value, one.digits)

    interval = None
    if one.low is not None and one.high is not None:
        interval = f"{signed(one.low, one.digits)} to {signed(one.high, one.digits)}"
    return {
        "claim": one.claim,
        "verdict": one.verdict,
        "measure": one.measure,
        "paper": size(one.paper),
        "ours": size(one.ours),
        "ours, 95%": interval,
        "p after Holm": one.p_holm,
        "seeds": one.seeds,
    }


def _facts(one: ClaimLine) -> dict[str, str]:
    """Return what a card says of a claim."""
    effect = None
    if one.verdict == "undecided" and one.detectable is not None:
        effect = f"{one.detectable:.{one.digits}f}"
    facts = {
        "what else differs": one.differs,
        "systems": one.systems,
        "compared with": one.over,
        "in the paper": one.where,
        "set": one.set,
        "links": one.links,
        "half the seeds, the other half": one.halves,
        "smallest effect": effect,
    }
    return {label: text for label, text in facts.items() if text}
