"""The report of an experiment: its numbers as tables, figures, claims and a summary, each made once."""

from dataclasses import dataclass

from attnmt.config import Params
from attnmt.reporting.attention import AttentionData, Matrix, attention_data, figure7
from attnmt.reporting.claims_table import claims_table
from attnmt.reporting.comparisons import headline
from attnmt.reporting.curves import Figure, figure5, figure6
from attnmt.reporting.samples import samples_table
from attnmt.reporting.summary import Headline, make_summary
from attnmt.reporting.table import Table
from attnmt.reporting.tables import make_tables
from attnmt.scoring.claim_lines import ClaimLine, read_claims
from attnmt.scoring.score_table import read_score_table
from attnmt.scoring.verdicts import NOT_TESTED


@dataclass(frozen=True)
class Report:
    """The parts of a report."""

    headline: str  # on one's own text, which system is better; otherwise empty
    summary: list[Headline]  # the numbers at the head of the page
    tables: list[Table]
    claims: list[ClaimLine]  # empty if the experiment can test none of them
    figures: list[Figure]  # those of curves
    figure7: dict[str, Matrix]  # attention by label; empty if no system has any
    attention: AttentionData | None  # of every system that has any


def make_report(params: Params) -> Report:
    """Return the report of an experiment. The same files give the same report."""
    numbers, claims = read_score_table(params.experiment), read_claims(params.experiment)
    if params.own_text:  # it asks its own questions, so of the paper's only the answers are shown
        claims = [one for one in claims if one.verdict != NOT_TESTED]
    tables = claims_table(claims), *make_tables(params, numbers), samples_table(params, numbers)
    figures = figure5(params), figure6(params, numbers)
    return Report(
        headline(params, numbers) if params.own_text else "",
        make_summary(params, numbers),
        [table for table in tables if table is not None],
        claims,
        [figure for figure in figures if figure is not None],
        figure7(params),
        attention_data(params, numbers),
    )
