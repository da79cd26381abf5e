"""``attnmt readme``."""

from pathlib import Path
from typing import Annotated

import typer

from attnmt.errors import InputError
from attnmt.files.atomic import check_place
from attnmt.files.text_file import read_text, write_text
from attnmt.layout import Layout


def readme(
    path: Annotated[Path, typer.Argument(help="The file to fill.")] = Path("README.md"),
) -> None:
    """Put the results of reports/ between their markers in README.md.

    A marker such as <!-- results: demo, multi30k --> names the experiments that are shown, so there is
    no --experiment. With "gains" in place of "results", each number is followed by its gain. The numbers
    come from reports/<experiment>/tables/table1.csv.

    Examples: attnmt readme; attnmt readme docs/results.md
    """
    if not path.exists():
        raise InputError(f"{path}: no such file; run attnmt readme in the project's folder")
    check_place(path)
    text = read_text(path, "utf-8")

    # Imported here, because it takes a second, and a shell that completes a word must not wait for it.
    from attnmt.reporting.readme_table import markers, page_with_table, results_table

    if not markers(text):
        raise InputError(
            f"{path}: no marker to fill; write <!-- results: demo --><!-- /results: demo --> where "
            f"the table belongs"
        )
    for marker, gains, experiments in markers(text):
        tables = {experiment: _table1(experiment) for experiment in experiments}
        table = results_table(tables, gains=gains, folder=path.parent)
        text = page_with_table(text, table, marker, path)
    write_text(path, text)


def _table1(experiment: str) -> str:
    """Return the content of an experiment's Table 1."""
    path = Layout(experiment).reports / "tables/table1.csv"
    if not path.exists():
        raise InputError(f"{path}: no such file; run the stage tables of {experiment} first")
    return read_text(path, "utf-8")
