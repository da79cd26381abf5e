"""The table of claims: a row for each, with its verdict over all recipes."""

from collections.abc import Sequence

from attnmt.config.trainings import FAMILY
from attnmt.reporting.table import Cell, P, Size, Table, signed, table_of
from attnmt.scoring.claim_lines import ClaimLine, by_claim, there
from attnmt.scoring.verdicts import ALPHA, NOT_TESTED

NAME = "claims"
UNREGISTERED = (
    "These verdicts are not registered: claims.yaml lacks the experiment, or what decides them has "
    "changed."
)


def claims_table(claims: Sequence[ClaimLine]) -> Table | None:
    """Return the table of all claims, or None if the experiment can test none of them."""
    if not claims:
        return None
    groups = by_claim(claims)
    # Some claims are read in a second way, by an amendment.
    once, again = ([one for one, *_ in groups if bool(one.amended) is x] for x in (False, True))
    tested, retested = (sum(one.p_holm is not None for one in some) for some in (once, again))
    second = f", and {retested} once more as amended (*)" if retested else ""
    caption = (
        f"{tested} of {len(once)} claims are tested together{second}; if scores are normal and vary "
        f"alike, at most {ALPHA:.0%} of studies have a false verdict. Ours is a difference of mean "
        "scores; of several, the least favorable"
    )
    if both := [one for one in once if one.other_verdict not in (None, "described")]:
        alike = sum(one.verdict == one.other_verdict for one in both)
        caption += f"; on another set, {alike} of {len(both)} verdicts are the same"
    caption += (
        ". On another text than the paper's, compare signs, not sizes."
        if all(one.registered for one in claims)
        else f". {UNREGISTERED}"
    )
    return table_of(
        NAME,
        "Claims",
        caption,
        {lines[0].key: _cells(lines) for lines in groups},
        {"p after Holm": P},
    )


def verdict_with_sizes(lines: Sequence[ClaimLine]) -> str:
    """Return the verdict on a claim and what each recipe finds: ``confirmed (+1.20, own +2.00)``."""
    sizes = [
        f"{one.recipe} " * (one.recipe != FAMILY) + signed(one.ours, one.digits)
        for one in lines
        if one.ours is not None
    ]
    return f"{lines[0].verdict} ({', '.join(sizes)})" if sizes else lines[0].verdict


def _cells(lines: Sequence[ClaimLine]) -> dict[str, Cell]:
    one, *others = lines
    in_short = [f"{other.recipe}: {_in_short(other)}" for other in others]
    in_short += [f"{recipe}: the same trainings" for recipe in (one.alike or "").split()]
    return {
        "claim": one.marked,
        "verdict": one.verdict,
        "measure": one.measure,
        "paper": None if one.paper is None else Size(one.paper, one.digits),
        "ours": None if one.ours is None else Size(one.ours, one.digits),
        "at each step": one.at_each_step if one.ours is not None else None,
        "ours, 95%": _interval(one),
        "p after Holm": one.p_holm,
        "by other recipes": "; ".join(in_short) or None,
        "on the other set": verdict_with_sizes(there(lines)) if one.other_set else None,
        "seeds": one.seeds,
    }


def _interval(one: ClaimLine) -> str | None:
    if one.low is None or one.high is None:
        return None
    return f"{signed(one.low, one.digits)} to {signed(one.high, one.digits)}"


def _in_short(one: ClaimLine) -> str:
    if one.ours is None:
        return NOT_TESTED
    p = "" if one.p_holm is None else f", p after Holm {P.show(one.p_holm)}"
    return f"{signed(one.ours, one.digits)} ({_interval(one)}{p})"
