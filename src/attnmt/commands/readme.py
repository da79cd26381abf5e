"""``attnmt readme``."""

from pathlib import Path
from typing import Annotated

import typer

from attnmt.errors import InputError
from attnmt.files.atomic import check_place
from attnmt.files.text_file import read_text, write_text
from attnmt.layout import Layout
from attnmt.reporting.readme_table import markers, readme_with_table, results_table


def readme(
    path: Annotated[Path, typer.Argument(help="The file to fill.")] = Path("README.md"),
) -> None:
    """Put the results of reports/ between their markers in README.md.

    A marker such as <!-- results: demo, multi30k --> names the experiments that are shown. Their
    numbers come from reports/<experiment>/tables/table1.csv. Example: attnmt readme
    """
    if not path.exists():
        raise InputError(f"{path}: no such file; run attnmt readme in the project's folder")
    check_place(path)
    text = read_text(path, "utf-8")
    for marker, experiments in markers(text):
        tables = {experiment: _table1(experiment) for experiment in experiments}
        text = readme_with_table(text, results_table(tables), marker)
    write_text(path, text)


def _table1(experiment: str) -> str:
    """Return the content of an experiment's Table 1."""
    path = Layout(experiment).reports / "tables/table1.csv"
    if not path.exists():
        raise InputError(f"{path}: no such file; run the stage tables of {experiment} first")
    return read_text(path, "utf-8")
