"""The table of claims: what the paper says, what several seeds say, and the verdict on each claim."""

from collections.abc import Mapping, Sequence

from attnmt.config import Params
from attnmt.config.claims import Claim, Measure
from attnmt.layout import Layout
from attnmt.reporting.columns import filled, number_column, signed, text_column
from attnmt.reporting.paper import paper_set
from attnmt.reporting.tables import Caption, Cell, Column, ColumnRole, Table, Title
from attnmt.scoring.claims import Judged, judged_claims, set_of, systems_of
from attnmt.scoring.reference_links import link_kind
from attnmt.scoring.seed_runs import Study
from attnmt.scoring.verdicts import ALPHA

NAME = "claims"
NOT_TESTED = "not tested"
ELSEWHERE = (
    "One training of a system does not say enough about the system to judge the paper's claims. The "
    "experiment “study” trains several and judges them."
)
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
FILE_DIGITS = 6  # decimals in the CSV file
Pairs = list[tuple[Claim, Judged | None]]


def claims_table(study: Study, claims: Mapping[str, Claim]) -> Table | None:
    """Return the table of all claims, or None if the experiment can test none of them.

    Raises:
        InputError: if a file of a tested system is missing or damaged.
    """
    params = study.params
    judged = judged_claims(study, claims)
    if not judged:
        return None
    pairs = [(claim, judged.get(key)) for key, claim in claims.items()]
    cells = [_cells(study, key, claim, judged.get(key)) for key, claim in claims.items()]
    title = Title("Claims", "what the paper says and what we find", params.experiment)
    columns = filled(_columns(pairs, [str(row["trainings"] or "") for row in cells]))
    return Table(NAME, title, _caption(params, pairs), columns, cells, list(claims))


def _columns(pairs: Pairs, seeds: list[str]) -> list[Column]:
    words = [judged.verdict.word if judged else NOT_TESTED for _, judged in pairs]
    adjusted = [judged.verdict.adjusted if judged else None for _, judged in pairs]
    return [
        text_column("claim", "claim", [claim.claim for claim, _ in pairs], "name"),
        text_column("verdict", "verdict", words),
        text_column("measure", "measure", [_measure(claim)[0] for claim, _ in pairs]),
        _signed("paper", "paper", pairs, [claim.size for claim, _ in pairs], "paper"),
        _signed("ours", "ours", pairs, [one.outcome.value if one else None for _, one in pairs]),
        _interval(pairs),
        text_column("trainings", "seeds", seeds),
        number_column("p_holm", "p after Holm", adjusted, 3),
        text_column("halves", "half the seeds, the other half", [_halves(one) for _, one in pairs]),
        _detectable(pairs),
        text_column("differs", "what else differs", [" ".join(c.differs) for c, _ in pairs]),
        text_column("where", "where in the paper", [claim.where for claim, _ in pairs]),
    ]


def _halves(judged: Judged | None) -> str:
    """Return the verdicts of the two halves of the seeds, or one word if they agree."""
    return ", ".join(dict.fromkeys(judged.halves)) if judged else ""


def _measure(claim: Claim) -> tuple[str, int]:
    """Return what a claim's numbers measure, and how many decimals a reader sees."""
    return RANKS if claim.compare == "rank" else MEASURES[claim.measure]


def _signed(
    key: str,
    heading: str,
    pairs: Pairs,
    values: list[float | None],
    role: ColumnRole = "ours",
) -> Column:
    cells = [signed(n, _measure(claim)[1]) for n, (claim, _) in zip(values, pairs, strict=True)]
    return Column(key, heading, cells, values, role)


def _interval(pairs: Pairs) -> Column:
    bounds = [(one.outcome.low, one.outcome.high) if one else () for _, one in pairs]
    cells = [
        " to ".join(signed(bound, _measure(claim)[1]) for bound in both)
        for both, (claim, _) in zip(bounds, pairs, strict=True)
    ]
    lows = [both[0] if both else None for both in bounds]
    return Column("interval", "95% interval", cells, lows, "detail")


def _detectable(pairs: Pairs) -> Column:
    """Return the smallest effect that the study would probably have seen, where a claim is undecided."""
    effects = [
        one.verdict.detectable if one and one.verdict.word == "undecided" else None
        for _, one in pairs
    ]
    cells = [
        "" if effect is None else f"{effect:.{_measure(claim)[1]}f}"
        for effect, (claim, _) in zip(effects, pairs, strict=True)
    ]
    return Column("detectable", "smallest effect", cells, effects, "detail")


def _cells(study: Study, key: str, claim: Claim, judged: Judged | None) -> dict[str, Cell]:
    """Return a row of the CSV file."""
    names = [name for system in systems_of(claim) for name in study.seeds(system)]
    cells: dict[str, Cell] = {
        "key": key,
        "claim": claim.claim,
        "where": claim.where,
        "verdict": NOT_TESTED,
        "measure": _measure(claim)[0],
        "paper": claim.size,
    }
    empty = ("ours", "low", "high", "p", "p_holm", "level", "detectable", "trainings", "halves")
    cells |= dict.fromkeys(empty)
    cells |= {
        "sign": claim.sign,
        "bound": claim.bound,
        "compare": claim.compare,
        "systems": " ".join(claim.systems),
        "over": " ".join(claim.over or ()) or None,
        "differs": " ".join(claim.differs) or None,
        "set": set_of(study.params, claim),
        "model": " ".join(names) or None,
        "files": None,
        "stage": None,
    }
    if judged is None:
        return cells
    outcome, verdict = judged.outcome, judged.verdict
    numbers = {"ours": outcome.value, "low": outcome.low, "high": outcome.high, "p": verdict.p}
    numbers |= {"p_holm": verdict.adjusted, "level": verdict.level}
    cells |= {name: round(number, FILE_DIGITS) for name, number in numbers.items()}
    if verdict.detectable is not None:
        cells["detectable"] = round(verdict.detectable, FILE_DIGITS)
    layout = Layout(study.params.experiment)
    return cells | {
        "verdict": verdict.word,
        "trainings": " to ".join(map(str, judged.seeds)),
        "halves": _halves(judged) or None,
        "files": " ".join(layout.scores(name).as_posix() for name in names),
        "stage": "tables",
    }


def _caption(params: Params, pairs: Pairs) -> Caption:
    judged = [one for _, one in pairs if one is not None]
    untested = ""
    if len(judged) < len(pairs):
        untested = "The others name systems that this experiment does not train with several seeds."
    other_text = params.sets.tests[0] != paper_set("table1")
    lead = [
        f"{len(judged)} of {len(pairs)} claims are tested here.",
        untested,
        f"A claim is confirmed or refuted where its p after Holm is {ALPHA} or less. Otherwise it is "
        "undecided.",
        _agreement(judged),
    ]
    rest = [
        "Our text is not the paper's: compare signs, not sizes." if other_text else "",
        _links(params, pairs),
        "claims.yaml says what is claimed: the systems, the measure and the sign. It is written before "
        "a study runs. “paper” has the published size, and “ours” has ours: the mean over the seeds of "
        "some systems, minus that of others. The interval holds for other seeds and other sentences. "
        "Perplexity and cost have no sentences to draw from, so their intervals hold for other seeds "
        "only. Trainings of different systems are independent, and all systems translate the same "
        "sentences; the test takes both into account. p is two-sided, because a claim may also be "
        "refuted. Holm's procedure keeps the probability of any false verdict in this table at "
        f"{ALPHA:.0%} or less. “smallest effect” says how large an effect must be, counted from the "
        "claim's bound, so that this study decides the claim with a probability of 80%. For orders "
        "it is not known.",
    ]
    return Caption(*(" ".join(part for part in half if part) for half in (lead, rest)))


def _links(params: Params, pairs: Pairs) -> str:
    """Say so where error rates are measured against a program's links; otherwise return ""."""
    of_links = any(judged and "aer" in (c.measure, c.rank_with) for c, judged in pairs)
    aligned = params.sets.aligned[0]
    if not of_links or link_kind(params, aligned) == "gold":
        return ""
    return (
        f"No person linked the words of {aligned}. So AER is measured against the links of the outside "
        "aligner, and says how far attention is from that aligner."
    )


def _agreement(judged: Sequence[Judged]) -> str:
    """Say how far two studies with half of the seeds agree; return "" if there are none."""
    halves = [one.halves for one in judged if one.halves]
    if not halves:
        return ""
    changed = sum(len(set(words)) > 1 for words in halves)
    opposed = sum({"confirmed", "refuted"} <= set(words) for words in halves)
    return (
        f"Judged again with half of the seeds, and with the other half, {changed} of {len(halves)} "
        f"claims have two different verdicts; {opposed} of them are opposite ones."
    )
