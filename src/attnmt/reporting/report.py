"""The report of an experiment: its numbers as tables, figures, claims and a summary, each made once."""

from dataclasses import dataclass

from attnmt.config import Params
from attnmt.config.claims import Amendment, project_claims
from attnmt.reporting.answer import make_answer
from attnmt.reporting.attention import MatrixFigure, figure7, figure_gru
from attnmt.reporting.attention_data import AttentionData, attention_data
from attnmt.reporting.claims import ClaimLine, claims_table, read_claims
from attnmt.reporting.curves import Figure, figure5, figure6
from attnmt.reporting.samples import Sample, make_samples
from attnmt.reporting.summary import Headline, make_summary
from attnmt.reporting.table import Table
from attnmt.reporting.tables import make_tables
from attnmt.scoring.numbers import Numbers, read_numbers


@dataclass(frozen=True)
class Report:
    """The parts of a report.

    Attributes:
        numbers: every number of the experiment.
        tables: all tables but Table 5.
        claims: the claims with their verdicts; empty if the experiment can test none of them.
        amendments: what was changed after the claims were written; empty without claims.
        samples: the sample translations of Table 5.
        figures: the figures that show curves.
        matrices: the figures that show attention.
        attention: the attention of every system; None if no system has attention.
        summary: the numbers at the head of the page.
        answer: on one's own text, whether attention helps there, in sentences.
    """

    numbers: Numbers
    tables: list[Table]
    claims: list[ClaimLine]
    amendments: list[Amendment]
    samples: list[Sample]
    figures: list[Figure]
    matrices: list[MatrixFigure]
    attention: AttentionData | None
    summary: list[Headline]
    answer: list[str]


def make_report(params: Params) -> Report:
    """Return the report of an experiment. The same files give the same report.

    Raises:
        InputError: if a file is missing or damaged, or belongs to another experiment.
    """
    numbers, claims = read_numbers(params.experiment), read_claims(params.experiment)
    judged = claims_table(claims)
    figures = figure5(params, numbers), figure6(params, numbers)
    return Report(
        numbers,
        [*([judged] if judged else []), *make_tables(params, numbers)],
        claims,
        project_claims().amendments if claims else [],
        make_samples(params, numbers),
        [figure for figure in figures if figure is not None],
        [figure for figure in (figure7(params), figure_gru(params)) if figure is not None],
        attention_data(params, numbers),
        make_summary(params, numbers),
        make_answer(params, numbers),
    )
