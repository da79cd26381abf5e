"""The command ``attnmt``: what is done beside the stages."""

from pathlib import Path
from typing import Annotated

import typer

from attnmt.config import load_params
from attnmt.errors import InputError
from attnmt.files import write_text
from attnmt.layout import Layout
from attnmt.reporting.readme import markers, readme_with_table
from attnmt.stage import run_app
from attnmt.tracking_import import import_missing

app = typer.Typer(
    help="Tools around the workflow; the workflow itself is run by dvc repro or snakemake.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.command()
def track(
    params: Annotated[
        Path, typer.Option(help="The profile's parameter file.", show_default=True)
    ] = Path("params.yaml"),
) -> None:
    """Import into MLflow, from their files, the trainings and scores that it lacks.

    Examples: attnmt track; attnmt track --params profiles/wmt14/params.yaml; then: mlflow ui
    """
    imported = import_missing(load_params(params).profile)
    typer.echo("\n".join(imported) if imported else "MLflow has everything already.")


@app.command()
def readme(
    path: Annotated[Path, typer.Argument(help="The file to fill.")] = Path("README.md"),
) -> None:
    """Put the tables of reports/ between their markers in README.md.

    A marker such as <!-- table1:demo --> takes reports/demo/tables/table1.md. Example: attnmt readme
    """
    if not path.exists():
        raise InputError(f"{path}: no such file; run attnmt readme in the project's folder")
    text = path.read_text(encoding="utf-8")
    for marker, table, profile in markers(text):
        report = Layout(profile).reports / "tables" / f"{table}.md"
        if not report.exists():
            raise InputError(f"{report}: no such file; run the stage tables of {profile} first")
        text = readme_with_table(text, report.read_text(encoding="utf-8"), marker)
    write_text(path, text)


def main() -> None:
    """Run the command line."""
    run_app(app)
