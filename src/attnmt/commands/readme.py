"""``attnmt readme``."""

from pathlib import Path
from typing import Annotated

import typer

from attnmt.errors import InputError
from attnmt.files.atomic import check_place
from attnmt.files.text_file import read_text, write_text


def readme(
    path: Annotated[Path, typer.Argument(help="The file to fill.")] = Path("README.md"),
) -> None:
    """Put the results of reports/ between their markers in README.md.

    A marker such as <!-- results: demo, multi30k --> names the experiments that are shown, so there is
    no --experiment. "results" shows BLEU of Table 1, "gains" the same with each gain, and "claims" the
    verdicts on the paper's claims. The numbers come from reports/<experiment>/tables.

    Examples: attnmt readme; attnmt readme docs/results.md
    """
    if not path.exists():
        raise InputError(f"{path}: no such file; run attnmt readme in the project's folder")
    check_place(path)
    text = read_text(path, "utf-8")

    # Imported here, because it takes a second, and a shell that completes a word must not wait for it.
    from attnmt.reporting.readme_table import markers, page_with_table, table_file

    if not markers(text):
        raise InputError(
            f"{path}: no marker to fill; write <!-- results: demo --><!-- /results: demo --> where "
            f"the table belongs"
        )
    for marker in markers(text):
        tables = {
            experiment: _table(experiment, table_file(experiment, marker.source))
            for experiment in marker.experiments
        }
        text = page_with_table(text, marker.table(tables, path.parent), marker.text, path)
    write_text(path, text)


def _table(experiment: str, path: Path) -> str:
    """Return the content of a table of an experiment's report."""
    if not path.exists():
        raise InputError(f"{path}: no such file; run the stage tables of {experiment} first")
    return read_text(path, "utf-8")
