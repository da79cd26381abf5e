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
    no --experiment. "results" shows BLEU of Table 1, and "claims" the verdicts on the paper's claims.
    The numbers come from scores.csv and claims.csv of each report.

    Examples: attnmt readme; attnmt readme docs/results.md
    """
    if not path.exists():
        raise InputError(f"{path}: no such file; run attnmt readme in the project's folder")
    check_place(path)
    # Imported here, because it takes a second, and a shell that completes a word must not wait for it.
    from attnmt.reporting.readme_table import filled_page

    write_text(path, filled_page(read_text(path, "utf-8"), path))
