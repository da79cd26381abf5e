"""The report of an experiment: its numbers as tables, figures, claims and a summary, each made once."""

from dataclasses import dataclass

from attnmt.config import Params
from attnmt.config.claims import Amendment, project_claims
from attnmt.reporting.attention import (
    AttentionData,
    MatrixFigure,
    attention_data,
    figure7,
    figure_gru,
)
from attnmt.reporting.caveats import constant_baseline
from attnmt.reporting.claims_table import claims_table
from attnmt.reporting.comparisons import headline
from attnmt.reporting.curves import Figure, figure5, figure6
from attnmt.reporting.samples import Sample, make_samples
from attnmt.reporting.summary import Headline, make_summary
from attnmt.reporting.table import Table
from attnmt.reporting.tables import make_tables
from attnmt.scoring.claim_lines import ClaimLine, read_claims
from attnmt.scoring.numbers import Numbers, read_numbers
from attnmt.scoring.verdicts import NOT_TESTED


@dataclass(frozen=True)
class Report:
    """The parts of a report."""

    numbers: Numbers
    tables: list[Table]  # all but Table 5
    claims: list[ClaimLine]  # empty if the experiment can test none of them
    amendments: list[Amendment]  # what was changed after the claims were written
    samples: list[Sample]  # the translations of Table 5
    figures: list[Figure]  # those of curves
    matrices: list[MatrixFigure]  # those of attention
    attention: AttentionData | None  # of every system that has any
    summary: list[Headline]  # the numbers at the head of the page
    headline: str  # on one's own text, which system is better


def make_report(params: Params) -> Report:
    """Return the report of an experiment. The same files give the same report.

    Raises:
        InputError: if a file is missing or damaged, or belongs to another experiment.
    """
    numbers, claims = read_numbers(params.experiment), read_claims(params.experiment)
    if params.own_text:  # it asks its own questions, so of the paper's only the answers are shown
        claims = [one for one in claims if one.verdict != NOT_TESTED]
    baseline = constant_baseline(params) if params.own_text else {}
    tables = [claims_table(claims), *make_tables(params, numbers, baseline)]
    figures = figure5(params, numbers), figure6(params, numbers)
    matrices = figure7(params), figure_gru(params)
    return Report(
        numbers,
        [table for table in tables if table is not None],
        claims,
        project_claims().amendments if claims else [],
        make_samples(params, numbers),
        [figure for figure in figures if figure is not None],
        [figure for figure in matrices if figure is not None],
        attention_data(params, numbers),
        make_summary(params, numbers),
        headline(params, numbers, baseline) if params.own_text else "",
    )
