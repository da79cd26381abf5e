"""The table of claims: a row for each, with the paper's size, ours and the verdict."""

from collections.abc import Sequence

from attnmt.reporting.table import Cell, P, Size, Table, signed, table_of
from attnmt.scoring.claim_lines import ClaimLine

NAME = "claims"
CAPTION = (
    "All claims are tested together, and p after Holm decides at 5%. Ours is a difference of mean "
    "scores; of several differences, the least favorable one, and of variants, the one with the larger "
    "p. At most 5% of experiments have a false verdict if scores are normal and vary alike, some 10% if "
    "one system varies three times as much as the others, and up to 14% if five times. On another text "
    "than the paper's, compare signs, not sizes."
)


def claims_table(claims: Sequence[ClaimLine]) -> Table | None:
    """Return the table of all claims, or None if the experiment can test none of them."""
    if not claims:
        return None
    return table_of(
        NAME,
        "Claims",
        CAPTION,
        {one.key: _cells(one) for one in claims},
        {"p after Holm": P},
    )


def _cells(one: ClaimLine) -> dict[str, Cell]:
    return {
        "claim": one.claim,
        "verdict": one.verdict,
        "measure": f"{one.measured}, bound {one.bound}" if one.bound else one.measured,
        "paper": None if one.paper is None else Size(one.paper, one.digits),
        "ours": None if one.ours is None else Size(one.ours, one.digits),
        "ours, 95%": _interval(one),
        "p after Holm": one.p_holm,
        "variants": one.variants,
        "seeds": one.seeds,
        "in": one.where,
    }


def _interval(one: ClaimLine) -> str | None:
    if one.low is None or one.high is None:
        return None
    return f"{signed(one.low, one.digits)} to {signed(one.high, one.digits)}"
