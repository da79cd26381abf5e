"""The report of an experiment: its tables, samples, figures, attention and headlines, each made once."""

from collections.abc import Iterable
from dataclasses import dataclass

from attnmt.config import Params
from attnmt.layout import Layout
from attnmt.reporting.attention import MatrixFigure, figure7, figure_gru
from attnmt.reporting.attention_data import AttentionData, attention_data
from attnmt.reporting.cost_table import cost_table
from attnmt.reporting.curves import Figure, figure5, figure6
from attnmt.reporting.headlines import Headline, make_headlines
from attnmt.reporting.paper import paper_set
from attnmt.reporting.provenance import short_commits
from attnmt.reporting.tables import Table
from attnmt.reporting.tables_file import Sample, ShownRow, ShownTable, read_tables, shown
from attnmt.training.trained import Provenance, read_provenance


@dataclass(frozen=True)
class Report:
    """The parts of a report.

    Attributes:
        tables: the tables as the page shows them, by the folder of their files.
        costs: the table of the trainings' costs, which is among ``tables`` too.
        samples: the sample translations of Table 5.
        figures: the figures that show curves.
        matrices: the figures that show attention.
        attention: the attention of every system; None if no system has attention.
        headlines: the numbers at the head of the page.
    """

    tables: dict[str, list[ShownTable]]
    costs: Table
    samples: list[Sample]
    figures: list[Figure]
    matrices: list[MatrixFigure]
    attention: AttentionData | None
    headlines: list[Headline]


def make_report(params: Params) -> Report:
    """Return the report of an experiment. The same files give the same report.

    Raises:
        InputError: if a file is missing or damaged, or belongs to another experiment.
    """
    file = read_tables(
        Layout(params.experiment).reports / "tables" / "tables.json", params.experiment
    )
    costs = cost_table(params)
    tables = {"tables": file.tables, "cost": [shown(costs)]}
    return Report(
        tables={
            folder: [_with_origins(params, table) for table in shown_tables]
            for folder, shown_tables in tables.items()
        },
        costs=costs,
        samples=file.samples,
        figures=[figure for figure in (figure5(params), figure6(params)) if figure is not None],
        matrices=[figure for figure in (figure7(params), figure_gru(params)) if figure is not None],
        attention=attention_data(params),
        headlines=make_headlines(
            params, {table.name: table for table in file.tables}, is_papers_text(params)
        ),
    )


def is_papers_text(params: Params) -> bool:
    """Return whether the first test set is the paper's."""
    return params.sets.tests[0] == paper_set("table1")


def _with_origins(params: Params, table: ShownTable) -> ShownTable:
    """Add to the facts of every row the commits and the code that its models were trained with."""
    rows = [
        row.model_copy(update={"facts": row.facts | _origins(_trainings(params, row))})
        for row in table.rows
    ]
    return table.model_copy(update={"rows": rows})


def _trainings(params: Params, row: ShownRow) -> list[Provenance]:
    """Return where and when the models behind a row were trained."""
    names = [name for name in row.models if name in params.models or name in params.ensembles]
    members = [member for name in names for member in params.translators(name).members]
    return [read_provenance(Layout(params.experiment).model(member)) for member in members]


def _origins(trainings: list[Provenance]) -> dict[str, str]:
    """Return the commits and the code of trainings as facts of a row."""
    if not trainings:
        return {}
    return {
        "trained at commit": listed(short_commits(training.commits) for training in trainings),
        "code of the training": listed(training.code for training in trainings),
    }


def listed(values: Iterable[str]) -> str:
    """Return each different value once, with commas between them."""
    return ", ".join(dict.fromkeys(values))
