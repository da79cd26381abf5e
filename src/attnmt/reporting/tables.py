"""All tables of a report that are made from scores.csv, and their files."""

from collections.abc import Iterable
from pathlib import Path

from attnmt.config import Params
from attnmt.files.text_file import write_text
from attnmt.layout import Layout
from attnmt.reporting.comparisons import comparisons_table
from attnmt.reporting.count_tables import cost_table, unknown_table
from attnmt.reporting.latex import latex
from attnmt.reporting.score_tables import score_tables
from attnmt.reporting.table import Table, csv, markdown
from attnmt.scoring.score_table import ScoreTable
from attnmt.training.provenance import published
from attnmt.training.trained import read_config


def make_tables(params: Params, numbers: ScoreTable) -> list[Table]:
    """Return every table in which the experiment has a number of its own."""
    folder = Layout(params.experiment).model
    runs = (run for run in published(params.experiment) if run.model in params.trainings)
    present = [run for run in runs if run.fingerprint == read_config(folder(run.model)).fingerprint]
    tables = [
        comparisons_table(params, numbers),
        *score_tables(params, numbers),
        unknown_table(params, numbers),
        cost_table(params, numbers, present),
    ]
    return [table for table in tables if not table.frame.empty]


def write_tables(experiment: str, tables: Iterable[Table], folder: Path) -> None:
    """Write each table as CSV, Markdown and LaTeX. The same tables give the same bytes."""
    for table in tables:
        write_text(folder / f"{table.name}.csv", csv(table))
        write_text(folder / f"{table.name}.md", markdown(table, experiment))
        write_text(folder / f"{table.name}.tex", latex(table, experiment))
