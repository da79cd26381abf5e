"""``attnmt readme``."""

from pathlib import Path
from typing import Annotated

import typer

from attnmt.errors import InputError
from attnmt.files.atomic import check_place
from attnmt.files.text_file import read_text, write_text
from attnmt.layout import Layout
from attnmt.reporting.readme_table import markers, readme_with_table


def readme(
    path: Annotated[Path, typer.Argument(help="The file to fill.")] = Path("README.md"),
) -> None:
    """Put the tables of reports/ between their markers in README.md.

    A marker such as <!-- table1:demo --> takes reports/demo/tables/table1.md. Example: attnmt readme
    """
    if not path.exists():
        raise InputError(f"{path}: no such file; run attnmt readme in the project's folder")
    check_place(path)
    text = read_text(path, "utf-8")
    for marker, table, experiment in markers(text):
        report = Layout(experiment).reports / "tables" / f"{table}.md"
        if not report.exists():
            raise InputError(f"{report}: no such file; run the stage tables of {experiment} first")
        text = readme_with_table(text, report.read_text(encoding="utf-8"), marker)
    write_text(path, text)
